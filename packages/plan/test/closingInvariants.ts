import assert from 'node:assert/strict';
import {
  acknowledgementOf,
  decide,
  evidenceOf,
  fundsOf,
  lostPartsOf,
  pendingTransactionsOf,
  type NextAction,
  type Plan,
  swapTransactions,
} from '../src/index.ts';
import { isUnknown } from '../src/acknowledgement.ts';
import { closed } from './planEvents.ts';

const OF_TRANSACTIONS: ReadonlySet<string> = new Set([
  'WAIT_FOR_EXECUTION',
  'FIND_TRANSACTION',
  'CONFIRM_TRANSACTION',
]);

/** Whether a next action is about a transaction that may still be mined or taken back. */
export function waitsForTransaction(action: NextAction | undefined): boolean {
  return action !== undefined && OF_TRANSACTIONS.has(action.what);
}

/** Asserts that a transaction may still be mined or taken back. */
export function assertUnderWay(plan: Plan): void {
  const isOpen = plan.steps.some((step) => !['FINAL', undefined].includes(evidenceOf(step)?.status));
  assert.ok(
    isOpen ||
      lostPartsOf(plan).length > 0 ||
      pendingTransactionsOf(plan).length > 0 ||
      swapTransactions(plan).length > 0,
  );
}

/** Asserts that nothing under way keeps a plan from being closed. */
export function assertClosable(plan: Plan): void {
  const decision = decide(plan, closed(plan), plan.updatedAtMs);
  const reason = decision.ok ? 'none' : decision.refusal.reason;
  assert.notEqual(reason, 'EXECUTION_PENDING', 'CLOSE_PLAN can be done at once');
}

/** After a plan was closed, none of its money is still to be used or to be looked at. */
export function assertAllNamed(after: Plan): void {
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
