import { toAddress } from '@fairway/engine';
import { leastOutput } from '@fairway/evm';
import {
  type Amount,
  amountOf,
  type DerivedInstructions,
  type ForgottenExecution,
  type FoundExecution,
  type FurtherExecution,
  type Hash,
  isTransferOnly,
  isUntraced,
  judgeForgotten,
  judgeSwap,
  needsCalls,
  NO_DEADLINE_MS,
  type Plan,
  standingMovements,
  swapStep,
  type TransactionFacts,
  unitsOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { keptRouteOf } from './keptRoute.ts';
import { eip55, timestampOf } from '@fairway/api';
import type { PaymentParts } from './paymentParts.ts';
import { forgottenRules } from './planTags.ts';

/**
 * What a mined transaction did for a plan. UNTRACED: it may have executed instructions, but no node tells which calls it
 * made. `detail` says why it executed none.
 */
export type JudgedExecution =
  | { readonly kind: 'EXECUTED'; readonly execution: FoundExecution }
  | { readonly kind: 'OTHER' | 'UNTRACED'; readonly detail: string };

/**
 * Judges whether a transaction executed instructions of a plan. These can be instructions that the plan has lost, when an older
 * database was restored. If the plan does not know the execution yet, one more amount is read from the chain. It is what the
 * route would have brought at the end of the block before.
 */
export async function judgeExecution(
  parts: Pick<PaymentParts, 'store'>,
  chain: ChainService,
  plan: Plan,
  facts: TransactionFacts,
): Promise<JudgedExecution> {
  const judged = judgeFacts(parts, chain, plan, facts);
  if (judged.kind !== 'EXECUTED') return judged;
  return { kind: 'EXECUTED', execution: await withMarketAmount(chain, plan, judged.execution) };
}

/** Whether the plan has the movements of a transaction in a block. */
export function isKnownExecution(plan: Plan, txHash: Hash, blockHash: Hash): boolean {
  return standingMovements(plan).some(
    ({ kind, transfer }) =>
      kind === 'SWAP_IN' && transfer?.txHash === txHash && transfer.blockHash === blockHash,
  );
}

async function withMarketAmount(
  chain: ChainService,
  plan: Plan,
  execution: FoundExecution,
): Promise<FoundExecution> {
  const { txHash, blockHash } = execution.evidence;
  const attempt = swapStep(plan).attempts[execution.position];
  const route = attempt === undefined ? undefined : keptRouteOf(attempt.quote);
  if (route === undefined || isKnownExecution(plan, txHash, blockHash)) return execution;
  const brought = await chain.readRoute(blockHash, route);
  return brought === undefined ? execution : { ...execution, marketAmount: amountOf(brought) };
}

function judgeFacts(
  parts: Pick<PaymentParts, 'store'>,
  chain: ChainService,
  plan: Plan,
  facts: TransactionFacts,
): JudgedExecution {
  const judged = judgeSwap(plan, facts);
  const told = defined({ gas: facts.gas });
  if (judged.ok) {
    const { attemptIndex: position, evidence, amountIn, others } = judged;
    return { kind: 'EXECUTED', execution: { position, evidence, amountIn, ...told, ...furtherOf(others) } };
  }
  const { detail } = judged;
  const rules = forgottenRules(parts, chain, plan);
  const lost = judgeForgotten(plan, facts, rules);
  if (lost.ok) {
    const { position, evidence, amountIn, others } = lost;
    const forgotten = instructionsOf(plan, lost, facts);
    const execution = { position, evidence, amountIn, ...told, forgotten, ...furtherOf(others) };
    return { kind: 'EXECUTED', execution };
  }
  const isUnclear = needsCalls(plan, facts) && isUntraced(plan, facts, rules);
  return { kind: isUnclear ? 'UNTRACED' : 'OTHER', detail };
}

/** The further executions as the command tells them; no member when there are none. */
function furtherOf(others: readonly FurtherExecution[]): Pick<FoundExecution, 'others'> {
  return others.length === 0 ? {} : { others };
}

/** The instructions that were lost, as far as the chain tells them: the call, what it brought, and when. */
function instructionsOf(
  plan: Plan,
  { call, minAmountOut, evidence }: ForgottenExecution,
  { blockNumber, blockTimeMs }: TransactionFacts,
): DerivedInstructions {
  const { source, target } = plan.corridor;
  const { slippageBps } = plan.options;
  const timestamp = timestampOf(blockTimeMs);
  const isTransfer = isTransferOnly(plan.corridor);
  const constraints = { maxSlippageBps: isTransfer ? 0 : slippageBps };
  const to = eip55(toAddress(call.to));
  return {
    instructions: [
      { kind: 'EVM_CALL', chainId: source.chainId, to, data: call.input, value: '0', constraints },
    ],
    quote: {
      asOf: { timestamp, blockNumber },
      expiresAt: timestamp,
      chainId: source.chainId,
      tokenIn: eip55(toAddress(source.token)),
      tokenOut: eip55(toAddress(target.token)),
      tradeType: 'EXACT_IN',
      amountIn: plan.amountIn,
      amountOut: evidence.amount,
    },
    amountOut: evidence.amount,
    minAmountOut: leastOf(call.input, minAmountOut, evidence.amount),
    notAfterMs: isTransfer ? NO_DEADLINE_MS : blockTimeMs,
  };
}

/** The hexadecimal digits of the tag that is behind a call. */
const TAG_DIGITS = 32;

/**
 * The minimum that lost instructions had, as their calldata says it. `required`: what they had to bring to be judged as the
 * plan's. It is used when the calldata says less than that, or more than came.
 */
function leastOf(input: string, required: Amount, brought: Amount): Amount {
  const told = leastOutput(input.slice(0, -TAG_DIGITS) as `0x${string}`);
  return told === undefined || told < unitsOf(required) || told > unitsOf(brought)
    ? required
    : amountOf(told);
}
