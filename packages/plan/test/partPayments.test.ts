// Transactions that pay a wallet less than what is due: each is recorded, a person is asked, and the rest is due. Never
// the whole once more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import {
  amountToPayOf,
  decide,
  evidenceOf,
  expectedPayout,
  assetsOf,
  fundsOf,
  lostPartsOf,
  NEXT,
  nextOf,
  payableNow,
  type Evidence,
  type Plan,
  type PlanCommand,
  commandsFromRecord,
  standingMovements,
  payoutOf,
  evidenceWith,
} from '../src/index.ts';
import { defined } from '@fairway/values';
import { after, due } from './paidPlans.ts';
import {
  allRefunded,
  atLog,
  choice,
  closed,
  deliveredBy,
  delivery,
  derived,
  evidence as evidenceOfOne,
  executed,
  gone,
  hashOf,
  linkMade,
  lost,
  observed,
  paidAgain,
  paidByTransaction,
  paidInPart,
  paidOnceMore,
  paidWithAmounts,
  payoutFailed,
  payoutReturned,
  recordedTransfer,
  refunded,
  retried,
  sent,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, planAfter, refusalOf, summary } from './scenarios.ts';

/** The number of the transaction of this letter among those of its sender: each has its own. */
const nonceOf = (letter: string): number => letter.charCodeAt(0);
const evidence = (letter: string, status: Evidence['status'], units?: bigint, block?: string): Evidence => ({
  ...evidenceOfOne(letter, status, units, block),
  nonce: nonceOf(letter),
});

const [, , lastId] = STEP_IDS;
const { target } = assetsOf(planAfter([]));

/** What is to be paid of what is due, what the books say was paid, and what they say is outstanding. */
function money(plan: Plan): string {
  const { paidOut, outstanding } = fundsOf(plan).at(-1) ?? assert.fail();
  return `${amountToPayOf(plan)} of ${payoutOf(plan).left}, paid ${paidOut}, outstanding ${outstanding}`;
}

const REVIEW = 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR PAYMENT_UNCLEAR';
const COMPLETED = 'COMPLETED: DONE DONE DONE; nothing';

test('a transaction of less than is due is recorded, and only the rest is asked for', () => {
  const plan = due([paidInPart(evidence('p', 'FINAL', 1_400n))]);
  assert.equal(summary(plan), REVIEW);
  assert.equal(money(plan), '100 of 100, paid 1400, outstanding 100');
  const { detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
  assert.match(
    detail,
    /of 1500 units of 0x\w+ on chain \d+: 0x\w{64} paid 1400 units of 0x\w+ on chain \d+\. Have .* pay the rest, 100 units/,
  );
  const done = after(plan, paidByTransaction(evidence('q', 'FINAL', 100n)));
  assert.equal(summary(done), COMPLETED);
  assert.equal(money(done), '0 of 100, paid 1500, outstanding 0');
});

test('a part counts while it is confirmed, and the rest is due after that', () => {
  const seen = due([paidInPart(evidence('p', 'CONFIRMING', 1_400n))]);
  assert.equal(summary(seen), 'IN_PROGRESS: DONE DONE READY; CHAIN TRANSACTION_CONFIRMING');
  assert.equal(money(seen), '100 of 1500, paid 1400, outstanding 100');
  const final = paidByTransaction(evidence('p', 'FINAL', 1_400n));
  for (const plan of [
    after(seen, final),
    after(seen, paidByTransaction(evidence('p', 'FINAL', 1_400n, 'y'))),
  ]) {
    assert.equal(summary(plan), REVIEW);
    assert.equal(money(plan), '100 of 100, paid 1400, outstanding 100');
  }
});

test('parts add up, each is known when it is told again, and all of them can come back', () => {
  const parts = [paidInPart(evidence('p', 'FINAL', 800n)), paidInPart(evidence('q', 'FINAL', 600n))];
  const plan = due(parts);
  assert.equal(money(plan), '100 of 100, paid 1400, outstanding 100');
  for (const part of parts) assertKnown(plan, part);
  const paid = after(plan, paidByTransaction(evidence('r', 'FINAL', 100n)));
  const back = after(paid, payoutReturned('B1', 1_500n));
  assert.equal(fundsOf(back).at(-1)?.returned, '1500');
  const again = after(back, paidAgain('FW2'));
  assert.equal(money(again), '1500 of 1500, paid 1500, outstanding 1500');
  for (const part of parts) assert.match(JSON.stringify(refusalOf(again, part)), /came back/);
});

/** Three transfers of the transaction "p", which are all that is due. */
function threeParts(block = 'x'): readonly Evidence[] {
  const units = [900n, 450n, 150n];
  return units.map((each, logIndex) => atLog(evidence('p', 'FINAL', each, block), logIndex));
}

test('parts of one transaction add up, and are known when they are told again', () => {
  const [first, second, third] = threeParts() as [Evidence, Evidence, Evidence];
  const two = due([paidInPart(first), paidInPart(second)]);
  assert.equal(money(two), '150 of 150, paid 1350, outstanding 150');
  for (const part of [first, second]) assertKnown(two, paidInPart(part));
  const last = paidByTransaction(third);
  const seen = after(two, paidInPart({ ...third, status: 'CONFIRMING' }));
  assert.equal(money(seen), '0 of 150, paid 1500, outstanding 0');
  for (const paid of [after(two, last), after(seen, last)]) {
    assert.equal(summary(paid), COMPLETED);
    assert.equal(money(paid), '0 of 150, paid 1500, outstanding 0');
    for (const part of [first, second]) assertKnown(paid, paidInPart(part));
    for (const part of [first, second, third]) assertKnown(paid, paidOnceMore(part));
  }
});

/** The plan after all that the record shows of a transaction that is mined again, a transfer of it to its wallet at a time. */
function foundAgain(plan: Plan, parts: readonly Evidence[]): Plan {
  const last = plan.steps.at(-1);
  const rests = last && evidenceOf(last);
  const gone = standingMovements(plan).flatMap(({ kind, transfer: at }) =>
    kind === 'PAYOUT' && at?.logIndex !== undefined && at.blockHash === hashOf('x')
      ? [{ ...at, logIndex: at.logIndex }]
      : [],
  );
  const transfers = parts.flatMap((part) =>
    part.transfers.map((moved) => recordedTransfer('p', BigInt(part.amount), { ...moved })),
  );
  const found =
    rests?.txHash === hashOf('p')
      ? parts.find(({ amount }) => amount === evidenceWith(plan, 'PAYOUT', rests).amount)
      : parts.find((part) =>
          isDeepStrictEqual(part.transfers[0]?.logIndex, expectedPayout(plan, transfers)?.logIndex),
        );
  const payout = found && ({ verification: 'VERIFIED', evidence: found } as const);
  const view = { readNumber: 9, deposits: [], executions: [], ...defined({ payout }), gone };
  const commands = commandsFromRecord(plan, view, plan.updatedAtMs);
  return commands.length === 0 ? plan : foundAgain(commands.reduce(after, plan), parts);
}

test('parts of one transaction that moved to another block are found again, and no others', () => {
  const parts = threeParts();
  const foreign = atLog(evidence('p', 'FINAL', 70n, 'y'), 9);
  for (const count of [1, 2, 3]) {
    const plan = { ...due(parts.slice(0, count).map(paidInPart)), recipient: choice('a') };
    const moved = threeParts('y').map((part, index) => atLog(part, 5 - index));
    const again = foundAgain(plan, [foreign, ...moved.slice(0, count)]);
    // Another part may be the last one then.
    const [found, before] = [again, plan].map((each) => money(each).replace(/ of \d+/, ''));
    assert.equal(found, before);
    assert.equal(summary(again), summary(plan));
    assert.ok(
      standingMovements(again).every(
        ({ kind, transfer: at }) => kind !== 'PAYOUT' || at?.blockHash === hashOf('y'),
      ),
    );
  }
});

test('a transaction in another block than its parts is told again when the plan shows that', () => {
  const [first, second, third] = threeParts() as [Evidence, Evidence, Evidence];
  const [, , moved] = threeParts('y') as [Evidence, Evidence, Evidence];
  const two = due([paidInPart(first), paidInPart(second)]);
  const paid = after(two, paidByTransaction(third));
  for (const command of [paidInPart(moved), paidOnceMore(atLog(evidence('p', 'FINAL', 70n, 'y'), 9))])
    for (const plan of [two, paid]) {
      const decision = decide(plan, command, plan.updatedAtMs);
      assert.match(JSON.stringify(decision), /is in another block than the payments of it/);
    }
  assertKnown(two, paidInPart(threeParts('y')[0] ?? first));
});

test('the record takes no part that is found again when it is above what is due', () => {
  const plan = { ...due([paidInPart(evidence('p', 'FINAL', 900n))]), recipient: choice('a') };
  const lost = after(plan, gone(plan, lastId, 'p'));
  const transfers = [recordedTransfer('p', 900n, { blockHash: hashOf('y') })];
  assert.equal(expectedPayout(lost, transfers)?.amount, '900');
  assert.equal(expectedPayout(after(lost, paidInPart(evidence('q', 'FINAL', 700n))), transfers), undefined);
});

test('a part that nobody told as one is refused, as before', () => {
  const refusal = refusalOf(due(), paidByTransaction(evidence('p', 'FINAL', 1_400n)));
  assert.match(
    JSON.stringify(refusal),
    /paid 1400 units of 0x\w+ on chain \d+ to the recipient, 1500 units of 0x\w+ on chain \d+ is due/,
  );
});

test('a part that the chain takes back is due again, and counts when it is mined again', () => {
  const plan = due([paidInPart(evidence('p', 'FINAL', 1_400n))]);
  const lost = after(plan, gone(plan, lastId, 'p'));
  assert.equal(money(lost), '1500 of 1500, paid 0, outstanding 1500');
  const payout = { verification: 'VERIFIED', evidence: evidence('p', 'FINAL', 1_400n, 'y') } as const;
  const view = { readNumber: 9, deposits: [], executions: [], payout, gone: [] };
  const [found, ...others] = commandsFromRecord(lost, view, lost.updatedAtMs);
  assert.ok(found !== undefined && others.length === 0);
  assert.equal(money(after(lost, found)), '100 of 100, paid 1400, outstanding 100');
});

test('nothing is paid in place of a lost part until it is found, replaced, or given up', () => {
  const plan = due([paidInPart(evidence('p', 'FINAL', 800n)), paidInPart(evidence('q', 'FINAL', 600n))]);
  const lostPart = after(plan, gone(plan, lastId, 'p'));
  const FIND = 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR TRANSACTION_LOST';
  assert.deepEqual([summary(lostPart), payableNow(lostPart)], [FIND, '0']);
  assert.equal(refusalOf(lostPart, retried(lastId)).reason, 'STEP_NOT_READY');
  assert.deepEqual(NEXT.TRANSACTION_LOST.options, ['reports', 'end'], 'what would be refused is not offered');
  const { detail = '' } = nextOf(lostPart, { nowMs: lostPart.updatedAtMs }) ?? {};
  assert.match(detail, new RegExp(`^The transaction ${hashOf('p')}, which paid a part, is no longer`));
  assert.equal(refusalOf(lostPart, closed()).reason, 'EXECUTION_PENDING');
  assert.match(JSON.stringify(refusalOf(lostPart, refunded('B1', 100n, target))), /may still pay/);
  // Another part is no reason to pay the lost one anew.
  const other = after(lostPart, paidInPart(evidence('r', 'FINAL', 50n)));
  assert.deepEqual([summary(other), payableNow(other)], [FIND, '0']);
  const confirming = after(other, paidInPart(evidence('p', 'CONFIRMING', 800n, 'y')));
  assert.match(summary(confirming), /CHAIN TRANSACTION_CONFIRMING$/);
  const found = after(confirming, paidByTransaction(evidence('p', 'FINAL', 800n, 'y')));
  // A part of the same amount is another payment, unless it has the lost one's sender and nonce.
  const alike = after(other, paidInPart(evidence('s', 'FINAL', 800n)));
  assert.deepEqual([summary(alike), payableNow(alike)], [FIND, '0']);
  const replaced = after(other, paidInPart({ ...evidence('t', 'FINAL', 800n), nonce: nonceOf('p') }));
  for (const each of [found, replaced])
    assert.deepEqual([summary(each), payableNow(each), lostPartsOf(each)], [REVIEW, '50', []]);
  const failed = after(lostPart, payoutFailed(undefined, 'OTHER'));
  assert.deepEqual([lostPartsOf(failed), payableNow(failed)], [[], '0']);
  const again = after(failed, retried(lastId));
  assert.deepEqual([summary(again), payableNow(again)], [REVIEW, '900']);
  const done = after(lostPart, paidByTransaction(evidence('u', 'FINAL', 900n)));
  assert.equal(
    summary(done),
    'COMPLETED: DONE DONE DONE; CHAIN TRANSACTION_PENDING',
    'it would pay once more',
  );
  assert.match(nextOf(done, { nowMs: done.updatedAtMs })?.detail ?? '', /no longer on the chain/);
  assert.equal(summary(after(done, closed({ force: true }))), COMPLETED);
});

test('of parts of one transaction that are lost each is waited for', () => {
  const [first, second] = threeParts() as [Evidence, Evidence];
  const plan = due([paidInPart(first), paidInPart(second)]);
  const lostParts = after(plan, gone(plan, lastId, 'p'));
  assert.deepEqual(
    lostPartsOf(lostParts).map(({ txHash }) => txHash),
    [hashOf('p'), hashOf('p')],
  );
  const half = after(lostParts, paidInPart(threeParts('y')[0] ?? first));
  assert.deepEqual(
    lostPartsOf(half).map(({ txHash }) => txHash),
    [hashOf('p')],
  );
  assert.equal(payableNow(half), '0');
  assert.equal(payableNow(after(half, paidInPart(threeParts('y')[1] ?? second))), '150');
});

test('what the recipient was not paid can be refunded, which the next action says', () => {
  const plan = due([paidInPart(evidence('p', 'FINAL', 1_400n))]);
  const refundedRest = after(plan, allRefunded(plan));
  const action = nextOf(refundedRest, { nowMs: plan.updatedAtMs });
  assert.deepEqual(
    [action?.why, action?.detail],
    ['NOTHING_LEFT', 'What the recipient was not paid was refunded: end the plan.'],
  );
});

test('a part of which some came back is told as what did not come back', () => {
  const part = paidInPart(evidence('p', 'FINAL', 1_400n));
  const plan = due([part, payoutReturned('B1', 400n)]);
  const action = nextOf(plan, { nowMs: plan.updatedAtMs });
  assert.equal(action?.why, 'PAYMENT_UNCLEAR');
  assert.match(
    action?.detail ?? '',
    /^Of 1500 units of \w+ on chain \d+ the recipient was paid 1000 units of \w+ on chain \d+ that did not come back\. Have .* pay the rest, 500/,
  );
});

test('a plan is not to be closed while its swap is pending, even if all was refunded', () => {
  const plan = [observed(1_000n), derived()].reduce(after, planAfter([]));
  const flying = [sent('s', 1), allRefunded(plan)].reduce(after, plan);
  assert.equal(nextOf(flying, { nowMs: plan.updatedAtMs })?.why, 'TRANSACTION_PENDING');
});

test('a plan with a part paid is closed with exactly the rest', () => {
  const plan = due([paidInPart(evidence('p', 'FINAL', 1_400n))]);
  const over = after(plan, closed());
  assert.deepEqual(
    over.closed?.acknowledged.map(({ amount }) => amount),
    ['100'],
  );
  assert.equal(standingMovements(over).filter(({ kind }) => kind === 'PAYOUT').length, 1);
});

test('a part that is lost is due again, less what a later payment paid above the rest', () => {
  const part = paidInPart(evidence('p', 'FINAL', 1_495n));
  const plan = due([part, paidByTransaction(evidence('q', 'CONFIRMING', 1_489n))]);
  const back = after(plan, gone(plan, lastId, 'p'));
  assert.equal(money(back), '11 of 1500, paid 1489, outstanding 11');
});

test('a part of a delivery to a wallet is recorded, and only the rest is asked for', () => {
  const start = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
  const chosen = [...start, submitted(1, 'a')].reduce(after, planAfter([], 'DIGITAL_COLLECT'));
  const part = (status: Evidence['status']): PlanCommand =>
    ({ ...deliveredBy(evidence('p', status, 1_400n)), part: true }) as PlanCommand;
  assert.equal(refusalOf(chosen, deliveredBy(evidence('p', 'FINAL', 1_400n))).reason, 'EVIDENCE_MISMATCH');
  const sentPart = after(chosen, part('CONFIRMING'));
  assert.equal(summary(sentPart), 'IN_PROGRESS: DONE DONE DONE; CHAIN TRANSACTION_CONFIRMING');
  for (const plan of [
    after(chosen, part('FINAL')),
    after(sentPart, deliveredBy(evidence('p', 'FINAL', 1_400n))),
  ]) {
    assert.equal(summary(plan), 'ACTION_REQUIRED: DONE DONE DONE; INTEGRATOR PAYMENT_UNCLEAR');
    assert.equal(money(plan), '100 of 100, paid 1400, outstanding 100');
    assertKnown(plan, part('FINAL'));
    assertKnown(plan, part('CONFIRMING'));
    const done = after(plan, deliveredBy(evidence('q', 'FINAL', 100n)));
    assert.equal(summary(done), COMPLETED);
    assert.equal(money(done), '0 of 100, paid 1500, outstanding 0');
    const lostPart = after(plan, gone(plan, lastId, 'p'));
    assert.equal(money(lostPart), '1500 of 1500, paid 0, outstanding 1500');
    assert.match(summary(lostPart), /INTEGRATOR TRANSACTION_LOST$/);
    assert.equal(payableNow(lostPart), '0');
    assert.deepEqual(lostPartsOf(after(lostPart, delivery('FAILED', 'R1'))), []);
    const failed = [delivery('FAILED', 'R2'), linkMade('REOPENED', 2), submitted(2, 'b')].reduce(after, plan);
    assert.equal(money(failed), '100 of 100, paid 1400, outstanding 100');
    assert.equal(summary(after(failed, deliveredBy(evidence('q', 'FINAL', 100n)))), COMPLETED);
  }
});

test('a transaction that came back is not told to have paid another amount', () => {
  const paid = paidByTransaction(evidence('p', 'FINAL', 1_510n));
  const plan = due([paid, payoutReturned('B1', 1_500n)]);
  assertKnown(plan, paid);
  const { reason } = refusalOf(plan, paidByTransaction(evidence('p', 'FINAL', 1_500n, 'y')));
  assert.equal(reason, 'EVIDENCE_MISMATCH');
});

test('what comes back covers first what was spent above a swap that brought less', () => {
  const begun = [observed(1_000n), derived(), executed(evidence('s', 'FINAL', 1_510n), 1)];
  const paid = [...begun, paidWithAmounts('R1', 1_495n)].reduce(after, planAfter([]));
  const spent = after(paid, allRefunded(paid));
  const moved = [lost(STEP_IDS[1], 's'), executed(evidence('s', 'FINAL', 1_500n, 'y'), 1)].reduce(
    after,
    spent,
  );
  const plan = after(moved, payoutReturned('B1', 1_400n));
  assert.equal(money(plan), '0 of 1390, paid 1495, outstanding 1390');
  assert.equal(money(after(plan, paidAgain())), '1390 of 1390, paid 1495, outstanding 1390');
});
