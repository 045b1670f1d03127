import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DerivedInstructions,
  amountOf,
  depositOf,
  depositStep,
  holdsAddress,
  isCancelable,
  nextOf,
  type Plan,
  type PlanCommand,
  planStatus,
  swapStep,
  workOf,
  payoutOf,
} from '../src/index.ts';
import { ATTEMPTS_AT_WILL } from '../src/swap/rules.ts';
import {
  closed,
  confirmedAt,
  depositGone,
  derived,
  evidence,
  executed,
  observed,
  otherwise,
  paidByReference,
  paidByTransaction,
  payoutFailed,
  payoutReturned,
  recorded,
  recordedTransfer,
  reported,
  retried,
  swapFailed,
  transfer,
  withheld,
} from './planCommands.ts';
import { LIFE_MS, MADE_AT_MS, newPlan, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const TIME_PASSED = { type: 'TIME_PASSED' } as const;
const CANCELLED = { type: 'PLAN_ENDED', force: false } as const;
const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];

function attempts(plan: Plan): readonly string[] {
  return swapStep(plan).attempts.map(({ outcome }) => outcome);
}

test('a STANDARD plan says at each stage from deposit to payout who has to do what', () => {
  const turns = [
    newPlan(),
    planAfter([observed(400n)]),
    planAfter([recorded([recordedTransfer('d', 999n), recordedTransfer('e', 1n, { blockNumber: 8 })])]),
    planAfter([observed(1_000n)]),
    planAfter([observed(1_000n), withheld('PRICE_BELOW_FLOOR')]),
    planAfter([observed(1_000n), derived()]),
    planAfter([observed(1_000n), derived(), executed(evidence('s', 'CONFIRMING'), 1)]),
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
  const refreshes = Array.from({ length: ATTEMPTS_AT_WILL - 1 }, (_, index) => otherwise(derived(), index));
  const plan = planAfter([observed(1_000n), ...refreshes]);
  assert.equal(attempts(plan).length, ATTEMPTS_AT_WILL);
  const { notAfterMs } = swapStep(plan).attempts.at(-1)!;
  const retryAfterMs = notAfterMs - (plan.updatedAtMs + 1_000);
  const detail =
    'The swap was given instructions 200 times; others come when the last have expired. Ask again then.';
  const tooSoon = { reason: 'TOO_SOON', retryAfterMs, detail };
  assert.deepEqual(refusalOf(plan, otherwise(derived())), tooSoon);
  assert.deepEqual(refusalOf(plan, withheld('PRICE_BELOW_FLOOR')), tooSoon);
  assert.equal(attempts(changedBy(plan, derived(), notAfterMs)).length, ATTEMPTS_AT_WILL + 1);

  const swapped = changedBy(plan, executed(evidence('s', 'CONFIRMING'), 3));
  assert.match(summary(swapped), /TRANSACTION_CONFIRMING/);
  const failed = changedBy(plan, swapFailed('f'));
  assert.equal(refusalOf(failed, retried(swapId)).reason, 'TOO_SOON');
  const owed = changedBy(failed, retried(swapId), notAfterMs);
  assert.equal(workOf(owed)?.kind, 'DERIVE_INSTRUCTIONS');
  assert.equal(attempts(changedBy(owed, derived('bb', 'SERVICE'))).at(-1), 'OPEN');

  // The deposit is taken back and comes again: the service derives instructions at any time.
  const again = [depositGone(), observed(1_000n)].reduce(
    (before, command) => changedBy(before, command),
    plan,
  );
  assert.equal(workOf(again)?.kind, 'DERIVE_INSTRUCTIONS');
  assert.equal(attempts(changedBy(again, derived('bb', 'SERVICE'))).length, ATTEMPTS_AT_WILL + 1);
});

test('an outdated reading of the chain takes back neither a deposit nor its confirmations', () => {
  // The deposit is in block 7 and two confirmations are asked for.
  const waiting = planAfter([observed(1_000n, false)]);
  assertKnown(waiting, confirmedAt(6));
  const confirmed = changedBy(waiting, confirmedAt(8));
  assert.equal(depositStep(confirmed).status, 'DONE');
  for (const stale of [confirmedAt(6), observed(1_000n, false)]) assertKnown(confirmed, stale);
  assert.equal(depositStep(changedBy(confirmed, depositGone())).status, 'PENDING');
});

test('a deposit is PARTIAL, EXACT or OVER by the amount that has arrived', () => {
  const outcomes = [0n, 999n, 1_000n, 1_001n].map((units) => {
    const plan = units === 0n ? planAfter([observed(5n), depositGone()]) : planAfter([observed(units)]);
    return [depositStep(plan).status, depositOf(plan).outcome];
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
  assert.equal(workOf(planAfter([observed(1_000n, false)])), undefined);
});

test('late money is recorded, changes no status, and counts when the deposit is retried', () => {
  const expired = changedBy(newPlan(), TIME_PASSED, MADE_AT_MS + LIFE_MS);
  const late = changedBy(expired, observed(1_000n));
  assert.equal(summary(late), 'ENDED: FAILED PENDING PENDING; INTEGRATOR MONEY_UNEXPLAINED');
  assert.deepEqual([depositOf(late).outcome, depositOf(late).received], ['LATE', '1000']);
  const gone = changedBy(late, depositGone());
  assert.equal(depositOf(gone).outcome, undefined);
  const opened = changedBy(late, retried(depositId));
  assert.equal(summary(opened), 'IN_PROGRESS: DONE PENDING PENDING; SERVICE INSTRUCTIONS_DUE');
  assert.equal(opened.expiresAtMs, opened.updatedAtMs + LIFE_MS);
  const dropped = changedBy(planAfter([CANCELLED]), observed(1_000n));
  assert.equal(summary(dropped), 'ENDED: PENDING PENDING PENDING; INTEGRATOR MONEY_UNEXPLAINED');
  assert.equal(depositOf(dropped).outcome, 'LATE');
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
  const parts = recorded([recordedTransfer('d', 100n), recordedTransfer('e', 300n)]);
  const partial = changedBy(planAfter([parts]), TIME_PASSED, MADE_AT_MS + LIFE_MS);
  const less = changedBy(partial, depositGone());
  assert.deepEqual([depositOf(less).received, depositOf(less).outcome], ['300', 'PARTIAL']);
  assert.equal(depositOf(changedBy(less, observed(100n, true, 'y'))).outcome, 'LATE');
});

test('a cancelled plan cannot be opened again, even if it had failed before', () => {
  const failed = changedBy(planAfter([observed(400n)]), TIME_PASSED, MADE_AT_MS + LIFE_MS);
  const plan = changedBy(changedBy(failed, depositGone()), CANCELLED);
  assert.deepEqual(refusalOf(plan, retried(depositId)), {
    reason: 'STEP_NOT_READY',
    detail: 'The plan is ENDED (CANCELLED). It stays so: another payment needs a new plan.',
  });
  assertKnown(plan, CANCELLED);
});

test('a plan can be cancelled only before money is seen or reported', () => {
  assert.equal(isCancelable(newPlan()), true);
  for (const command of [observed(1n), observed(1_000n, false), reported(1_000n)])
    assert.equal(isCancelable(planAfter([command])), false);
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
  assertKnown(plan, reported(1_000n, depositOf(plan).transfers));
  assert.equal(refusalOf(plan, reported(1_200n)).reason, 'STEP_NOT_READY');
  const other = reported(1_000n, [transfer('e', depositOf(plan).received)]);
  assert.equal(refusalOf(plan, other).reason, 'EVIDENCE_MISMATCH');
});

test('the transaction of a deposit that was told without one takes the place of the word', () => {
  const told = planAfter([reported(1_000n)]);
  const evidenceOf = (letter: string, units: bigint) => reported(units, [transfer(letter, amountOf(units))]);
  assert.equal(refusalOf(told, evidenceOf('d', 999n)).reason, 'EVIDENCE_MISMATCH', 'less than was said');
  const shown = changedBy(told, evidenceOf('d', 1_000n));
  const { received, confirmed, transfers } = depositOf(shown);
  assert.deepEqual([received, confirmed, transfers.length], ['1000', '1000', 1]);
  assert.equal(summary(shown), summary(told));
  assert.equal(depositOf(changedBy(told, evidenceOf('d', 1_200n))).outcome, 'OVER');
  assertKnown(shown, evidenceOf('d', 1_000n));
  assert.equal(refusalOf(shown, evidenceOf('e', 1_000n)).reason, 'EVIDENCE_MISMATCH');
  const over = changedBy(told, closed());
  assert.equal(refusalOf(over, evidenceOf('d', 1_000n)).reason, 'STEP_NOT_READY', 'an end is final');
});

test('only a retry takes a failure back, and only the attempt keeps it', () => {
  const swapDown = planAfter([observed(1_000n), derived(), swapFailed('f')]);
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

test('instructions replace older ones that cannot be executed, and so does withholding them', () => {
  const ready = planAfter([observed(1_000n), derived('bb')]);
  const { notAfterMs } = swapStep(ready).attempts[1] ?? assert.fail();
  const fresh = derived('cc');
  assert.ok(fresh.type === 'INSTRUCTED' && 'derived' in fresh);
  const [call] = fresh.derived.instructions;
  const other = (changes: Partial<DerivedInstructions>): PlanCommand => ({
    ...fresh,
    derived: { ...fresh.derived, ...changes },
  });
  assert.ok(call);
  const approval = { ...call, to: `0x${'07'.repeat(20)}` as const };
  // The price is as it is, or the wallet has made the approvals: whoever lost an answer asks again.
  assertKnown(ready, fresh);
  assertKnown(ready, { ...other({ amountOut: amountOf(1_490n) }), force: true } as PlanCommand);
  assertKnown(ready, other({ instructions: [approval, { ...call, to: approval.to }] }));
  for (const command of [
    otherwise(fresh),
    other({ amountOut: amountOf(1_489n) }),
    other({ instructions: [approval, call] }),
  ])
    assert.deepEqual(attempts(changedBy(ready, command)), ['SUPERSEDED', 'SUPERSEDED', 'OPEN']);
  const plan = changedBy(ready, fresh, notAfterMs);
  assert.deepEqual(attempts(plan), ['SUPERSEDED', 'SUPERSEDED', 'OPEN']);
  const named = changedBy(ready, otherwise(fresh));
  for (const command of [otherwise(fresh), fresh]) assertKnown(named, command);
  const without = changedBy(plan, withheld('NOT_DERIVABLE'));
  assert.deepEqual(attempts(without), ['SUPERSEDED', 'SUPERSEDED', 'SUPERSEDED']);
  assert.equal(summary(without), 'IN_PROGRESS: DONE PENDING PENDING; SERVICE INSTRUCTIONS_DUE');
  assertKnown(without, withheld('NOT_DERIVABLE'));
  const given = changedBy(without, derived('dd'));
  assert.equal(swapStep(given).withheld, undefined);
});

test('instructions that the service derived too late replace none that the integrator asked for', () => {
  assertKnown(planAfter([observed(1_000n), derived('bb')]), derived('cc', 'SERVICE'));
  const tooLate = { ...withheld('PRICE_BELOW_FLOOR'), askedBy: 'SERVICE' } as PlanCommand;
  assertKnown(planAfter([observed(1_000n), derived('bb')]), tooLate);
  const given = planAfter([observed(1_000n), derived('bb', 'SERVICE')]);
  assert.equal('askedBy' in swapStep(given).attempts.at(-1)!, false);
});

test('the payout is due with the amount that the swap really brought', () => {
  const plan = planAfter([observed(1_000n), derived(), executed(evidence('s', 'FINAL', 1_493n), 1)]);
  const last = plan.steps[2];
  assert.ok(last?.type === 'CUSTODIAN_PAYOUT');
  assert.equal(payoutOf(plan).due, '1493');
  assert.equal(last.readyAtMs, plan.updatedAtMs);
  assert.equal(planStatus(changedBy(plan, paidByTransaction(evidence('p', 'FINAL', 1_493n)))), 'COMPLETED');
});

test('a transaction that pays less than is due is not the payout', () => {
  assert.deepEqual(refusalOf(planAfter(done), paidByTransaction(evidence('p', 'FINAL', 1_499n))), {
    reason: 'EVIDENCE_MISMATCH',
    detail:
      'The transaction paid 1499 units of 0x0202020202020202020202020202020202020202 on chain 31337 to the recipient, 1500 units of 0x0202020202020202020202020202020202020202 on chain 31337 is due. Report the transaction that paid what is due.',
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
