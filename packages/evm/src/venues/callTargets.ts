import type { Address } from '@fairway/engine';
import { keccak256, toFunctionSelector } from 'viem';
import { WRAPPED_NATIVE_ABI } from '../calls/contractAbis.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodeNonsenseError } from '../rpc/errors.ts';
import type { Venue } from './venue.ts';
import type { RouterKind } from './venueKinds.ts';

/** A contract that swaps of a chain may call, with all that they may call of it. */
export type CallTarget = {
  readonly kind: RouterKind | 'WRAPPED_NATIVE';
  readonly address: Address;
  /** The hash of its code, as the chain has it. */
  readonly codeHash: `0x${string}`;
  readonly selectors: readonly `0x${string}`[];
  /** The contracts that an approval for such a swap may name. */
  readonly spenders: readonly Address[];
};

/**
 * The contracts that swaps of a chain may call: the router, and the token that wraps native currency.
 * @throws RpcAnswerError, RpcUnreachableError, and NodeNonsenseError where there is no code
 *
 * @example
 * ```ts
 * import { readCallTargets, type RpcRequest, type VenueSite, venueOf } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const site: VenueSite;
 * const kind = 'SWAP_ROUTER_02';
 * const venue = venueOf(kind, site);
 * const [router] = await readCallTargets(request, { kind, venue, wrappedNative: site.wrappedNative });
 * ```
 */
export async function readCallTargets(
  request: RpcRequest,
  {
    kind,
    venue,
    wrappedNative,
  }: { readonly kind: RouterKind; readonly venue: Venue; readonly wrappedNative: Address },
): Promise<readonly CallTarget[]> {
  const { router, spender, selectors } = venue;
  const [routerHash, wrappedHash] = await Promise.all([
    readCodeHash(request, router),
    readCodeHash(request, wrappedNative),
  ]);
  return [
    { kind, address: router, codeHash: routerHash, selectors, spenders: [spender] },
    {
      kind: 'WRAPPED_NATIVE',
      address: wrappedNative,
      codeHash: wrappedHash,
      selectors: WRAPPED_NATIVE_ABI.map((item) => toFunctionSelector(item)),
      spenders: [],
    },
  ];
}

async function readCodeHash(request: RpcRequest, address: Address): Promise<`0x${string}`> {
  const code = await request({ method: 'eth_getCode', params: [address, 'latest'] });
  if (typeof code !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(code))
    throw new NodeNonsenseError(`there is no code at ${address}`);
  return keccak256(code as `0x${string}`);
}
