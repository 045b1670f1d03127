import { type Address, type Amount, toAddress } from '@fairway/engine';
import { numberToHex } from 'viem';
import type { Head, Instruction, NeededHoldings, PriorHolding, SwapOrder } from '../types.ts';
import type { Holdings } from './holdings.ts';
import { orderMaxInput } from '../order/limits.ts';
import type { RehearsalPlace } from './place.ts';
import { type PriorHoldings, priorHoldingsOf } from './priorHoldings.ts';
import type { StorageSlot, TokenSlots } from './tokenSlots.ts';

/** What a swap moved. */
export type Moved = {
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  /**
   * What the router holds after the swap that it did not hold before: anybody could take it. Undefined where a balance could not
   * be read.
   */
  readonly leftInRouter: readonly PriorHolding[] | undefined;
};

/** One instruction, prepared to be run: who runs it on which state, and whose balances show what it moved. */
export type Rehearsal = {
  readonly order: SwapOrder;
  readonly instruction: Instruction;
  readonly executor: Address;
  readonly payee: Address;
  /** Undefined: native currency. */
  readonly inputToken: Address | undefined;
  readonly outputToken: Address | undefined;
  readonly spender: Address;
  /** What the overrides give: to the executor of the input, and to the spender of its allowance. Else both hold it. */
  readonly given: { readonly balance?: bigint; readonly allowance?: bigint };
  /** The block on whose state it is run. */
  readonly block: Head;
  readonly overrides: StateOverrides;
  readonly priorHoldings: PriorHoldings;
};

/** Node state overrides by address, as `eth_call` and `eth_simulateV1` take them. */
export type StateOverrides = Record<Address, { balance?: `0x${string}`; stateDiff?: Record<string, string> }>;

/**
 * What a rehearsal moved and what was held before it; or the reason the chain gave for reverting. Or why there is
 * neither: nothing was measured, the overrides had no effect, or the node lacks the method.
 */
export type RehearsalResult =
  | (Moved & {
      readonly status: 'RAN';
      readonly gasUsed: bigint;
      /** Undefined where they could not be read. */
      readonly priorHoldings: readonly PriorHolding[] | undefined;
    })
  | { readonly status: 'FAILED'; readonly revertReason: string }
  | { readonly status: 'UNAVAILABLE' }
  | { readonly status: 'NOT_FUNDED' }
  | { readonly status: 'NOT_SUPPORTED' }
  | HoldingsNeeded;

/** The executor lacks something that cannot be put in place. */
export type HoldingsNeeded = {
  readonly status: 'HOLDINGS_NEEDED';
  readonly token: Address;
  readonly needed: NeededHoldings;
};

/** Executes where the order names no sender: an address without code whose key nobody has. */
const STAND_IN = toAddress('0xfa12ec0de0000000000000000000000000005afe');

/** Native currency in excess of the value, so that nothing fails because gas cannot be paid. */
const SPARE_NATIVE = 10n ** 20n;

/** The order's input and output tokens; native currency as its wrapped token. */
export function tokensOf({ subject }: SwapOrder, wrappedNative: Address): readonly [Address, Address] {
  return subject.kind === 'WRAP'
    ? [wrappedNative, wrappedNative]
    : [subject.quote.tokenIn, subject.quote.tokenOut];
}

/**
 * Finds what must be overridden for an order to be run on the state of a block: what the executor lacks, and nothing else.
 * `holdings`: what the sender has; undefined where there is none or it is not known. Rejects as `request` does.
 */
export async function prepareRehearsal(
  place: RehearsalPlace,
  slots: TokenSlots,
  order: SwapOrder,
  instruction: Instruction,
  block: Head,
  holdings: Holdings | undefined,
): Promise<Rehearsal | HoldingsNeeded> {
  const { venue, wrappedNative } = place;
  const { spender } = venue;
  const executor = order.sender ?? STAND_IN;
  const [tokenIn, tokenOut] = tokensOf(order, wrappedNative);
  const maxInput = orderMaxInput(order);
  const overrides: StateOverrides = {
    [executor]: { balance: numberToHex(instruction.value + SPARE_NATIVE) },
  };
  const common = {
    order,
    instruction,
    executor,
    payee: order.recipient ?? executor,
    outputToken: order.nativeOut ? undefined : tokenOut,
    spender,
    block,
    overrides,
    priorHoldings: priorHoldingsOf(place, order),
  };
  if (order.nativeIn) return { ...common, inputToken: undefined, given: {} };
  const usesAllowance = instruction.to.toLowerCase() === venue.router;
  const lacksBalance = (holdings?.balance ?? 0n) < maxInput;
  const lacksAllowance = usesAllowance && (holdings?.allowance ?? 0n) < maxInput;
  const [balanceSlot, allowanceSlot] = await Promise.all([
    lacksBalance ? slots.balance(block.hash, tokenIn, executor) : undefined,
    lacksAllowance ? slots.allowance(block.hash, tokenIn, executor, spender) : undefined,
  ]);
  const cannotApprove = lacksAllowance && allowanceSlot === undefined;
  if ((lacksBalance && balanceSlot === undefined) || cannotApprove) {
    const needed = { balance: maxInput, ...(cannotApprove ? { spender } : {}) };
    return { status: 'HOLDINGS_NEEDED', token: tokenIn, needed };
  }
  // One unit more than needed: a balance that falls to zero would get a gas refund that a real one does not get.
  const balance = maxInput + 1n;
  if (balanceSlot !== undefined) setWord(overrides, balanceSlot, balance);
  if (allowanceSlot !== undefined) setWord(overrides, allowanceSlot, maxInput);
  // The wrapped tokens given above need native currency in their contract, too.
  if (order.subject.kind === 'WRAP' && lacksBalance)
    overrides[wrappedNative] = { ...overrides[wrappedNative], balance: numberToHex(balance) };
  const given = {
    ...(lacksBalance ? { balance } : {}),
    ...(lacksAllowance ? { allowance: maxInput } : {}),
  };
  return { ...common, inputToken: tokenIn, given };
}

function setWord(overrides: StateOverrides, slot: StorageSlot, value: bigint): void {
  const account = overrides[slot.contract] ?? {};
  overrides[slot.contract] = {
    ...account,
    stateDiff: { ...account.stateDiff, [slot.key]: numberToHex(value, { size: 32 }) },
  };
}
