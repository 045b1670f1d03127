// Payments to a wallet that were told before they were mined: while one may be mined, nobody pays a second time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assetsOf,
  fundsOf,
  nextOf,
  payableNow,
  pendingOf,
  pendingPayoutsOf,
  type Plan,
  swapStep,
} from '../src/index.ts';
import { underWay } from '../src/ending/closing.ts';
import { after, assertBooks, due } from './paidPlans.ts';
import {
  closed,
  delivery,
  derived,
  evidence,
  executed,
  hashOf,
  linkMade,
  lost,
  observed,
  paidByReference,
  paidByTransaction,
  paidInPart,
  payoutFailed,
  payoutInVain,
  payoutReturned,
  payoutSent,
  refunded,
  retried,
  sent,
  submitted,
} from './planCommands.ts';
import { corridor, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [depositId, , lastId] = STEP_IDS;

const hashesOf = (plan: Plan) => pendingPayoutsOf(plan).map(({ txHash }) => txHash);
const fatesOf = (plan: Plan) => {
  const last = plan.steps.at(-1);
  assert.ok(last !== undefined && 'payout' in last);
  return last.payout?.submissions?.map(({ fate }) => fate);
};

test('a payment that waits to be mined is waited for, and closing needs force', () => {
  const plan = due([payoutSent('p')]);
  assert.equal(summary(plan), 'IN_PROGRESS: DONE DONE READY; CHAIN TRANSACTION_PENDING');
  assert.match(nextOf(plan, { nowMs: plan.updatedAtMs })?.detail ?? '', new RegExp(hashOf('p')));
  assert.deepEqual([payableNow(plan), hashesOf(plan)], ['0', [hashOf('p')]]);
  assert.match(underWay(plan) ?? '', new RegExp(hashOf('p')));
  const command = closed();
  assert.equal(refusalOf(plan, command).reason, 'EXECUTION_PENDING');
  const ended = changedBy(plan, { ...command, force: true } as typeof command);
  assert.deepEqual([ended.ended?.reason, fatesOf(ended)], ['OTHER', ['FORCED']]);
});

test('beside a payment that is done, one of another nonce is told until it has a fate', () => {
  const other = { sender: `0x${'0b'.repeat(20)}`, nonce: 9 } as const;
  const waiting = due([payoutSent('p'), payoutSent('w', other)]);
  const gone = { type: 'EXECUTION_ENDED', stepId: lastId, txHash: hashOf('w'), fate: 'REPLACED' } as const;
  const done = after(waiting, paidByTransaction(evidence('p', 'FINAL')));
  assert.equal(summary(done), 'COMPLETED: DONE DONE DONE; CHAIN TRANSACTION_PENDING');
  assert.deepEqual(
    pendingOf(done).map(({ txHash }) => txHash),
    [hashOf('w')],
    'it is looked for',
  );
  assert.deepEqual(pendingOf(after(done, payoutReturned('B1', 1_500n))), [], 'after a return it is not');
  assert.match(
    nextOf(done, { nowMs: done.updatedAtMs })?.detail ?? '',
    new RegExp(`${hashOf('w')}.* once more`),
  );
  assertKnown(done, { ...gone, txHash: hashOf('p') });
  assert.equal(refusalOf(done, { ...gone, stepId: depositId }).reason, 'NOT_OF_THIS_STEP');
  const alone = after(done, gone);
  assert.deepEqual(
    [summary(alone), fatesOf(alone)],
    ['COMPLETED: DONE DONE DONE; nothing', [undefined, 'REPLACED']],
  );
});

test('beside a swap that is paid out, one that was submitted is told until its deadline', () => {
  const flying = planAfter([
    observed(1_000n),
    derived(),
    sent('w', 1, { sender: `0x${'0b'.repeat(20)}`, nonce: 9 }),
    executed(evidence('s', 'FINAL'), 1),
  ]);
  const done = after(flying, paidByReference('P1'));
  assert.equal(summary(done), 'COMPLETED: DONE DONE DONE; CHAIN TRANSACTION_PENDING');
  const { notAfterMs } = swapStep(done).attempts[1] ?? assert.fail();
  assert.match(nextOf(done, { nowMs: notAfterMs - 1 })?.detail ?? '', /will swap once more/);
  assert.equal(nextOf(done, { nowMs: notAfterMs }), undefined);
});

test('told again it is known; sender and nonce are filled in, and never contradicted', () => {
  const plan = due([payoutSent('p', {})]);
  assertKnown(plan, payoutSent('p', {}));
  const filled = after(plan, payoutSent('p'));
  assert.equal(pendingPayoutsOf(filled)[0]?.nonce, 1);
  assertKnown(filled, payoutSent('p', {}));
  const other = payoutSent('p', { sender: `0x${'0a'.repeat(20)}`, nonce: 2 });
  assert.equal(refusalOf(filled, other).reason, 'EVIDENCE_MISMATCH');
  const letters = [...'abcdefghijklmno'].map((letter) => payoutSent(letter));
  assert.equal(refusalOf(letters.reduce(after, plan), payoutSent('z')).reason, 'TOO_MANY');
});

test('mined it is the payment, also while it is confirmed and when the chain has lost it', () => {
  const waiting = due([payoutSent('p'), payoutSent('q')]);
  const confirming = after(waiting, paidByTransaction(evidence('p', 'CONFIRMING')));
  assert.deepEqual(hashesOf(confirming), []);
  const gone = after(confirming, lost(lastId, 'p'));
  assert.deepEqual([hashesOf(gone), payableNow(gone)], [[hashOf('p'), hashOf('q')], '0']);
  const done = after(confirming, paidByTransaction(evidence('p', 'FINAL')));
  assert.deepEqual(
    [summary(done), fatesOf(done)],
    ['COMPLETED: DONE DONE DONE; nothing', [undefined, 'REPLACED']],
  );
  assert.equal(underWay(done), undefined);
});

test('a part that was mined leaves the rest to pay, unless another transaction waits', () => {
  const own = due([payoutSent('p'), paidInPart(evidence('p', 'FINAL', 1_400n))]);
  assert.deepEqual([hashesOf(own), payableNow(own)], [[], '100']);
  const other = { sender: `0x${'0b'.repeat(20)}`, nonce: 9 } as const;
  const beside = due([payoutSent('w', other), paidInPart(evidence('p', 'FINAL', 1_400n))]);
  assert.deepEqual([hashesOf(beside), payableNow(beside)], [[hashOf('w')], '0']);
});

test('one that pays nothing is ended, and all is due again; the first fate stays', () => {
  const plan = due([payoutSent('p'), payoutSent('q', {})]);
  const one = after(plan, payoutInVain('p', 'REPLACED'));
  assert.deepEqual(
    [hashesOf(one), fatesOf(one), payableNow(one)],
    [[hashOf('q')], ['REPLACED', undefined], '0'],
  );
  const both = after(one, payoutInVain('q', 'NOT_EXECUTED'));
  assert.deepEqual([hashesOf(both), payableNow(both)], [[], '1500']);
  assert.equal(nextOf(both, { nowMs: both.updatedAtMs })?.why, 'PAYOUT_DUE');
  assertKnown(both, payoutInVain('q', 'FORCED'));
  assert.equal(refusalOf(both, payoutInVain('z', 'REPLACED')).reason, 'EVIDENCE_MISMATCH');
  assert.equal(refusalOf(due(), payoutInVain('p', 'REPLACED')).reason, 'STEP_NOT_READY');
  const mined = after(both, paidByTransaction(evidence('p', 'FINAL')));
  assert.equal(summary(mined), 'COMPLETED: DONE DONE DONE; nothing', 'mined after all, it still counts');
});

test('the word that it failed ends it, and what is not due takes none', () => {
  const failed = due([payoutSent('p'), payoutFailed('P1')]);
  assert.deepEqual([hashesOf(failed), fatesOf(failed)], [[], ['FORCED']]);
  for (const plan of [planAfter([]), failed, due([paidByReference('P1')])])
    assert.equal(refusalOf(plan, payoutSent('q')).reason, 'STEP_NOT_READY');
  const ofDeposit = { ...payoutSent('q'), stepId: depositId } as ReturnType<typeof payoutSent>;
  assert.equal(refusalOf(due(), ofDeposit).reason, 'NOT_OF_THIS_STEP');
  const ofSwap = { ...payoutSent('q'), stepId: swapStep(due()).stepId } as ReturnType<typeof payoutSent>;
  assert.equal(refusalOf(due(), ofSwap).reason, 'NOT_OF_THIS_STEP');
});

test('a transaction that was given up and is told again is waited for again', () => {
  const tried = due([payoutSent('p'), payoutFailed('P1'), retried(lastId)]);
  assert.deepEqual([fatesOf(tried), payableNow(tried)], [['FORCED'], '1500']);
  const again = after(tried, payoutSent('p'));
  assert.deepEqual([hashesOf(again), fatesOf(again), payableNow(again)], [[hashOf('p')], [undefined], '0']);
});

test('what a payment that waits to be mined may pay does not go back to the payer', () => {
  const { target } = assetsOf({ corridor });
  const plan = due([payoutSent('p')]);
  const refusal = refusalOf(plan, refunded('R1', 1_500n, target));
  assert.equal(refusal.reason, 'STEP_NOT_READY');
  assert.match(JSON.stringify(refusal), new RegExp(hashOf('p')));
  const failed = after(plan, payoutFailed('P1'));
  assertBooks(after(failed, refunded('R1', 1_500n, target)), '0');
});

test('a payment that the chain shows is recorded although all went back to the payer', () => {
  const { target } = assetsOf({ corridor });
  const back = due([refunded('R1', 1_500n, target)]);
  assert.equal(refusalOf(back, paidByReference('P1')).reason, 'STEP_NOT_READY');
  const paid = after(back, paidByTransaction(evidence('p', 'FINAL')));
  const unasked = fundsOf(paid)
    .at(-1)
    ?.unallocated.map(({ direction, amount }) => [direction, amount]);
  assert.deepEqual(unasked, [['OUT', '1500']]);
  assert.equal(nextOf(paid, { nowMs: paid.updatedAtMs })?.why, 'MONEY_UNEXPLAINED');
});

test('a delivery that waits to be mined is waited for, until it is said to have failed', () => {
  const swappedPlan = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
  const chosen = planAfter([...swappedPlan, linkMade('FIRST', 1), submitted(1)], 'DIGITAL_COLLECT');
  const plan = after(chosen, payoutSent('p'));
  assert.equal(summary(plan), 'IN_PROGRESS: DONE DONE DONE; CHAIN TRANSACTION_PENDING');
  assert.equal(payableNow(plan), '0');
  const failed = after(plan, delivery('FAILED', 'P1'));
  assert.deepEqual([hashesOf(failed), fatesOf(failed)], [[], ['FORCED']]);
});
