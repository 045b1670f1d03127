import {
  type Amount,
  amountOf,
  type AwaitDepositStep,
  depositOf,
  depositsAfterSwap,
  depositStep,
  type Hash,
  isLess,
  judgeReportedDeposit,
  movesMoney,
  type Plan,
  type PlanCommand,
  standingMovements,
  sumOf,
  type TransactionFacts,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import { type Acting, done, type Outcome, refuse } from '@fairway/api';
import { compareUpToNow } from '../comparePlan.ts';
import { nativeThere } from '../nativeCurrency.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { mismatch } from '../planProblems.ts';
import { inSource, inTarget } from '../planWords.ts';
import type { StepReport } from '../stepReport.ts';
import { minedFacts, takenOf } from './minedFacts.ts';
import { olderDeposit, olderThere } from './olderDeposit.ts';
import { unfit } from './unfit.ts';

/** The command of a report that the deposit has arrived. `ignored`: transfers that settle something else, by `transferName`. */
export async function depositCommand(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  step: AwaitDepositStep,
  report: StepReport,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanCommand>> {
  const { sender, depositAddress } = plan.options;
  // Everything that comes to an address of the plan's own counts, and without any account no transfer does.
  const isShared = depositAddress === undefined && sender !== undefined;
  const wrong = unfit(step, report, [], ['failure', ...(isShared ? [] : (['logIndex'] as const))]);
  if (wrong !== undefined) return wrong;
  if (depositAddress !== undefined) return observedDeposit(parts, acting, plan, report);
  const { txHash, logIndex, amount = step.expected, occurredAtMs } = report;
  const told = {
    type: 'DEPOSIT_REPORTED',
    stepId: step.stepId,
    ...defined({ occurredAtMs }),
  } as const;
  if (txHash === undefined) return done({ ...told, amount, verification: 'REPORTED', transfers: [] });
  const mined = await minedFacts(parts, plan, txHash);
  if (!mined.ok) return mined;
  if (sender === undefined) return unaddressedDeposit(plan, mined.value, { ...told, amount });
  const taken = takenOf(mined.value, ignored);
  const judged = judgeReportedDeposit(plan, mined.value, sender, { amount: report.amount, logIndex, taken });
  if (!judged.ok) return refuse(mismatch(judged.detail));
  if (!judged.isFinal) return refuse(mismatch(tooFew(plan, mined.value)));
  const received = sumOf(judged.transfers.map((transfer) => transfer.amount));
  if (report.amount !== undefined && report.amount !== received)
    return refuse(
      mismatch(
        `The transaction ${txHash} brought ${inSource(plan, received)}, not ${inSource(plan, report.amount)}: report that amount.`,
      ),
    );
  const { transfers } = judged;
  // Anybody may name an account that received money: the transaction does not prove that the money came for this plan.
  return done({ ...told, amount: received, verification: 'REPORTED', transfers });
}

function tooFew({ corridor }: Plan, { txHash, confirmations }: TransactionFacts): string {
  return `The transaction ${txHash} has ${confirmations} of ${corridor.minConfirmations} confirmations; report it when it has them.`;
}

/**
 * A reported deposit of a plan with neither a deposit address nor a sender. No transfer can be assigned to such a plan,
 * so only this is checked: that the transaction moved enough of the source token.
 */
function unaddressedDeposit(
  { corridor }: Plan,
  { transfers, outcome, txHash }: TransactionFacts,
  told: Omit<Extract<PlanCommand, { type: 'DEPOSIT_REPORTED' }>, 'verification' | 'transfers'>,
): Outcome<PlanCommand> {
  if (outcome === 'REVERTED')
    return refuse(mismatch(`The transaction ${txHash} was reverted: report the one that paid.`));
  const moved = transfers.filter(
    (transfer) => transfer.token === corridor.source.token && movesMoney(transfer),
  );
  const sum = amountOf(moved.reduce((total, { amount }) => total + amount, 0n));
  if (isLess(sum, told.amount))
    return refuse(
      mismatch(
        `The transaction ${txHash} moves ${inSource({ corridor }, sum)}, not ${inSource({ corridor }, told.amount)}: report the transaction that moved it.`,
      ),
    );
  return done({ ...told, verification: 'UNVERIFIABLE', transfers: [] });
}

/**
 * A reported deposit of a plan whose deposit address the service watches. The record of the chain decides, and the plan
 * has what it shows before the report is answered.
 */
async function observedDeposit(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  { txHash, amount }: StepReport,
): Promise<Outcome<PlanCommand>> {
  const compared = await compareUpToNow(parts, acting.scope, plan);
  if (!compared.ok) return compared;
  const { plan: now, moment } = compared.value;
  const after = txHash === undefined ? undefined : depositAfterSwap(now, txHash, amount);
  if (after !== undefined) return after;
  const { stepId } = depositStep(now);
  const { received, transfers } = depositOf(now);
  const named = transfers.filter((transfer) => transfer.txHash === txHash);
  if (txHash !== undefined && named.length === 0) {
    const { readNumber = 0 } = moment;
    const older = await olderDeposit(parts, acting, now, { txHash, amount, readNumber });
    return older ?? notAmong(parts, plan, txHash, readNumber);
  }
  const brought = txHash === undefined ? received : sumOf(named.map((transfer) => transfer.amount));
  if (amount !== undefined && amount !== brought)
    return refuse(
      mismatch(
        `The deposit address has received ${inSource(plan, brought)}, not ${inSource(plan, amount)}: report that amount.`,
      ),
    );
  if (isLess(received, plan.amountIn)) {
    const besides = [await nativeThere(parts, plan), await olderThere(parts, acting, now)].join('');
    return refuse(
      mismatch(
        `The deposit address has received ${inSource(plan, received)} of ${inSource(plan, plan.amountIn)}: report it when all of it is there.${besides}`,
      ),
    );
  }
  return done({ type: 'RECORD_READ', stepId, readNumber: moment.readNumber ?? 0, added: [] });
}

/**
 * The command of a report about a transfer of the payout token after the swap. The report says that it is not money of
 * the plan which the custodian sent on. Undefined for every other transaction.
 */
function depositAfterSwap(
  plan: Plan,
  txHash: Hash,
  amount: Amount | undefined,
): Outcome<PlanCommand> | undefined {
  const transfers = depositsAfterSwap(plan).flatMap(({ transfer, actual }) => {
    if (transfer?.txHash !== txHash || transfer.logIndex === undefined) return [];
    const { to: _to, logIndex, ...place } = transfer;
    return [{ ...place, logIndex, amount: actual }];
  });
  const isRefund = standingMovements(plan).some(
    ({ kind, transfer }) => kind === 'REFUND' && transfer?.txHash === txHash,
  );
  if (transfers.length === 0)
    return isRefund
      ? refuse(mismatch(`The transaction ${txHash} is recorded as a refund of this plan, and is no deposit.`))
      : undefined;
  const brought = sumOf(transfers.map((transfer) => transfer.amount));
  if (amount !== undefined && amount !== brought)
    return refuse(
      mismatch(
        `The transaction ${txHash} brought ${inTarget(plan, brought)}, not ${inTarget(plan, amount)}: report that amount.`,
      ),
    );
  const { stepId } = depositStep(plan);
  return done({ type: 'DEPOSIT_REPORTED', stepId, amount: brought, verification: 'VERIFIED', transfers });
}

/** Why a reported transaction is not among the deposits up to a block: it may be in a newer one, or in none. */
async function notAmong(
  parts: PaymentParts,
  plan: Plan,
  txHash: Hash,
  readNumber: number,
): Promise<Outcome<never>> {
  const mined = await minedFacts(parts, plan, txHash);
  if (!mined.ok) return mined;
  return refuse(
    mismatch(
      mined.value.blockNumber > readNumber
        ? `The transaction ${txHash} was not mined yet when the deposits were read; report it again.`
        : `The transaction ${txHash} brought nothing to the deposit address: report the one that did.`,
    ),
  );
}
