import { type Address, type Amount, toAddress } from '@fairway/engine';
import { numberToHex } from 'viem';
import type { Head, Instruction, PriorHolding, SwapOrder } from '../types.ts';
import { orderMaxInput } from './limits.ts';
import { type PriorHoldings, priorHoldingsOf } from './priorHoldings.ts';
import type { StorageSlot, TokenSlots } from './tokenSlots.ts';

/** What a swap moved. */
export type Moved = {
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  /** What the router holds after the swap that it did not hold before: anybody could take it. */
  readonly leftInRouter: readonly PriorHolding[];
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
  /** Input balance the overrides give the executor. */
  readonly inputBalance: bigint;
  /** Input allowance the overrides give the spender; undefined where none is needed. */
  readonly allowance: bigint | undefined;
  /** The block on whose state it is run. */
  readonly block: Head;
  readonly overrides: StateOverrides;
  readonly priorHoldings: PriorHoldings;
};

/** Node state overrides by address, as `eth_call` and `eth_simulateV1` take them. */
export type StateOverrides = Record<Address, { balance?: `0x${string}`; stateDiff?: Record<string, string> }>;

/**
 * What a rehearsal moved and what was held before it; or the reason the chain gave for reverting; or why there is
 * neither: nothing was measured, the overrides had no effect, or the node lacks the method.
 */
export type RehearsalResult =
  | (Moved & {
      readonly status: 'RAN';
      readonly gasUsed: bigint;
      readonly priorHoldings: readonly PriorHolding[];
    })
  | { readonly status: 'FAILED'; readonly revertReason: string }
  | { readonly status: 'UNAVAILABLE' }
  | { readonly status: 'NOT_FUNDED' }
  | { readonly status: 'NOT_SUPPORTED' };

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
 * Finds what must be overridden for an order to be run on the state of a block. Undefined where the input token
 * does not keep balances or allowances in plain storage words. Rejects as `request` does.
 */
export async function prepareRehearsal(
  contracts: { readonly router: Address; readonly wrappedNative: Address; readonly multicall3: Address },
  slots: TokenSlots,
  order: SwapOrder,
  instruction: Instruction,
  block: Head,
): Promise<Rehearsal | undefined> {
  const { router, wrappedNative } = contracts;
  const executor = order.sender ?? STAND_IN;
  const [tokenIn, tokenOut] = tokensOf(order, wrappedNative);
  const maxInput = orderMaxInput(order);
  const balance = { [executor]: { balance: numberToHex(instruction.value + SPARE_NATIVE) } };
  const common = {
    order,
    instruction,
    executor,
    payee: order.recipient ?? executor,
    outputToken: order.nativeOut ? undefined : tokenOut,
    spender: router,
    block,
    priorHoldings: priorHoldingsOf(contracts, order),
  };
  if (order.nativeIn) {
    const inputBalance = instruction.value + SPARE_NATIVE;
    const funded = { inputToken: undefined, inputBalance, allowance: undefined, overrides: balance };
    return { ...common, ...funded };
  }
  const usesAllowance = instruction.to.toLowerCase() === router;
  const [balanceSlot, allowanceSlot] = await Promise.all([
    slots.balance(block.hash, tokenIn, executor),
    usesAllowance ? slots.allowance(block.hash, tokenIn, executor, router) : undefined,
  ]);
  if (balanceSlot === undefined || (usesAllowance && allowanceSlot === undefined)) return undefined;
  // One unit more than needed: a balance that falls to zero would get a gas refund that a real one does not get.
  const inputBalance = maxInput + 1n;
  const overrides: StateOverrides = balance;
  setWord(overrides, balanceSlot, inputBalance);
  if (allowanceSlot !== undefined) setWord(overrides, allowanceSlot, maxInput);
  // The wrapped tokens given above need native currency in their contract, too.
  if (order.subject.kind === 'WRAP')
    overrides[wrappedNative] = { ...overrides[wrappedNative], balance: numberToHex(inputBalance) };
  const allowance = usesAllowance ? maxInput : undefined;
  return { ...common, inputToken: tokenIn, inputBalance, allowance, overrides };
}

function setWord(overrides: StateOverrides, slot: StorageSlot, value: bigint): void {
  const account = overrides[slot.contract] ?? {};
  overrides[slot.contract] = {
    ...account,
    stateDiff: { ...account.stateDiff, [slot.key]: numberToHex(value, { size: 32 }) },
  };
}
