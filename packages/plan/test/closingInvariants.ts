import assert from 'node:assert/strict';
import {
  acknowledgementOf,
  assetsOf,
  decide,
  depositStep,
  evidenceOf,
  fundsOf,
  lostPartsOf,
  pendingTransactionsOf,
  type Next,
  isOver,
  hasPaidOut,
  lastStep,
  type Plan,
  type PlanCommand,
  swapTransactions,
  unitsOf,
  workOf,
} from '../src/index.ts';
import { wasClosed } from '../src/payout/rules.ts';
import { isDepositMoved } from '../src/book/deposit.ts';
import { isUnknown } from '../src/book/acknowledgement.ts';
import { isSameAsset } from '../src/terms/money.ts';
import { closed } from './planCommands.ts';

const OF_TRANSACTIONS: ReadonlySet<string> = new Set([
  'TRANSACTION_PENDING',
  'TRANSACTION_LOST',
  'TRANSACTION_CONFIRMING',
  'REFUND_LOST',
  // A payment that is held can still be made, although the chain has lost the swap that brought its money.
  'PAYOUT_HELD',
]);

/** Whether a next action is about a transaction that may still be mined or taken back, or about a payment that is held. */
export function waitsForTransaction(action: Next | undefined): boolean {
  return action !== undefined && OF_TRANSACTIONS.has(action.why);
}

/** Asserts that a transaction may still be mined or taken back, or that a payment is held. */
export function assertUnderWay(plan: Plan): void {
  const isOpen = plan.steps.some((step) => !['FINAL', undefined].includes(evidenceOf(step)?.status));
  assert.ok(
    isOpen ||
      lastStep(plan).hold !== undefined ||
      lostPartsOf(plan).length > 0 ||
      depositStep(plan).lostRefunds !== undefined ||
      pendingTransactionsOf(plan).length > 0 ||
      swapTransactions(plan).length > 0,
  );
}

/** Asserts that nothing under way keeps a plan from being closed. */
export function assertClosable(plan: Plan): void {
  const decision = decide(plan, closed(), plan.updatedAtMs);
  const reason = decision.ok ? 'none' : decision.refusal.reason;
  assert.notEqual(reason, 'EXECUTION_PENDING', 'NOTHING_LEFT can be done at once');
}

/** Asserts what holds for every way to and from the end of a plan. */
export function assertEnding(before: Plan, command: PlanCommand, atMs: number, after: Plan): void {
  if (before.ended !== undefined) {
    const allowed = [
      'RECIPIENT_REVEALED',
      'RECORD_READ',
      'EXECUTION_FOUND',
      'EXECUTION_SUBMITTED',
      'EXECUTION_ENDED',
      'EVIDENCE_LOST',
      'NATIVE_SEEN',
      'REFUND_RECORDED',
      'PLAN_ENDED',
      ...(wasClosed(before) ? ['PAYOUT_DONE', 'DELIVERY_REPORTED', 'LINK_MAILED'] : []),
      // What a plan paid comes back, even where the plan expired because the chain lost its deposit and swap.
      ...(wasClosed(before) || hasPaidOut(before) ? ['PAYOUT_RETURNED'] : []),
      ...(before.ended?.reason === 'EXPIRED' ? ['STEP_RETRIED'] : []),
      // A lost refund is waited for after the end, too: what is left is not to be refunded twice.
      ...(depositStep(before).lostRefunds === undefined ? [] : ['TIME_PASSED']),
    ];
    assert.ok(
      allowed.includes(command.type),
      `${command.type} changed a plan that is ${before.ended.reason}`,
    );
  }
  if (after.ended !== before.ended) {
    if (after.ended !== undefined) assert.equal(after.ended.atMs, atMs);
    if (after.ended?.reason === 'CANCELLED')
      assert.ok(command.type === 'PLAN_ENDED' && command.reason === undefined);
    else if (wasClosed(after)) {
      assert.ok(command.type === 'PLAN_ENDED');
      assert.deepEqual([after.ended?.reason, after.ended?.note], [command.reason, command.note]);
    } else if (after.ended?.reason === 'EXPIRED') {
      assert.equal(command.type, 'TIME_PASSED');
      assert.ok(atMs >= before.expiresAtMs && !isDepositMoved(before));
    } else
      assert.ok(
        before.ended?.reason === 'EXPIRED' && command.type === 'STEP_RETRIED',
        `${before.ended?.reason} was undone`,
      );
  }
  if (command.type === 'PLAN_ENDED' && command.reason !== undefined) {
    assert.ok(isOver(after), 'a plan that is closed is over');
    assertAllNamed(after);
    assert.deepEqual(acknowledgementOf(after), [], 'what was left is acknowledged');
    assert.equal(workOf(after), undefined);
  }
  const isDepositRetried = command.type === 'STEP_RETRIED' && command.stepId === depositStep(before).stepId;
  assert.equal(after.expiresAtMs, isDepositRetried ? atMs + before.lifeMs : before.expiresAtMs);
}

/** How much of the payout token a person acknowledged when the plan was closed, and is still there. */
export function namedUnits(plan: Plan): bigint {
  const { unallocated = [] } =
    fundsOf(plan).find(({ asset }) => isSameAsset(asset, assetsOf(plan).target)) ?? {};
  return unallocated.reduce(
    (sum, { reason, amount }) => (reason === 'LEFT_AT_CLOSE' ? sum + unitsOf(amount) : sum),
    0n,
  );
}

/** After a plan was closed, none of its money is still to be used or to be looked at. */
function assertAllNamed(after: Plan): void {
  assert.deepEqual(acknowledgementOf(after), []);
  for (const { outstanding, unallocated } of fundsOf(after)) {
    assert.equal(outstanding, '0', 'what was named is still to be used');
    assert.deepEqual(
      unallocated.filter((entry) => isUnknown(after, entry)),
      [],
      'what was named is still to be looked at',
    );
  }
}
