import { type Address, toAddress } from '@fairway/engine';
import { numberToHex } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type { Instruction, Simulation, SwapOrder } from '../types.ts';
import { orderMaxInput } from './limits.ts';
import type { StorageSlot, TokenSlots } from './tokenSlots.ts';

/** A simulation, or the reason the chain gave for reverting. */
export type SimulationResult = Simulation | { readonly status: 'FAILED'; readonly revertReason: string };

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
  readonly blockNumber: bigint;
  readonly overrides: StateOverrides;
};

/** Node state overrides by address, as `eth_call` and `eth_simulateV1` take them. */
export type StateOverrides = Record<Address, { balance?: `0x${string}`; stateDiff?: Record<string, string> }>;

/** A result, or why there is none: the overrides had no effect, or the node lacks the method. */
export type RehearsalResult =
  | SimulationResult
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
 * Finds what must be overridden for an order to be run, at the node's latest block. Undefined where the input token
 * does not keep balances or allowances in plain storage words. Rejects as `request` does.
 */
export async function prepareRehearsal(
  request: RpcRequest,
  { router, wrappedNative }: { readonly router: Address; readonly wrappedNative: Address },
  slots: TokenSlots,
  order: SwapOrder,
  instruction: Instruction,
): Promise<Rehearsal | undefined> {
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
  };
  if (order.nativeIn) {
    const blockNumber = await readBlockNumber(request);
    const inputBalance = instruction.value + SPARE_NATIVE;
    const funded = { inputToken: undefined, inputBalance, allowance: undefined, overrides: balance };
    return { ...common, ...funded, blockNumber };
  }
  const usesAllowance = instruction.to.toLowerCase() === router;
  const [blockNumber, balanceSlot, allowanceSlot] = await Promise.all([
    readBlockNumber(request),
    slots.balance(tokenIn, executor),
    usesAllowance ? slots.allowance(tokenIn, executor, router) : undefined,
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
  return { ...common, inputToken: tokenIn, inputBalance, allowance, overrides, blockNumber };
}

function setWord(overrides: StateOverrides, slot: StorageSlot, value: bigint): void {
  const account = overrides[slot.contract] ?? {};
  overrides[slot.contract] = {
    ...account,
    stateDiff: { ...account.stateDiff, [slot.key]: numberToHex(value, { size: 32 }) },
  };
}

/** All state is read at this number, so that the simulation is about one block. */
async function readBlockNumber(request: RpcRequest): Promise<bigint> {
  return BigInt(String(await request({ method: 'eth_blockNumber', params: [] })));
}
