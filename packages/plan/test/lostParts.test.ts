// Parts that a reorganisation took back. Each may be mined again, until its own transaction is found. Only a final one of
// its sender and nonce, or a person who gives it up, says that it is safe to pay anew.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountToPayOf,
  assetsOf,
  type Evidence,
  lostPartsOf,
  nextOf,
  payableNow,
  pendingOf,
  type Plan,
  type PlanCommand,
} from '../src/index.ts';
import { after, due } from './paidPlans.ts';
import {
  atLog,
  deliveredBy,
  delivery,
  derived,
  evidence,
  executed,
  gone,
  hashOf,
  linkMade,
  lost,
  observed,
  paidAgain,
  paidByTransaction,
  paidInPart,
  payoutFailed,
  payoutReturned,
  payoutSent,
  refunded,
  replaced,
  retried,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, planAfter, refusalOf, summary } from './scenarios.ts';

const [, , lastId] = STEP_IDS;
const SENDER = `0x${'0a'.repeat(20)}` as const;

const ofNonce = (proof: Evidence, nonce: number): Evidence => ({ ...proof, nonce });

/** A transaction that pays the wallet, with a nonce that no other letter has. */
function paying(letter: string, units: bigint, status: Evidence['status'] = 'FINAL', block = 'x'): Evidence {
  return ofNonce(evidence(letter, status, units, block), letter.charCodeAt(0));
}

/** The transactions that are waited for, by their hashes, and what may be paid meanwhile. */
function waiting(plan: Plan): readonly [readonly string[], string] {
  return [lostPartsOf(plan).map(({ txHash }) => txHash), payableNow(plan)];
}

/** The plan after a half of its 1500 was paid by "p", which the chain then lost. */
const halfLost = () => {
  const plan = due([paidInPart(paying('p', 750n))]);
  return after(plan, gone(plan, lastId, 'p'));
};

test('another part of the same amount does not take the place of a lost one', () => {
  const other = after(halfLost(), paidInPart(paying('q', 750n)));
  assert.deepEqual(waiting(other), [[hashOf('p')], '0']);
  const found = after(other, paidByTransaction(paying('p', 750n, 'FINAL', 'y')));
  assert.deepEqual(waiting(found), [[], '0']);
});

test('a replacement counts once it is final', () => {
  const nonce = 'p'.charCodeAt(0);
  for (const units of [750n, 740n]) {
    const bumped = (status: Evidence['status']) => ofNonce(evidence('t', status, units), nonce);
    const seen = after(halfLost(), paidInPart(bumped('CONFIRMING')));
    assert.deepEqual(waiting(seen)[0], [hashOf('p')], 'a reorganisation can still undo that');
    const rest = `${1_500n - units}`;
    assert.deepEqual(waiting(after(seen, paidInPart(bumped('FINAL')))), [[], rest]);
  }
});

test('a replacement that is undone while it is confirmed does not free the lost part', () => {
  const bumped = ofNonce(evidence('t', 'CONFIRMING', 750n), 'p'.charCodeAt(0));
  const undone = [paidInPart(bumped), lost(lastId, 't')].reduce(after, halfLost());
  const other = after(undone, paidInPart(paying('q', 750n)));
  assert.equal(waiting(other)[1], '0');
});

test('equal transfers of a lost transaction are waited for one by one, also when it moves again', () => {
  const half = (logIndex: number, status: Evidence['status'], block: string) =>
    atLog(paying('p', 750n, status, block), logIndex);
  const plan = due([paidInPart(half(0, 'FINAL', 'x'))], 2_000n);
  const both = after(plan, paidInPart(half(1, 'FINAL', 'x')));
  const none = after(both, gone(both, lastId, 'p'));
  assert.deepEqual(waiting(none), [[hashOf('p'), hashOf('p')], '0']);
  const one = after(none, paidInPart(half(0, 'CONFIRMING', 'y')));
  const moved = after(one, paidInPart(half(0, 'FINAL', 'z')));
  assert.deepEqual(waiting(moved), [[hashOf('p')], '0']);
  assert.deepEqual(waiting(after(moved, paidInPart(half(1, 'FINAL', 'z')))), [[], '500']);
});

test('money of another payment that came back gives up no lost part', () => {
  const paid = after(halfLost(), paidByTransaction(paying('u', 1_500n)));
  const back = after(paid, payoutReturned('B1', 1_500n));
  assert.deepEqual(waiting(back)[0], [hashOf('p')]);
  const { target } = assetsOf(back);
  assert.match(
    JSON.stringify(refusalOf(back, refunded('B2', 1_500n, target))),
    /which is lost, may still pay/,
  );
  const again = after(back, paidAgain('FW2'));
  assert.deepEqual(waiting(again), [[hashOf('p')], '0']);
  assert.deepEqual(waiting(after(again, paidInPart(paying('p', 750n, 'FINAL', 'y')))), [[], '750']);
  assert.deepEqual(waiting([payoutFailed('F1'), retried(lastId)].reduce(after, again)), [[], '1500']);
});

test('one that certainly will not be mined is given up, and all is due again', () => {
  const ended = { type: 'EXECUTION_ENDED', stepId: lastId, txHash: hashOf('p'), fate: 'REPLACED' } as const;
  for (const start of [halfLost(), after(halfLost(), payoutSent('w'))]) {
    const left = pendingOf(start).map(({ txHash }) => txHash);
    assert.ok(left.includes(hashOf('p')), 'it is looked for');
    assert.deepEqual(waiting(after(start, ended))[0], []);
  }
  assert.equal(payableNow(after(halfLost(), ended)), '1500');
});

test('a lost part that was told before it was mined is given up once', () => {
  const told = due([
    payoutSent('p', { sender: SENDER, nonce: 'p'.charCodeAt(0) }),
    paidInPart(paying('p', 750n)),
  ]);
  const lostPart = after(told, gone(told, lastId, 'p'));
  assert.equal(pendingOf(lostPart).length, 1);
  const ended = { type: 'EXECUTION_ENDED', stepId: lastId, txHash: hashOf('p'), fate: 'REPLACED' } as const;
  assert.deepEqual(waiting(after(lostPart, ended)), [[], '1500']);
});

test('when all was paid and a part is lost, its refund is recorded, but not asked for', () => {
  const paid = due([paidInPart(paying('p', 750n)), paidByTransaction(paying('u', 750n))]);
  const lostPart = after(paid, gone(paid, lastId, 'p'));
  assert.equal(summary(lostPart), 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED');
  assert.match(nextOf(lostPart, { nowMs: lostPart.updatedAtMs })?.detail ?? '', /refund nothing.* Then: /);
  const { target } = assetsOf(lostPart);
  const back = after(lostPart, refunded('B2', 750n, target));
  assert.deepEqual(waiting(back)[0], [hashOf('p')]);
});

test('nothing is asked for again after a return while a part is lost', () => {
  const paid = after(halfLost(), paidByTransaction(paying('u', 1_500n)));
  const again = [payoutReturned('B1', 1_500n), paidAgain('FW2')].reduce(after, paid);
  assert.equal(payableNow(again), '0');
});

test('a part that is lost after another part failed is waited for', () => {
  const failed = due([paidInPart(paying('p', 750n)), payoutFailed('F1')]);
  const lostPart = after(failed, gone(failed, lastId, 'p'));
  for (const again of [retried(lastId), replaced('a')])
    assert.deepEqual(waiting(after(lostPart, again)), [[hashOf('p')], '0']);
});

test('a lost transaction that paid all is waited for while another one pays a part', () => {
  const whole = due([paidByTransaction(paying('r', 1_500n)), lost(lastId, 'r')]);
  assert.equal(payableNow(whole), '0');
  const part = after(whole, paidInPart(paying('q', 700n)));
  assert.deepEqual(waiting(part), [[hashOf('r')], '0']);
  const bumped = ofNonce(evidence('t', 'FINAL', 700n), 'r'.charCodeAt(0));
  assert.deepEqual(waiting(after(whole, paidInPart(bumped))), [[], '800']);
});

test('a lost part of a delivery is waited for after another payment came back', () => {
  const start = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
  const chosen = [...start, submitted(1, 'a')].reduce(after, planAfter([], 'DIGITAL_COLLECT'));
  const part = { ...deliveredBy(paying('p', 750n)), part: true } as PlanCommand;
  const half = after(chosen, part);
  const paid = [gone(half, lastId, 'p'), deliveredBy(paying('u', 1_500n))].reduce(after, half);
  const asked = { ...linkMade('REISSUED', 2), endToEndId: 'FW2' } as PlanCommand;
  const again = [delivery('RETURNED', 'B1'), asked, submitted(2, 'a')].reduce(after, paid);
  assert.deepEqual(waiting(again), [[hashOf('p')], '0']);
});

test('a part is waited for, although what an earlier attempt had paid came back since', () => {
  const first = [paidByTransaction(paying('p', 1_500n)), payoutReturned('B1', 500n), paidAgain()];
  const plan = due([...first, paidInPart(paying('q', 200n)), payoutReturned('B2', 1_000n)]);
  assert.equal(payableNow(plan), '1300');
  const taken = after(plan, gone(plan, lastId, 'q'));
  assert.deepEqual([waiting(taken), amountToPayOf(taken)], [[[hashOf('q')], '0'], '1500']);
  const again = after(taken, paidInPart(paying('q', 200n, 'FINAL', 'y')));
  assert.deepEqual(waiting(again), [[], '1300']);
  const more = due([...first, paidInPart(paying('q', 200n)), payoutReturned('B2', 1_100n)]);
  // Some of it came back.
  assertKnown(more, gone(more, lastId, 'q'));
});
