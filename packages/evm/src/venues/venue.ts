import type { Address, VenueGas } from '@fairway/engine';
import type { Factory } from '../pools/poolKinds.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type { Instruction, SwapLimit, SwapOrder } from '../types.ts';

/** A kind of router: what can be said of it before one is configured, and how one of them is used. */
export type VenueKind = {
  /**
   * Why no such router trades with factories of exactly these kinds, as the end of a sentence; undefined where one
   * can.
   */
  factoriesFault(kinds: readonly Factory['kind'][]): string | undefined;
  /** What a swap costs besides the hops through its pools. */
  readonly gas: VenueGas;
  /** The venue that a router is. @throws for factories that have a fault. */
  at(site: VenueSite): Venue;
  /** The least output that a call lets arrive; undefined for calls that swap no exact input over such a router. */
  leastOutput(data: `0x${string}`): bigint | undefined;
};

/** Where a router is, and what it was built with as far as the configuration says. Addresses in lower case. */
export type VenueSite = {
  readonly router: Address;
  readonly wrappedNative: Address;
  readonly factories: readonly Factory[];
};

/** One router that executes swaps. All that is known of its calls is behind this type. */
export type Venue = {
  /** The contract that swaps call, in lower case. Anybody can take what it holds. */
  readonly router: Address;
  /** The contract that takes the input from the payer, who has to approve it. In lower case. */
  readonly spender: Address;
  /** The functions of the router that instructions call. */
  readonly selectors: readonly `0x${string}`[];
  /** The router's call for an order, without the order's reference. A pool that it does not trade is refused. */
  build(order: SwapOrder): VenueCall;
  /**
   * Reads a call of the router back from its bytes and compares all of it with its order. Does not use the code that
   * builds. The target was compared before, and for a 1:1 exchange also the value.
   */
  check(order: SwapOrder, instruction: Instruction): VerifyResult;
  /** The call by which anybody takes native currency for itself, and tokens for an address, from the router. */
  emptyCall(tokens: readonly Address[], to: Address): `0x${string}`;
  /**
   * Asks the chain whether the router is the contract that calls are written for. Rejects as `request` does when the
   * node cannot be asked.
   */
  checkDeployed(request: RpcRequest): Promise<RouterCheck>;
};

/** An unsigned call, or the reason why the router cannot express the order. */
export type VenueCall =
  | { readonly ok: true; readonly instruction: Instruction }
  | { readonly ok: false; readonly detail: string };

/** The bound the calldata was found to enforce, or how it departs from the order. A mismatch is a bug. */
export type VerifyResult =
  | { readonly ok: true; readonly limit: SwapLimit }
  | { readonly ok: false; readonly mismatch: string };

/** Whether the configured router is the contract that instructions are written for. */
export type RouterCheck = { readonly ok: true } | { readonly ok: false; readonly detail: string };
