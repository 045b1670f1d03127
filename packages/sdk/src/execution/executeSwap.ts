import { UnsafeAnswerError } from '../errors/refusals.ts';
import type { CallOptions } from '../connection/connection.ts';
import type { Quote } from '../resources/quotes.ts';
import type { SwapPlan, SwapRequest, Swaps } from '../resources/swaps.ts';
import { checkSwap } from './checkSwap.ts';
import { addressOf, type CheckedCall, type Limit, NATIVE, type Order } from './order.ts';
import type { Wallet } from './wallet.ts';

/** A swap to execute, and what is known of it without the service. */
export type SwapToExecute = {
  readonly trade: SwapRequest;
  readonly limit: Limit;
  /** The router that may be called and approved. Keep it in your configuration. */
  readonly router: string;
};

/** A swap that was executed. */
export type ExecutedSwap = {
  /** What was quoted for it. */
  readonly quote: Quote;
  /** The transaction of the swap. */
  readonly txHash: `0x${string}`;
  /** All transactions in their order: approvals, then the swap. */
  readonly txHashes: readonly `0x${string}`[];
};

/** For how long calldata can be executed where the request names no deadline, and what clocks may differ by. */
const LIFE_SECONDS = 20n * 60n;
const CLOCK_SECONDS = 120n;

/** `WETH9()` of the router. */
const WRAPPED_NATIVE = '0x4aa4a4fc';

/** Asks for a swap, checks it against the request, and executes it call by call. */
export async function executeSwapWith(
  wallet: Wallet,
  { swaps }: { readonly swaps: Swaps },
  { trade, limit, router }: SwapToExecute,
  options?: CallOptions,
): Promise<ExecutedSwap> {
  await assertChain(wallet, trade.chainId);
  const plan = await swaps.plan({ ...trade, sender: trade.sender ?? wallet.address }, options);
  const calls = await checkSwapPlan(wallet, plan, { trade, limit, router });
  const txHashes: `0x${string}`[] = [];
  for (const call of calls) {
    options?.signal?.throwIfAborted();
    const txHash = await wallet.send(call);
    txHashes.push(txHash as `0x${string}`);
    await wallet.succeeded(txHash);
  }
  return { quote: plan.quote, txHash: txHashes.at(-1) ?? '0x', txHashes };
}

/** The wallet and the node have to be on the chain of the request. */
export async function assertChain(wallet: Wallet, chainId: number): Promise<void> {
  for (const found of await wallet.chainIds())
    if (found !== chainId)
      throw new UnsafeAnswerError('CHAIN', `the wallet or the node is on chain ${found}, not ${chainId}.`);
}

/** A wallet before it signs: what a check needs of it, and of the caller's own node. */
export type Checker = Pick<Wallet, 'address' | 'latestSeconds' | 'read'>;

/**
 * Takes the instructions of a plan apart, and compares all that they do with the trade and its limit.
 * @throws UnsafeAnswerError when they do anything else, or more.
 *
 * @example
 * ```ts
 * import { type Checker, checkSwapPlan, type SwapToExecute } from '@fairway/sdk/execution';
 * import type { SwapPlan } from '@fairway/sdk/swaps';
 *
 * declare const wallet: Checker;
 * declare const plan: SwapPlan;
 * declare const swap: SwapToExecute;
 * const calls = await checkSwapPlan(wallet, plan, swap);
 * ```
 */
export async function checkSwapPlan(
  wallet: Checker,
  { quote, instructions = [] }: SwapPlan,
  { trade, limit, router }: SwapToExecute,
): Promise<readonly CheckedCall[]> {
  const sender = addressOf(wallet.address);
  if (trade.sender !== undefined && addressOf(trade.sender) !== sender)
    throw new TypeError(`trade.sender is ${trade.sender}, and the wallet ${wallet.address}.`);
  const order = await orderOf(wallet, {
    chainId: trade.chainId,
    tradeType: trade.tradeType,
    tokenIn: addressOf(trade.tokenIn),
    tokenOut: addressOf(trade.tokenOut),
    amount: BigInt(trade.amount),
    limit,
    router: addressOf(router),
    sender,
    recipient: trade.recipient === undefined ? sender : addressOf(trade.recipient),
    hasTag: false,
  });
  const lastSeconds =
    trade.deadline === undefined ? order.lastSeconds : BigInt(Math.ceil(Date.parse(trade.deadline) / 1000));
  if (BigInt(Math.ceil(Date.parse(quote.expiresAt) / 1000)) <= order.nowSeconds)
    throw new UnsafeAnswerError('EXPIRED', 'the quote has expired.');
  return checkSwap(instructions, { ...order, lastSeconds }).calls;
}

/** An order with what the caller's own node says. */
export async function orderOf(
  wallet: Checker,
  known: Omit<Order, 'nowSeconds' | 'lastSeconds' | 'wrappedNative'>,
): Promise<Order> {
  const nowSeconds = await wallet.latestSeconds();
  const isNative = [known.tokenIn, known.tokenOut].includes(NATIVE);
  const wrapped = isNative ? await wallet.read(known.router, WRAPPED_NATIVE) : undefined;
  return {
    ...known,
    nowSeconds,
    lastSeconds: nowSeconds + LIFE_SECONDS + CLOCK_SECONDS,
    wrappedNative: wrapped === undefined ? undefined : `0x${wrapped.slice(-40).toLowerCase()}`,
  };
}
