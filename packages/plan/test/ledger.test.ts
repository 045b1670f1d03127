// What the ledger of a plan says, case by case; that it always adds up is asserted for every plan of the other tests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acknowledgementOf,
  amountOf,
  amountToPayOf,
  assetsOf,
  type AssetFunds,
  awaitedBlock,
  fundsOf,
  unbookedEvidence,
  nextOf,
  type Plan,
  type PlanCommand,
  planStatus,
} from '../src/index.ts';
import { assertPlan } from './invariants.ts';
import {
  atLog,
  closed,
  confirmedAt,
  derived,
  evidence,
  executed,
  executedTwice,
  gone,
  hashOf,
  lost,
  observed,
  paidByReference,
  paidByTransaction,
  payoutReturned,
  recorded,
  recordedTransfer,
  refunded,
} from './planCommands.ts';
import { corridor, LIFE_MS, MADE_AT_MS, newPlan, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter } from './scenarios.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const COUNTED = ['received', 'settled', 'paidOut', 'returned', 'outstanding'] as const;

/** The amounts of an asset that are not zero, in words. */
function wordsOf({ asset, swapped: { in: spent, out }, unallocated, ...funds }: AssetFunds): string {
  const told = [
    ...COUNTED.map((name) => [name, funds[name]]),
    ['swapped in', spent],
    ['swapped out', out],
    ...unallocated.map(({ direction, reason, amount }) => [`${direction} ${reason}`, amount]),
  ];
  const parts = told.filter(([, amount]) => amount !== '0').map(([name, amount]) => `${name} ${amount}`);
  return `${'address' in asset ? asset.address.slice(0, 4) : ''}: ${parts.join(', ')}`;
}

/** The funds of a plan in words; the source token is 0x01, the payout token 0x02. */
function fundsIn(plan: Plan): readonly string[] {
  assertPlan(plan);
  return fundsOf(plan).map(wordsOf);
}

const DEPOSITED = recorded([recordedTransfer('d', 1_000n)]);
const LATE = recorded([recordedTransfer('e', 12n, { blockNumber: 9, blockHash: hashOf('y') })], 9);
const SWAPPED = [DEPOSITED, derived(), executed(evidence('s', 'FINAL'), 1)];

test('what the pools did not take of the deposit is money that is left over', () => {
  const taken = { ...executed(evidence('s', 'FINAL'), 1), amountIn: amountOf(795n) } as PlanCommand;
  assert.deepEqual(fundsIn(planAfter([DEPOSITED, derived(), taken])), [
    '0x01: received 1000, settled 1000, swapped in 795, IN ABOVE_AMOUNT 205',
    '0x02: settled 1500, outstanding 1500, swapped out 1500',
  ]);
});

test('the parts of a deposit are outstanding until the swap, and have to be confirmed', () => {
  const part = recorded([recordedTransfer('d', 600n)], 7);
  const rest = recorded([recordedTransfer('e', 399n), recordedTransfer('e', 1n, { logIndex: 1 })], 7);
  const plan = planAfter([part, rest]);
  assert.deepEqual(fundsIn(plan), ['0x01: received 1000, outstanding 1000', '0x02: ']);
  assert.equal(planStatus(plan), 'IN_PROGRESS');
  const confirmed = changedBy(plan, confirmedAt(8));
  assert.deepEqual(fundsIn(confirmed), ['0x01: received 1000, settled 1000, outstanding 1000', '0x02: ']);
  assert.deepEqual(
    confirmed.ledger?.map(({ kind, actual, transfer }) => [kind, actual, transfer?.logIndex]),
    [
      ['DEPOSIT', '600', 0],
      ['DEPOSIT', '399', 0],
      ['DEPOSIT', '1', 1],
    ],
  );
});

test('a deposit of a lost block is taken back by a movement, and counts when mined again', () => {
  const plan = planAfter([DEPOSITED, gone(planAfter([DEPOSITED]), depositId, 'd')]);
  assert.deepEqual(fundsIn(plan), ['0x01: ', '0x02: ']);
  assert.equal(planStatus(plan), 'IN_PROGRESS');
  const place = { blockHash: hashOf('y'), logIndex: 4 };
  const again = changedBy(plan, recorded([recordedTransfer('d', 1_000n, place)]));
  assert.deepEqual(
    again.ledger?.map(({ movementId, reverses }) => [movementId, reverses]),
    [
      ['mov_100000001', undefined],
      ['mov_100000002', 'mov_100000001'],
      ['mov_100000003', undefined],
    ],
  );
  assert.deepEqual(fundsIn(again), ['0x01: received 1000, settled 1000, outstanding 1000', '0x02: ']);
});

test('the swap moves the amount to the payout token, and the payout takes it from there', () => {
  const plan = planAfter(SWAPPED);
  assert.deepEqual(fundsIn(plan), [
    '0x01: received 1000, settled 1000, swapped in 1000',
    '0x02: settled 1500, outstanding 1500, swapped out 1500',
  ]);
  const paid = changedBy(plan, paidByReference('R1'));
  assert.deepEqual(fundsIn(paid)[1], '0x02: settled 1500, paidOut 1500, swapped out 1500');
  const back = changedBy(paid, payoutReturned('B1', 1_400n));
  const told = '0x02: settled 1500, paidOut 1500, returned 1400, outstanding 1400, swapped out 1500';
  assert.deepEqual(fundsIn(back)[1], told);
});

test('a deposit after the swap is unallocated, whatever becomes of its block', () => {
  const plan = changedBy(planAfter(SWAPPED), LATE);
  const unallocated = '0x01: received 1012, settled 1000, swapped in 1000, IN AFTER_SWAP 12';
  assert.deepEqual(fundsIn(plan)[0], unallocated);
  assert.deepEqual(
    plan.steps.map(({ status }) => status),
    ['DONE', 'DONE', 'READY'],
  );
  const taken = changedBy(plan, gone(plan, depositId, 'e'));
  assert.deepEqual(fundsIn(taken)[0], '0x01: received 1000, settled 1000, swapped in 1000');
});

test('a deposit above the amount is unallocated, the newest part of it first', () => {
  const plan = planAfter([recorded([recordedTransfer('d', 900n), recordedTransfer('e', 300n)])]);
  const told = '0x01: received 1200, settled 1200, outstanding 1000, IN ABOVE_AMOUNT 200';
  assert.deepEqual(fundsIn(plan)[0], told);
  assert.equal(fundsOf(plan)[0]?.unallocated[0]?.movementId, 'mov_100000002');
});

test('money for a plan that has ended is unallocated and does not open it again', () => {
  const expired = changedBy(newPlan(), { type: 'TIME_PASSED' }, MADE_AT_MS + LIFE_MS);
  const plan = changedBy(expired, DEPOSITED);
  assert.deepEqual(fundsIn(plan)[0], '0x01: received 1000, settled 1000, IN AFTER_END 1000');
  assert.equal(planStatus(plan), 'ENDED');
});

test('while a plan goes on, its next action says what to do with money that nobody asked for', () => {
  const detailOf = (plan: Plan) => nextOf(plan, { nowMs: MADE_AT_MS })?.detail ?? '';
  const plan = planAfter(SWAPPED);
  const late = changedBy(plan, LATE);
  assert.equal(nextOf(late, { nowMs: MADE_AT_MS })?.why, 'PAYOUT_DUE');
  assert.match(
    detailOf(late),
    /pay the recipient .* Besides, 12 .* came that the plan has no use for: refund it and record the refund, now or when all else is done\.$/,
  );
  assert.equal(detailOf(plan).includes('Besides'), false);
  assert.equal(detailOf(changedBy(late, refunded('RF-1', 12n))).includes('Besides'), false);
});

test('another token is listed, also where it is the payout token', () => {
  const other = recordedTransfer('d', 5n, { token: `0x${'07'.repeat(20)}` });
  const payout = recordedTransfer('e', 6n, { token: corridor.target.token });
  const plan = planAfter([recorded([other, payout])]);
  assert.deepEqual(fundsIn(plan), [
    '0x01: ',
    '0x02: received 6, IN OTHER_TOKEN 6',
    '0x07: received 5, IN OTHER_TOKEN 5',
  ]);
  assert.equal(planStatus(plan), 'ACTION_REQUIRED');
});

test('a transfer from an address to itself, and a transfer that counts already, change nothing', () => {
  const account = `0x${'0c'.repeat(20)}` as const;
  assertKnown(newPlan(), recorded([recordedTransfer('d', 1_000n, { from: account })]));
  assertKnown(planAfter([DEPOSITED]), DEPOSITED);
  assertKnown(planAfter([observed(1_000n)]), DEPOSITED);
});

test('a second execution is unallocated, and becomes the swap when the first is lost', () => {
  const twice = changedBy(planAfter(SWAPPED), executed(evidence('t', 'FINAL', 1_495n), 0));
  assert.deepEqual(fundsIn(twice), [
    '0x01: received 1000, settled 1000, swapped in 2000, OUT SECOND_EXECUTION 1000',
    '0x02: settled 2995, outstanding 1500, swapped out 2995, IN SECOND_EXECUTION 1495',
  ]);
  const one = changedBy(twice, gone(twice, swapId, 's'));
  const found = changedBy(one, executed(evidence('t', 'FINAL', 1_495n), 0));
  assert.deepEqual(fundsIn(found), [
    '0x01: received 1000, settled 1000, swapped in 1000',
    '0x02: settled 1495, outstanding 1495, swapped out 1495',
  ]);
  assert.equal(planStatus(found), 'ACTION_REQUIRED');
});

const TWICE = [
  '0x01: received 1000, settled 1000, swapped in 2000, OUT SECOND_EXECUTION 1000',
  '0x02: settled 2995, outstanding 1500, swapped out 2995, IN SECOND_EXECUTION 1495',
];

test('a transaction that executes the swap twice is the swap and a second execution', () => {
  const twice = executedTwice(evidence('s', 'FINAL'), 1);
  const plan = planAfter([DEPOSITED, derived(), twice]);
  assert.deepEqual(fundsIn(plan), TWICE);
  assert.equal(amountToPayOf(plan), '1500');
  assert.deepEqual(unbookedEvidence(plan), []);
  assertKnown(plan, twice);
  const confirming = executedTwice(evidence('s', 'CONFIRMING'), 1);
  const seen = planAfter([DEPOSITED, derived(), confirming]);
  const final = changedBy(seen, twice);
  assert.deepEqual([fundsIn(final), final.ledger], [TWICE, seen.ledger], 'it is confirmed and nothing moves');
  const moved = changedBy(plan, executedTwice(atLog(evidence('s', 'FINAL', 1_500n, 'y'), 5), 1));
  assert.deepEqual(fundsIn(moved), TWICE);
  assert.deepEqual(unbookedEvidence(moved), []);
  const back = changedBy(plan, gone(plan, swapId, 's'));
  assert.deepEqual(fundsIn(back), ['0x01: received 1000, settled 1000, outstanding 1000', '0x02: ']);
  const refund = changedBy(plan, refunded('B1', 1_495n, assetsOf({ corridor }).target));
  assert.equal(fundsIn(refund)[1], '0x02: settled 2995, outstanding 1500, swapped out 2995');
});

test('what was recorded as one execution is told apart when it is told again', () => {
  const both = evidence('s', 'CONFIRMING', 2_995n);
  const [moved] = evidence('s', 'CONFIRMING').transfers;
  assert.ok(moved);
  const transfers = [moved, { ...moved, logIndex: 1, amount: amountOf(1_495n) }];
  for (const status of ['CONFIRMING', 'FINAL'] as const) {
    const merged = executed({ ...both, status, transfers }, 1);
    const plan = planAfter([DEPOSITED, derived(), merged]);
    assert.match(fundsIn(plan)[1] ?? '', /outstanding 2995, swapped out 2995$/);
    const told = changedBy(plan, executedTwice(evidence('s', 'FINAL'), 1));
    assert.deepEqual(fundsIn(told), TWICE);
    assert.deepEqual([unbookedEvidence(told), amountToPayOf(told)], [[], '1500']);
  }
});

test('a second transaction with two calls is two executions that nobody asked for', () => {
  const second = executedTwice(evidence('t', 'FINAL', 1_495n), 0, 1_490n);
  const plan = changedBy(planAfter(SWAPPED), second);
  const spent = 'OUT SECOND_EXECUTION 1000, OUT SECOND_EXECUTION 1000';
  const brought = 'IN SECOND_EXECUTION 1490, IN SECOND_EXECUTION 1495';
  assert.deepEqual(fundsIn(plan), [
    `0x01: received 1000, settled 1000, swapped in 3000, ${spent}`,
    `0x02: settled 4485, outstanding 1500, swapped out 4485, ${brought}`,
  ]);
  assertKnown(plan, second);
  // Without the plan's own execution the first call takes its place, before it is told again and after that.
  const lostOwn = changedBy(plan, gone(plan, swapId, 's'));
  assert.match(fundsIn(lostOwn)[0] ?? '', /swapped in 2000, OUT SECOND_EXECUTION 1000$/);
  const found = changedBy(lostOwn, second);
  assert.deepEqual(fundsIn(found), [
    '0x01: received 1000, settled 1000, swapped in 2000, OUT SECOND_EXECUTION 1000',
    '0x02: settled 2985, outstanding 1495, swapped out 2985, IN SECOND_EXECUTION 1490',
  ]);
  const over = changedBy(planAfter([DEPOSITED, derived()]), closed());
  const late = changedBy(over, second);
  assert.match(fundsIn(late)[0] ?? '', /swapped in 2000, OUT SECOND_EXECUTION 1000$/);
  assert.match(fundsIn(late)[1] ?? '', /swapped out 2985, IN SECOND_EXECUTION 1490, IN AFTER_END 1495$/);
});

test('what a second execution spent is set off against no deposit, whichever came first', () => {
  const second = executed(evidence('t', 'FINAL', 1_495n), 0);
  const late = recorded([recordedTransfer('l', 1_000n)]);
  for (const order of [
    [second, late],
    [late, second],
  ]) {
    const plan = order.reduce((before, command) => changedBy(before, command), planAfter(SWAPPED));
    const there = 'received 2000, settled 2000, swapped in 2000, IN AFTER_SWAP 1000';
    assert.equal(fundsIn(plan)[0], `0x01: ${there}, OUT SECOND_EXECUTION 1000`);
    const back = changedBy(plan, refunded('B1', 1_000n));
    assert.match(fundsIn(back)[0] ?? '', /swapped in 2000, OUT SECOND_EXECUTION 1000$/);
  }
  const above = planAfter([recorded([recordedTransfer('d', 1_200n)]), ...SWAPPED.slice(1)]);
  const there = fundsIn(changedBy(above, second))[0] ?? '';
  assert.match(there, /IN ABOVE_AMOUNT 200, OUT SECOND_EXECUTION 1000$/);
});

test('a refund gives back what a second execution brought before it, not what one brings later', () => {
  const refund = refunded('B1', 400n, assetsOf({ corridor }).target);
  const second = executed(evidence('t', 'FINAL', 1_495n), 0);
  const before = changedBy(changedBy(planAfter(SWAPPED), refund), second);
  const due = 'outstanding 1100, swapped out 2995, IN SECOND_EXECUTION 1495';
  assert.equal(fundsIn(before)[1], `0x02: settled 2995, ${due}`);
  assert.equal(amountToPayOf(before), '1100');
  const after = changedBy(changedBy(planAfter(SWAPPED), second), refund);
  const kept = '0x02: settled 2995, outstanding 1500, swapped out 2995, IN SECOND_EXECUTION 1095';
  assert.equal(fundsIn(after)[1], kept);
  // Mined again, the execution is still one that was there before the refund.
  const elsewhere = evidence('t', 'FINAL', 1_495n, 'z');
  const again = changedBy(changedBy(after, gone(after, swapId, 't')), executed(elsewhere, 0));
  assert.equal(fundsIn(again)[1], kept);
  assert.deepEqual(acknowledgementOf(changedBy(again, closed())), []);
});

test('an execution before its deposit is recorded, so that nothing is derived for it again', () => {
  const plan = planAfter([executed(evidence('s', 'FINAL'))]);
  assert.deepEqual(fundsIn(plan)[0], '0x01: swapped in 1000, OUT SWAP_WITHOUT_DEPOSIT 1000');
  assert.deepEqual(
    plan.steps.map(({ status }) => status),
    ['DONE', 'DONE', 'READY'],
  );
  assert.deepEqual(
    fundsIn(changedBy(plan, DEPOSITED))[0],
    '0x01: received 1000, settled 1000, swapped in 1000',
  );
});

test('a deposit of a later block than the execution is there, and is set off against nothing', () => {
  const late = recorded([recordedTransfer('l', 1_000n, { blockNumber: 9, blockHash: hashOf('y') })], 9);
  const ways: readonly (readonly PlanCommand[])[] = [
    [executed(evidence('s', 'FINAL'))],
    [{ type: 'PLAN_ENDED', force: false }, executed(evidence('s', 'FINAL'))],
  ];
  for (const commands of ways) {
    const plan = [...commands, late].reduce((before, command) => changedBy(before, command), newPlan());
    const funds = fundsIn(plan)[0] ?? '';
    assert.match(funds, /swapped in 1000, IN AFTER_(SWAP|END) 1000, OUT SWAP_WITHOUT_DEPOSIT 1000$/);
    const back = changedBy(plan, refunded('B1', 1_000n));
    assert.match(fundsIn(back)[0] ?? '', /swapped in 1000, OUT SWAP_WITHOUT_DEPOSIT 1000$/);
  }
});

test('a swap that is lost after its payout leaves the payout as spent without an arrival', () => {
  const paid = changedBy(planAfter(SWAPPED), paidByReference('R1'));
  const plan = changedBy(paid, gone(paid, swapId, 's'));
  assert.deepEqual(fundsIn(plan), [
    '0x01: received 1000, settled 1000, outstanding 1000',
    '0x02: paidOut 1500, OUT PAID_WITHOUT_SWAP 1500',
  ]);
  const [swap] = plan.steps.filter((step) => step.type === 'EXECUTE_SWAP');
  assert.deepEqual([swap?.status, swap?.evidence?.status], ['DONE', 'LOST']);
});

test('a swap that was told is in the ledger once, and taken back when it is lost', () => {
  const plan = planAfter([observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)]);
  const undone = changedBy(plan, lost(swapId, 's'));
  assert.deepEqual(
    undone.ledger?.map(({ kind, actual, reverses }) => [kind, actual, reverses]),
    [
      ['DEPOSIT', '1000', undefined],
      ['SWAP_IN', '1000', undefined],
      ['SWAP_OUT', '1500', undefined],
      ['SWAP_IN', '1000', 'mov_100000002'],
      ['SWAP_OUT', '1500', 'mov_100000003'],
    ],
  );
});

test('where the source token is the payout token, one asset has both equations', () => {
  const { source, target } = corridor;
  const plan = { ...newPlan(), corridor: { ...corridor, target: { ...target, token: source.token } } };
  const deposited = changedBy(plan, DEPOSITED);
  assert.deepEqual(fundsIn(deposited), ['0x01: received 1000, settled 1000, outstanding 1000']);
  const both = changedBy(deposited, executed(evidence('s', 'FINAL', 1_000n)));
  const told = '0x01: received 1000, settled 1000, outstanding 1000, swapped in 1000, swapped out 1000';
  assert.deepEqual(fundsIn(both), [told]);
  const late = '0x01: received 1012, settled 1000, outstanding 1000, swapped in 1000, swapped out 1000';
  assert.deepEqual(fundsIn(changedBy(both, LATE)), [`${late}, IN AFTER_SWAP 12`]);
});

test('a payout that came back stays in the ledger when the chain loses its transaction', () => {
  const back = planAfter([
    executed(evidence('a', 'FINAL'), 0),
    paidByTransaction(evidence('p', 'FINAL')),
    payoutReturned(undefined, 1_400n),
  ]);
  const lostOnce = changedBy(back, gone(back, lastId, 'p'));
  assert.deepEqual(unbookedEvidence(lostOnce), []);
  assert.deepEqual(fundsIn(lostOnce), fundsIn(back));
  assertKnown(lostOnce, gone(back, lastId, 'p'));
});

test('a second execution is settled once it is final, and no more when its block is gone', () => {
  const second = (status: 'CONFIRMING' | 'FINAL', block = 'z') =>
    executed({ ...evidence('t', status, 1_495n, block), blockNumber: 9 }, 1);
  const told = (settled: number, brought = 2_995, left = ', IN SECOND_EXECUTION 1495') =>
    `0x02: settled ${settled}, outstanding 1500, swapped out ${brought}${left}`;
  const confirming = changedBy(planAfter(SWAPPED), second('CONFIRMING'));
  assert.equal(fundsIn(confirming)[1], told(1_500));
  assert.equal(awaitedBlock(confirming), 9 + corridor.minConfirmations - 1);
  assertKnown(confirming, second('CONFIRMING'));
  const final = changedBy(confirming, second('FINAL'));
  assert.equal(fundsIn(final)[1], told(2_995));
  assert.equal(awaitedBlock(final), undefined);
  assertKnown(final, second('FINAL'));
  assertKnown(final, second('CONFIRMING'));
  const lostAgain = changedBy(final, gone(final, swapId, 't'));
  assert.equal(fundsIn(lostAgain)[1], told(1_500, 1_500, ''));
  assert.equal(fundsIn(changedBy(lostAgain, second('CONFIRMING')))[1], told(1_500));
  const moved = changedBy(final, second('CONFIRMING', 'y'));
  assert.equal(fundsIn(moved)[1], told(1_500), 'in another block it is to be confirmed anew');
  assert.equal(fundsIn(changedBy(moved, second('FINAL', 'y')))[1], told(2_995));
});

test('all that further calls and executions after the end brought is settled once final', () => {
  const twice = planAfter([DEPOSITED, derived(), executedTwice(evidence('s', 'FINAL'), 1)]);
  assert.match(fundsIn(twice)[1] ?? '', /settled 2995,/);
  const ready = planAfter([DEPOSITED, derived()]);
  const ended = changedBy(ready, closed());
  const late = changedBy(ended, executed(evidence('s', 'CONFIRMING'), 1));
  assert.doesNotMatch(fundsIn(late)[1] ?? '', /settled/);
  assert.match(fundsIn(changedBy(late, executed(evidence('s', 'FINAL'), 1)))[1] ?? '', /settled 1500,/);
});
