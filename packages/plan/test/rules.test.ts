import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ATTEMPTS_AT_WILL,
  depositStep,
  holdsAddress,
  isCancelable,
  nextOf,
  type Plan,
  type PlanEvent,
  planStatus,
  swapStep,
  workOf,
} from '../src/index.ts';
import {
  derived,
  evidence,
  observed,
  paidByReference,
  paidByTransaction,
  payoutFailed,
  payoutReturned,
  reported,
  retried,
  swapFailed,
  swapped,
  transfer,
  withheld,
} from './planEvents.ts';
import { LIFE_MS, MADE_AT_MS, newPlan, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const TIME_PASSED = { type: 'TIME_PASSED' } as const;
const CANCELLED = { type: 'PLAN_CANCELLED' } as const;
const done = [observed(1_000n), derived(), swapped(evidence('s', 'FINAL'), 1)];

function attempts(plan: Plan): readonly string[] {
  return swapStep(plan).attempts.map(({ outcome }) => outcome);
}

test('a STANDARD plan says at each stage from deposit to payout who has to do what', () => {
  const turns = [
    newPlan(),
    planAfter([observed(400n)]),
    planAfter([observed(1_000n, 999n)]),
    planAfter([observed(1_000n)]),
    planAfter([observed(1_000n), withheld('PRICE_BELOW_FLOOR')]),
    planAfter([observed(1_000n), derived()]),
    planAfter([observed(1_000n), derived(), swapped(evidence('s', 'CONFIRMING'), 1)]),
    planAfter(done),
    planAfter([...done, paidByTransaction(evidence('p', 'CONFIRMING'))]),
    planAfter([...done, paidByReference('R1')]),
    planAfter([...done, paidByReference('R1'), payoutReturned('B1')]),
  ];
  assert.deepEqual(turns.map(summary), [
    'ACTION_REQUIRED: PENDING PENDING PENDING; PAYER DEPOSIT_MISSING',
    'ACTION_REQUIRED: READY PENDING PENDING; PAYER DEPOSIT_PARTIAL',
    'IN_PROGRESS: READY PENDING PENDING; CHAIN DEPOSIT_CONFIRMING',
    'IN_PROGRESS: DONE PENDING PENDING; SERVICE INSTRUCTIONS_DUE',
    'IN_PROGRESS: DONE PENDING PENDING; SERVICE PRICE_BELOW_FLOOR',
    'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR SWAP_DUE',
    'IN_PROGRESS: DONE READY PENDING; CHAIN TRANSACTION_CONFIRMING',
    'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE',
    'IN_PROGRESS: DONE DONE READY; CHAIN TRANSACTION_CONFIRMING',
    'COMPLETED: DONE DONE DONE; nothing',
    'RETURNED: DONE DONE DONE; INTEGRATOR MONEY_RETURNED',
  ]);
});

test('instructions have a deadline, after which they are to be refreshed', () => {
  const plan = planAfter([observed(1_000n), derived()]);
  const { notAfterMs } = swapStep(plan).attempts.at(1)!;
  const before = nextOf(plan, { nowMs: notAfterMs - 1 });
  assert.deepEqual([before?.why, before?.deadlineMs], ['SWAP_DUE', notAfterMs]);
  assert.equal(nextOf(plan, { nowMs: notAfterMs })?.why, 'INSTRUCTIONS_EXPIRED');
});

test('after 200 attempts only instructions that the service owes come before the last expired', () => {
  const refreshes = Array.from({ length: ATTEMPTS_AT_WILL - 1 }, (_, index) => derived(`${index}`));
  const plan = planAfter([observed(1_000n), ...refreshes]);
  assert.equal(attempts(plan).length, ATTEMPTS_AT_WILL);
  const { notAfterMs } = swapStep(plan).attempts.at(-1)!;
  const retryAfterMs = notAfterMs - (plan.updatedAtMs + 1_000);
  const detail =
    'The swap was given instructions 200 times; others come when the last have expired. Ask again then.';
  const tooSoon = { reason: 'TOO_SOON', retryAfterMs, detail };
  assert.deepEqual(refusalOf(plan, derived()), tooSoon);
  assert.deepEqual(refusalOf(plan, withheld('PRICE_BELOW_FLOOR')), tooSoon);
  assert.equal(attempts(changedBy(plan, derived(), notAfterMs)).length, ATTEMPTS_AT_WILL + 1);

  const executed = changedBy(plan, swapped(evidence('s', 'CONFIRMING'), 3));
  assert.match(summary(executed), /TRANSACTION_CONFIRMING/);
  const failed = changedBy(plan, swapFailed('f'));
  assert.equal(refusalOf(failed, retried(swapId)).reason, 'TOO_SOON');
  const owed = changedBy(failed, retried(swapId), notAfterMs);
  assert.equal(workOf(owed)?.kind, 'DERIVE_INSTRUCTIONS');
  assert.equal(attempts(changedBy(owed, derived('bb', 'SERVICE'))).at(-1), 'OPEN');

  // The deposit is taken back and comes again: the service derives instructions at any time.
  const again = [observed(0n), observed(1_000n)].reduce((before, event) => changedBy(before, event), plan);
  assert.equal(workOf(again)?.kind, 'DERIVE_INSTRUCTIONS');
  assert.equal(attempts(changedBy(again, derived('bb', 'SERVICE'))).length, ATTEMPTS_AT_WILL + 1);
});

test('an outdated reading of the chain takes back neither a deposit nor its confirmations', () => {
  const at = (headNumber: number, received: bigint, confirmed = received): PlanEvent => ({
    ...(observed(received, confirmed) as Extract<PlanEvent, { type: 'DEPOSIT_OBSERVED' }>),
    headNumber,
  });
  // The deposit is in block 7 and two confirmations are asked for.
  const waiting = planAfter([at(7, 1_000n, 0n)]);
  assertKnown(waiting, at(6, 0n));
  assert.equal(depositStep(changedBy(waiting, at(7, 0n))).status, 'PENDING');
  const confirmed = changedBy(waiting, at(8, 1_000n));
  assert.equal(depositStep(confirmed).status, 'DONE');
  for (const stale of [at(6, 0n), at(7, 0n), at(7, 1_000n, 0n)]) assertKnown(confirmed, stale);
  assert.equal(depositStep(changedBy(confirmed, at(8, 0n))).status, 'PENDING');
});

test('a deposit is PARTIAL, EXACT or OVER by the amount that has arrived', () => {
  const outcomes = [0n, 999n, 1_000n, 1_001n].map((units) => {
    const plan = units === 0n ? planAfter([observed(5n), observed(0n)]) : planAfter([observed(units)]);
    return [depositStep(plan).status, depositStep(plan).outcome];
  });
  assert.deepEqual(outcomes, [
    ['PENDING', undefined],
    ['READY', 'PARTIAL'],
    ['DONE', 'EXACT'],
    ['DONE', 'OVER'],
  ]);
});

test('a plan expires at its time while money is missing, not while confirmations are missing', () => {
  const due = MADE_AT_MS + LIFE_MS;
  assertKnown(newPlan(), TIME_PASSED);
  assert.deepEqual(workOf(newPlan()), { kind: 'PASS_TIME', atMs: due });
  assert.equal(planStatus(changedBy(newPlan(), TIME_PASSED, due)), 'ENDED');
  const partial = changedBy(planAfter([observed(999n)]), TIME_PASSED, due);
  assert.equal(planStatus(partial), 'ACTION_REQUIRED');
  assert.deepEqual(depositStep(partial).failure, {
    code: 'DEPOSIT_EXPIRED',
    detail: 'Received 999 of 1000 in the time the plan had.',
  });
  assert.equal(workOf(planAfter([observed(1_000n, 0n)])), undefined);
});

test('late money is recorded, changes no status, and counts when the deposit is retried', () => {
  const expired = changedBy(newPlan(), TIME_PASSED, MADE_AT_MS + LIFE_MS);
  const late = changedBy(expired, observed(1_000n));
  assert.equal(summary(late), 'ENDED: FAILED PENDING PENDING; INTEGRATOR MONEY_UNEXPLAINED');
  assert.deepEqual([depositStep(late).outcome, depositStep(late).received], ['LATE', '1000']);
  const gone = changedBy(late, observed(0n));
  assert.equal(depositStep(gone).outcome, undefined);
  const opened = changedBy(late, retried(depositId));
  assert.equal(summary(opened), 'IN_PROGRESS: DONE PENDING PENDING; SERVICE INSTRUCTIONS_DUE');
  assert.equal(opened.expiresAtMs, opened.updatedAtMs + LIFE_MS);
  const dropped = changedBy(planAfter([CANCELLED]), observed(1_000n));
  assert.equal(summary(dropped), 'ENDED: PENDING PENDING PENDING; INTEGRATOR MONEY_UNEXPLAINED');
  assert.equal(depositStep(dropped).outcome, 'LATE');
});

test('a plan whose address is proven to be of others keeps its money, and does not wait for more', () => {
  const LOST = { type: 'DEPOSIT_ADDRESS_LOST', fromBlock: 11 } as const;
  const lost = changedBy(planAfter([observed(400n)]), LOST);
  assert.deepEqual(
    [holdsAddress(lost), lost.addressLostFrom, summary(lost)],
    [false, 11, 'ACTION_REQUIRED: READY PENDING PENDING; INTEGRATOR ADDRESS_LOST'],
  );
  const expired = changedBy(lost, TIME_PASSED, MADE_AT_MS + LIFE_MS);
  assert.equal(refusalOf(expired, retried(depositId)).reason, 'STEP_NOT_READY');
  const whole = changedBy(planAfter([observed(1_000n)]), LOST);
  assert.equal(summary(whole), 'IN_PROGRESS: DONE PENDING PENDING; SERVICE INSTRUCTIONS_DUE');
});

test('a deposit that shrinks after the end of the plan is not called LATE', () => {
  const partial = changedBy(planAfter([observed(400n)]), TIME_PASSED, MADE_AT_MS + LIFE_MS);
  assert.equal(depositStep(changedBy(partial, observed(300n))).outcome, 'PARTIAL');
  assert.equal(depositStep(changedBy(partial, observed(400n, 400n, 'y'))).outcome, 'PARTIAL');
  assert.equal(depositStep(changedBy(partial, observed(500n))).outcome, 'LATE');
});

test('a cancelled plan cannot be opened again, even if it had failed before', () => {
  const failed = changedBy(planAfter([observed(400n)]), TIME_PASSED, MADE_AT_MS + LIFE_MS);
  const plan = changedBy(changedBy(failed, observed(0n)), CANCELLED);
  assert.deepEqual(refusalOf(plan, retried(depositId)), {
    reason: 'STEP_NOT_READY',
    detail: 'The plan is ENDED (CANCELLED). It stays so: another payment needs a new plan.',
  });
  assertKnown(plan, CANCELLED);
});

test('a plan can be cancelled only before money is seen or reported', () => {
  assert.equal(isCancelable(newPlan()), true);
  for (const event of [observed(1n), observed(1_000n, 0n), reported(1_000n)])
    assert.equal(isCancelable(planAfter([event])), false);
  const expired = changedBy(newPlan(), TIME_PASSED, MADE_AT_MS + LIFE_MS);
  assert.deepEqual(refusalOf(expired, CANCELLED), {
    reason: 'STEP_NOT_READY',
    detail: 'The plan is ENDED (EXPIRED). Send POST …/again to open it again.',
  });
  assert.deepEqual(refusalOf(changedBy(expired, observed(400n)), CANCELLED), {
    reason: 'REASON_MISSING',
    detail: 'Money is left: say in reason why the plan ends.',
  });
});

test('a deposit is reported once: the same report changes nothing, another one is refused', () => {
  const plan = planAfter([observed(1_000n)]);
  assertKnown(plan, reported(1_000n));
  assertKnown(plan, reported(1_000n, depositStep(plan).transfers));
  for (const other of [reported(1_200n), reported(1_000n, [transfer('e', depositStep(plan).received)])])
    assert.equal(refusalOf(plan, other).reason, 'STEP_NOT_READY');
});

test('only a retry takes a failure back, and only the attempt keeps it', () => {
  const swapDown = planAfter([observed(1_000n), derived(), swapFailed('f')]);
  assert.equal(refusalOf(swapDown, swapped(evidence('s', 'FINAL'), 1)).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(swapDown, derived()).reason, 'STEP_NOT_READY');
  const swapUp = changedBy(swapDown, retried(swapId));
  assert.equal(summary(swapUp), 'IN_PROGRESS: DONE READY PENDING; SERVICE INSTRUCTIONS_DUE');
  assert.deepEqual([swapStep(swapUp).failure, swapStep(swapUp).verification], [undefined, undefined]);
  assert.deepEqual(attempts(swapUp), ['SUPERSEDED', 'FAILED']);
  const payoutDown = planAfter([...done, payoutFailed('R1')]);
  for (const paid of [paidByReference('R2'), paidByTransaction(evidence('p', 'FINAL'))])
    assert.equal(refusalOf(payoutDown, paid).reason, 'STEP_NOT_READY');
  const payoutUp = changedBy(payoutDown, retried(lastId));
  assert.equal(summary(payoutUp), 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE');
  assert.deepEqual([payoutUp.steps[2]?.failure, payoutUp.steps[2]?.verification], [undefined, undefined]);
});

test('a failure that was reported before a retry does not fail the next attempt', () => {
  const swap = planAfter([observed(1_000n), derived(), swapFailed('f'), retried(swapId), derived('cc')]);
  assertKnown(swap, swapFailed('f'));
  assert.equal(planStatus(changedBy(swap, swapFailed('g'))), 'ACTION_REQUIRED');
  const payout = planAfter([...done, payoutFailed('R1'), retried(lastId)]);
  assertKnown(payout, payoutFailed('R1'));
  const again = changedBy(payout, payoutFailed('R2'));
  assert.equal(planStatus(again), 'ACTION_REQUIRED');
  assert.equal(planStatus(changedBy(payout, payoutFailed())), 'ACTION_REQUIRED');
});

test('new instructions replace the older ones, and so does withholding instructions', () => {
  const plan = planAfter([observed(1_000n), derived('bb'), derived('cc')]);
  assert.deepEqual(attempts(plan), ['SUPERSEDED', 'SUPERSEDED', 'OPEN']);
  const without = changedBy(plan, withheld('NOT_DERIVABLE'));
  assert.deepEqual(attempts(without), ['SUPERSEDED', 'SUPERSEDED', 'SUPERSEDED']);
  assert.equal(summary(without), 'IN_PROGRESS: DONE PENDING PENDING; SERVICE INSTRUCTIONS_DUE');
  assertKnown(without, withheld('NOT_DERIVABLE'));
  const given = changedBy(without, derived('dd'));
  assert.equal(swapStep(given).withheld, undefined);
});

test('instructions that the service derived too late replace none that the integrator asked for', () => {
  assertKnown(planAfter([observed(1_000n), derived('bb')]), derived('cc', 'SERVICE'));
  const tooLate = { ...withheld('PRICE_BELOW_FLOOR'), askedBy: 'SERVICE' } as PlanEvent;
  assertKnown(planAfter([observed(1_000n), derived('bb')]), tooLate);
  const given = planAfter([observed(1_000n), derived('bb', 'SERVICE')]);
  assert.equal('askedBy' in swapStep(given).attempts.at(-1)!, false);
});

test('the payout is due with the amount that the swap really brought', () => {
  const plan = planAfter([observed(1_000n), derived(), swapped(evidence('s', 'FINAL', 1_493n), 1)]);
  const last = plan.steps[2];
  assert.ok(last?.type === 'CUSTODIAN_PAYOUT');
  assert.deepEqual(last.asset, { amount: '1493', isFinal: true });
  assert.equal(last.readyAtMs, plan.updatedAtMs);
  assert.equal(planStatus(changedBy(plan, paidByTransaction(evidence('p', 'FINAL', 1_493n)))), 'COMPLETED');
});

test('a transaction that pays less than is due is not the payout', () => {
  assert.deepEqual(refusalOf(planAfter(done), paidByTransaction(evidence('p', 'FINAL', 1_499n))), {
    reason: 'EVIDENCE_MISMATCH',
    detail:
      'The transaction paid 1499 to the recipient, 1500 is due. Report the transaction that paid what is due.',
  });
});

test('a payout that is being confirmed takes no other report', () => {
  const plan = planAfter([...done, paidByTransaction(evidence('p', 'CONFIRMING'))]);
  assert.equal(refusalOf(plan, paidByReference('R1')).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(plan, paidByTransaction(evidence('q', 'FINAL'))).reason, 'STEP_NOT_READY');
  assert.equal(refusalOf(plan, payoutFailed('R1')).reason, 'EVIDENCE_MISMATCH');
});

test('a return is known by its reference, or without one by its amount and time', () => {
  const plan = planAfter([...done, paidByReference('R1'), payoutReturned('B1', 700n)]);
  assertKnown(plan, payoutReturned('B1'));
  const otherwise = refusalOf(plan, payoutReturned('B1', 600n));
  assert.equal(otherwise.reason, 'EVIDENCE_MISMATCH');
  assert.match('detail' in otherwise ? otherwise.detail : '', /amount 700, this report says 600/);
  const more = changedBy(changedBy(plan, payoutReturned(undefined, 300n)), payoutReturned(undefined, 200n));
  assertKnown(more, payoutReturned(undefined, 300n));
  assert.deepEqual(
    more.returns.map(({ amount }) => amount),
    ['700', '300', '200'],
  );
  assert.equal(planStatus(more), 'RETURNED');
});

test('the time of a plan does not go back when the clock does', () => {
  const plan = changedBy(newPlan(), observed(400n), MADE_AT_MS - 5_000);
  assert.equal(plan.updatedAtMs, MADE_AT_MS);
});
