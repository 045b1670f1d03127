import assert from 'node:assert/strict';
import {
  collectStep,
  evidenceOf,
  type Hold,
  needsApproval,
  nextOf,
  type Plan,
  type PlanCommand,
} from '../src/index.ts';
import { underWay } from '../src/ending/closing.ts';
import { lastStep } from '../src/plan/steps.ts';

/** The hold of the payment of a plan. */
export function holdOf(plan: Plan): Hold | undefined {
  return lastStep(plan)?.hold;
}

/**
 * Asserts the rules for the hold of a payment after every change. Only a report makes a hold, and only commands about
 * its payment end it.
 */
export function assertHoldChange(before: Plan, command: PlanCommand, after: Plan): void {
  const [was, is] = [holdOf(before), holdOf(after)];
  if (command.type === 'PAYOUT_HELD')
    assert.deepEqual({ ...is, ...command.hold }, is, 'the hold that was told');
  else if (is !== undefined) assert.deepEqual(is, was, `${command.type} made a hold`);
  if (is !== undefined) assertHeld(after);
  else if (was !== undefined) assert.ok(isEnded(command, after), `${command.type} ended a hold`);
}

/** Whether a command ends a hold: it tells of the payment, or the payment cannot be made any more. */
function isEnded(command: PlanCommand, after: Plan): boolean {
  const last = lastStep(after);
  if (['PAYOUT_DONE', 'PAYOUT_REPORTED', 'DELIVERY_REPORTED', 'PAYOUT_FAILED'].includes(command.type))
    return true;
  return after.ended !== undefined || evidenceOf(last) !== undefined || command.type === 'PAYOUT_RETURNED';
}

/** What is held is not paid, rests on no transaction, and keeps the plan from being closed; the plan says what to do. */
function assertHeld(plan: Plan): void {
  const last = lastStep(plan);
  assert.equal(plan.ended, undefined);
  assert.equal(evidenceOf(last), undefined);
  const status = collectStep(plan)?.delivery?.status ?? last.status;
  assert.ok(['READY', 'PENDING', 'SENT'].includes(status), `held and ${status}`);
  assert.notEqual(underWay(plan), undefined, 'a payment that is held may still be made');
  const what = nextOf(plan, { nowMs: plan.updatedAtMs })?.why ?? '';
  assert.ok(
    !['PAYOUT_DUE', 'PAYMENT_SENT', 'PAYMENT_UNCLEAR', 'NOTHING_LEFT'].includes(what),
    `held and ${what}`,
  );
  if (!needsApproval(plan)) assert.notEqual(what, 'NOT_APPROVED');
}
