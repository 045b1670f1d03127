import {
  type ExecuteSwapStep,
  type Hash,
  isTransferOnly,
  judgeRevertedSwap,
  openAttempt,
  type Plan,
  type PlanCommand,
  type SignedFacts,
  submittedPosition,
} from '@fairway/plan';
import { done, invalidFields, type Outcome, refuse, timestampOf } from '@fairway/api';
import { readSwapFacts } from '../chainFacts.ts';
import { judgeExecution } from '../executions.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { finalBlockTimeMs } from '../finalBlock.ts';
import { CHAIN_AWAY, chainAway, mismatch } from '../planProblems.ts';
import { inTarget } from '../planWords.ts';
import type { StepReport } from '../stepReport.ts';
import { minedFacts, sentFacts } from './minedFacts.ts';
import { unfit } from './unfit.ts';

/** The command of a report about the swap. */
export async function swapCommand(
  parts: PaymentParts,
  plan: Plan,
  step: ExecuteSwapStep,
  report: StepReport,
): Promise<Outcome<PlanCommand>> {
  const { outcome, txHash, failure, amount } = report;
  const needed = outcome === 'DONE' || failure?.code === 'REVERTED' ? (['txHash'] as const) : [];
  const wrong = unfit(step, report, needed, ['providerReference', 'logIndex']) ?? unfitCode(failure);
  if (wrong !== undefined) return wrong;
  const { stepId } = step;
  if (outcome === 'FAILED' && failure !== undefined) {
    if (txHash === undefined) return failedWithoutTransaction(parts, plan, step, failure);
    const mined = await minedFacts(parts, plan, txHash);
    if (!mined.ok) return mined;
    const judged = judgeRevertedSwap(plan, mined.value);
    if (!judged.ok) return refuse(mismatch(judged.detail));
    return done({ type: 'SWAP_FAILED', stepId, failure, verification: 'VERIFIED', txHash });
  }
  if (txHash === undefined)
    throw new Error('A report that a swap is DONE has no txHash, which was checked before.');
  const sent = await sentFacts(parts, plan, txHash, (chain, hash) => readSwapFacts(chain, plan, hash));
  if (!sent.ok) return sent;
  const { value: seen } = sent;
  if (seen.outcome === 'PENDING') return submitted(plan, step, txHash, seen.signed);
  const chain = parts.chains.get(plan.corridor.source.chainId);
  if (chain === undefined) return refuse(CHAIN_AWAY);
  const judged = await judgeExecution(parts, chain, plan, seen.facts);
  if (judged.kind !== 'EXECUTED') return refuse(mismatch(judged.detail));
  const { evidence } = judged.execution;
  if (amount !== undefined && amount !== evidence.amount)
    return refuse(
      mismatch(
        `The transaction ${txHash} brought ${inTarget(plan, evidence.amount)}, not ${inTarget(plan, amount)}: report that amount.`,
      ),
    );
  return done({ type: 'EXECUTION_FOUND', stepId, ...judged.execution });
}

/**
 * The command of a transaction that is told as if it had executed the swap, and that waits to be mined. It counts as
 * submitted: it may still execute the swap, so nobody gets other instructions meanwhile.
 */
function submitted(
  plan: Plan,
  { stepId }: ExecuteSwapStep,
  txHash: Hash,
  signed: SignedFacts | undefined,
): Outcome<PlanCommand> {
  const position = submittedPosition(plan, txHash, signed);
  if (position === undefined)
    return refuse(mismatch('The step has given out no instructions that a transaction could execute.'));
  const by = signed === undefined ? {} : { sender: signed.sender, nonce: signed.nonce };
  return done({ type: 'EXECUTION_SUBMITTED', stepId, position, txHash, ...by });
}

function unfitCode(failure: StepReport['failure']) {
  if (failure === undefined || ['REVERTED', 'INSTRUCTIONS_EXPIRED', 'OTHER'].includes(failure.code))
    return undefined;
  const detail = `code must be REVERTED, INSTRUCTIONS_EXPIRED or OTHER for EXECUTE_SWAP; given ${failure.code}.`;
  return refuse(invalidFields([{ pointer: '/failure/code', detail }]));
}

/**
 * A failure without a transaction. INSTRUCTIONS_EXPIRED is refused while the instructions can still be executed: new
 * instructions beside them could lead to a second swap. The chain's time decides, because a block is what executes.
 */
async function failedWithoutTransaction(
  { chains }: PaymentParts,
  plan: Plan,
  step: ExecuteSwapStep,
  failure: NonNullable<StepReport['failure']>,
): Promise<Outcome<PlanCommand>> {
  const { stepId } = step;
  const failed: PlanCommand = { type: 'SWAP_FAILED', stepId, failure, verification: 'REPORTED' };
  const open = openAttempt(step);
  if (failure.code !== 'INSTRUCTIONS_EXPIRED' || open === undefined) return done(failed);
  if (isTransferOnly(plan.corridor))
    return refuse(
      mismatch(
        'These instructions only transfer: they never expire. Report another failure, or execute them.',
      ),
    );
  const { chainId } = plan.corridor.source;
  const chain = chains.get(chainId);
  const final = chain && (await finalBlockTimeMs(chain, plan));
  if (final?.ok !== true) return refuse(chainAway(final?.away ?? 'UNREACHABLE', chainId));
  if (final.timeMs > open.notAfterMs) return done(failed);
  const until = timestampOf(open.notAfterMs);
  return refuse(
    mismatch(
      `The instructions can be executed until ${until}, and the chain is not past that yet: report it again after that.`,
    ),
  );
}
