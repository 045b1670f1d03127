import { sleep } from '../connection/waiting.ts';
import { isFairwayError } from '../errors/fairwayError.ts';
import { ExecutionError, UnsafeAnswerError } from '../errors/refusals.ts';
import type { FollowOptions, PaymentPlan, PaymentRequest, Payments } from '../resources/payments.ts';
import { checkSwap } from './checkSwap.ts';
import { assertChain, orderOf } from './executeSwap.ts';
import { addressOf, type CheckedCall } from './order.ts';
import type { Wallet } from './wallet.ts';

/** What is known of a corridor without the service: its tokens, and where the swap pays. */
export type KnownCorridor = {
  readonly source: { readonly chainId: number; readonly address: string };
  readonly target: { readonly address?: string; readonly settlementAddress: string };
};

/** A plan to execute, and what is known of it without the service. */
export type PlanToExecute = {
  readonly planId: string;
  /** The request that the plan was made of, with a floor of the price where tokens are swapped. */
  readonly request: Pick<PaymentRequest, 'amountIn' | 'options'>;
  /** Your own copy: the settlement address is where the money goes. */
  readonly corridor: KnownCorridor;
  /** The router that may be called and approved. Keep it in your configuration. */
  readonly router: string;
};

const EVERY_MS = 2_000;
/** Those whose turn is waited for: what they do comes before the wallet's own part, or is part of it. */
const AWAITED: readonly string[] = ['PAYER', 'SERVICE', 'CHAIN'];

type Next = NonNullable<PaymentPlan['next']>;

/**
 * Executes the wallet's part of a plan, and answers with the plan when somebody else is to act, or nobody. Each transaction
 * of a swap is reported before it is sent, so that another run waits for it and sends none. A run executes one attempt:
 * what the service says after that cannot make it spend again.
 */
export async function executePlanWith(
  wallet: Wallet,
  { payments }: { readonly payments: Payments },
  plan: PlanToExecute,
  options: FollowOptions = {},
): Promise<PaymentPlan> {
  await assertChain(wallet, plan.corridor.source.chainId);
  let executed: string | undefined;
  for (;;) {
    const now = await payments.get(plan.planId, options);
    const { next } = now;
    if (next?.do === 'EXECUTE' && executed === undefined) {
      const calls = await checkedCalls(wallet, next, plan);
      executed = await execute(wallet, payments, { planId: plan.planId, next, calls }, options);
      continue;
    }
    if (next?.do === 'EXECUTE' && next.attemptId !== executed)
      throw new UnsafeAnswerError('CALLS', 'the plan was executed, and the service asks for it once more.');
    if (next?.do !== 'EXECUTE' && !AWAITED.includes(next?.by ?? '')) return now;
    await sleep(options.everyMs ?? EVERY_MS, options.signal);
  }
}

async function checkedCalls(
  wallet: Wallet,
  next: Next,
  { request, corridor, router }: PlanToExecute,
): Promise<readonly CheckedCall[]> {
  const tokenIn = addressOf(corridor.source.address);
  const tokenOut = addressOf(corridor.target.address ?? corridor.source.address);
  const amount = BigInt(request.amountIn);
  const { minAmountOut = tokenIn === tokenOut ? amount : undefined } = request.options;
  if (minAmountOut === undefined)
    throw new TypeError('request.options needs minAmountOut: without it any price would be signed.');
  const order = await orderOf(wallet, {
    chainId: corridor.source.chainId,
    tradeType: 'EXACT_IN',
    tokenIn,
    tokenOut,
    amount,
    limit: { minAmountOut },
    router: addressOf(router),
    sender: addressOf(wallet.address),
    recipient: addressOf(corridor.target.settlementAddress),
    hasTag: true,
  });
  return checkSwap(next.calls ?? [], order).calls;
}

type Execution = { readonly planId: string; readonly next: Next; readonly calls: readonly CheckedCall[] };

/** Sends the calls, and answers with the attempt once all of them have succeeded. */
async function execute(
  wallet: Wallet,
  { steps }: Payments,
  { planId, next, calls }: Execution,
  options: FollowOptions,
): Promise<string> {
  const { stepId, attemptId } = next;
  if (attemptId === undefined) throw new ExecutionError('The plan names no attempt of its calls.');
  for (const [index, call] of calls.entries()) {
    options.signal?.throwIfAborted();
    if (index < calls.length - 1) {
      await wallet.succeeded(await wallet.send(call));
      continue;
    }
    const sender = wallet.address;
    const txHash = await wallet.send(call, async ({ txHash: signed, nonce }) => {
      const told = { outcome: 'SUBMITTED', attemptId, txHash: signed, sender, nonce } as const;
      await steps.report(planId, stepId, told, options);
    });
    await wallet.succeeded(txHash);
    try {
      await steps.report(planId, stepId, { outcome: 'DONE', txHash }, options);
    } catch (error) {
      // The service finds the transaction by itself, and the plan shows it.
      if (!isFairwayError(error)) throw error;
    }
  }
  return attemptId;
}
