import { type Amount, amountOf, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { defined } from '../terms/defined.ts';
import type { PlanEvent } from '../plan/events.ts';
import { payableOf } from '../book/funds.ts';
import { partsOf, paymentsOf } from '../book/payoutPayments.ts';
import { begunTurn, lastStep } from '../book/payoutTurn.ts';
import { evidenceOf, swapStep, without, withStep } from '../plan/planSteps.ts';
import { isToBePaid } from './refundRules.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { PayingStep, Plan } from '../plan/types.ts';

/** Whether what is due is counted again after an event, because the chain or a correction showed other money to be there. */
export function isRecounted(event: PlanEvent): boolean {
  return ['EVIDENCE_LOST', 'SWAP_EVIDENCED', 'EXECUTION_FOUND', 'PAYOUT_REPORTED'].includes(event.type);
}

/**
 * The plan with the amount that its ledger says is to be paid out as the amount that is due. A reorganisation can
 * change it: a refund, a part that was paid, or the money that was refunded can be gone.
 */
export function recounted(plan: Plan, atMs: TimeMs): Plan {
  const step = lastStep(plan);
  if (step === undefined || !step.asset.isFinal || !isToBePaid(plan)) return plan;
  const { evidence } = swapStep(plan);
  if (evidence?.status !== 'FINAL') return plan;
  const [payable, left] = [payableOf(plan), leftToPay(plan, step)];
  if (payable === (left > 0n ? left : 0n)) return plan;
  const [due, brought] = [unitsOf(step.asset.amount) + payable - left, unitsOf(evidence.amount)];
  const { payout } = step;
  const spent = brought > due ? amountOf(brought - due) : ZERO;
  const paid = payout?.paid === undefined ? undefined : partsPaid(plan);
  const turn = { ...without(begunTurn(plan, atMs), 'paid'), spent, ...defined({ paid }) };
  return withStep(plan, { ...step, asset: { ...step.asset, amount: amountOf(due) }, payout: turn });
}

/**
 * What is due less what the ledger has as paid; below zero where more was paid. A delivery that was sent is on the ledger
 * when its transaction is known.
 */
function leftToPay(plan: Plan, step: PayingStep): bigint {
  const { paid, deducted } = paymentsOf(plan, step);
  const evidence = evidenceOf(step);
  const isPaid = evidence !== undefined && evidence.status !== 'LOST';
  const sent = isPaid ? unitsOf(evidence.amount) : 0n;
  return unitsOf(step.asset.amount) - unitsOf(paid) - unitsOf(deducted) - sent;
}

/** What the transactions that paid a part have paid; undefined when none of them stands. */
function partsPaid(plan: Plan): Amount | undefined {
  const paid = sumOf(partsOf(plan).map(({ actual }) => actual));
  return paid === ZERO ? undefined : paid;
}
