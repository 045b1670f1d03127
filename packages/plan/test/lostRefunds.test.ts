// A refund that a reorganisation took back is mostly mined again. Its money is not moved a second time meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountToPayOf,
  assetsOf,
  awaitedRefunds,
  commandsFromRecord,
  NEXT,
  nextOf,
  payableNow,
  type Plan,
  type PlanCommand,
  refundsAgain,
  standingMovements,
  workOf,
} from '../src/index.ts';
import { leftOf } from '../src/book/equations.ts';
import { lostRefundsOf } from '../src/deposit/lostTransactions.ts';
import { underWay } from '../src/ending/closing.ts';
import { after, due } from './paidPlans.ts';
import {
  closed,
  derived,
  evidence,
  gone,
  hashOf,
  observed,
  paidByReference,
  payoutFailed,
  refunded,
  retried,
} from './planCommands.ts';
import { corridor, newPlan, STEP_IDS } from './plans.ts';
import { changedBy, refusalOf } from './scenarios.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const { source, target } = assetsOf({ corridor });
const HOUR_MS = 3_600_000;
const PASSES = { type: 'TIME_PASSED' } as const;
const [FROM, TO] = [`0x${'03'.repeat(20)}`, `0x${'0b'.repeat(20)}`] as const;

/** This much went back in the transaction "r". */
function sentBack(units: bigint, asset = target): PlanCommand {
  const place = { chainId: corridor.target.chainId, txHash: hashOf('r'), logIndex: 3 };
  const transfer = { ...place, blockNumber: 7, blockHash: hashOf('x'), from: FROM, to: TO };
  const { providerReference: _, ...told } = refunded('R1', units, asset) as PlanCommand & {
    providerReference: string;
  };
  return { ...told, transfer } as PlanCommand;
}

/** This much went back in the transaction "q" in place of the lost one. */
function replacing(units: bigint, asset: typeof target): PlanCommand {
  const place = { chainId: corridor.target.chainId, txHash: hashOf('q'), logIndex: 3 };
  const transfer = { ...place, blockNumber: 8, blockHash: hashOf('z'), from: FROM, to: TO };
  return { ...refunded('R2', units, asset), transfer } as PlanCommand;
}

/** The plan after the chain shows the transaction "r" again, in another block and at another log. */
function minedAgain(plan: Plan, units: bigint, asset = target): Plan {
  assert.ok('address' in asset);
  const log = { token: asset.address, from: FROM, to: TO, amount: units, logIndex: 5 };
  const { chainId, txHash, sender, nonce } = evidence('r', 'FINAL');
  const signed = { chainId, txHash, sender, nonce, to: asset.address, input: '0x' } as const;
  const block = { blockNumber: 9, blockHash: hashOf('y'), blockTimeMs: 0, confirmations: 1 };
  const transfers = [{ ...log, amount: 1n, logIndex: 4 }, log];
  const refunds = refundsAgain(plan, { ...signed, ...block, outcome: 'SUCCEEDED', transfers });
  assert.equal(refunds.length, 1);
  const view = { readNumber: 9, deposits: [], executions: [], gone: [], refunds };
  return commandsFromRecord(plan, view, plan.updatedAtMs).reduce(after, plan);
}

const whyOf = (plan: Plan) => nextOf(plan, { nowMs: plan.updatedAtMs })?.why;
const refundsIn = (plan: Plan) => standingMovements(plan).filter(({ kind }) => kind === 'REFUND');

test('nothing is paid with a refund that is lost, until an hour is over or it is mined again', () => {
  const failed = due([payoutFailed('P1'), sentBack(700n)]);
  const lost = after(failed, gone(failed, lastId, 'r'));
  const next = nextOf(lost, { nowMs: lost.updatedAtMs });
  assert.ok(next);
  assert.deepEqual([next.why, NEXT[next.why].do, NEXT[next.why].by], ['REFUND_LOST', 'WAIT', 'CHAIN']);
  assert.match(next.detail, new RegExp(hashOf('r')));
  assert.equal(next.deadlineMs, lost.updatedAtMs + HOUR_MS);
  assert.deepEqual(workOf(lost), { kind: 'PASS_TIME', atMs: next.deadlineMs });
  assert.match(underWay(lost) ?? '', new RegExp(hashOf('r')));
  assert.equal(refusalOf(lost, closed()).reason, 'EXECUTION_PENDING');
  const again = after(lost, retried(lastId));
  assert.deepEqual([whyOf(again), payableNow(again)], ['REFUND_LOST', '0']);

  for (const plan of [lost, again]) {
    const back = minedAgain(plan, 700n);
    assert.deepEqual(
      refundsIn(back).map(({ actual, transfer }) => [actual, transfer?.blockNumber, transfer?.logIndex]),
      [['700', 9, 5]],
    );
    assert.deepEqual([amountToPayOf(back), lostRefundsOf(back)], ['800', []]);
  }
  assert.deepEqual(
    [whyOf(minedAgain(again, 700n)), payableNow(minedAgain(again, 700n))],
    ['PAYOUT_DUE', '800'],
  );
  const over = changedBy(again, PASSES, next.deadlineMs);
  assert.deepEqual([whyOf(over), payableNow(over), workOf(over)], ['PAYOUT_DUE', '1500', undefined]);
  assert.equal(amountToPayOf(minedAgain(over, 700n)), '800', 'however late it is mined again');
});

test('a lost refund is not looked for after the wait, and next says that it does not count', () => {
  const failed = due([payoutFailed('P1'), sentBack(700n)]);
  const lost = after(failed, gone(failed, lastId, 'r'));
  assert.deepEqual(awaitedRefunds(lost)?.txHashes, [hashOf('r')]);
  const over = changedBy(after(lost, retried(lastId)), PASSES);
  const forced = after(lost, { ...closed(), force: true } as PlanCommand);
  for (const plan of [over, after(over, closed()), forced]) assert.equal(awaitedRefunds(plan), undefined);
  const told = (plan: Plan) => nextOf(plan, { nowMs: plan.updatedAtMs })?.detail ?? '';
  const forgotten = new RegExp(`The refund in the transaction ${hashOf('r')} is no longer on the chain, so`);
  assert.match(told(over), forgotten);
  assert.doesNotMatch(told(lost), forgotten);
  assert.doesNotMatch(told(minedAgain(over, 700n)), forgotten);
});

test('nothing is executed with a deposit whose refund is lost', () => {
  const deposited = [observed(1_000n), derived()].reduce(after, newPlan());
  const back = after(deposited, sentBack(1_000n, source));
  assert.equal(whyOf(back), 'NOTHING_LEFT');
  const lost = after(back, gone(back, depositId, 'r'));
  assert.equal(whyOf(lost), 'REFUND_LOST');
  assert.equal(refusalOf(lost, { ...derived('cc'), stepId: swapId } as PlanCommand).reason, 'STEP_NOT_READY');
  assert.equal(whyOf(minedAgain(lost, 1_000n, source)), 'NOTHING_LEFT');
  assert.equal(whyOf(changedBy(lost, PASSES)), 'INSTRUCTIONS_EXPIRED');
});

test('while a lost refund is waited for, only a transaction shows a refund', () => {
  const deposited = [observed(1_000n), derived()].reduce(after, newPlan());
  const paid = due([]);
  const rows = [
    { before: deposited, sent: 1_000n, asset: source, stepId: depositId, other: 1_000n },
    { before: deposited, sent: 1_000n, asset: source, stepId: depositId, other: 1n },
    { before: deposited, sent: 600n, asset: source, stepId: depositId, other: 400n },
    { before: deposited, sent: 600n, asset: source, stepId: depositId, other: 401n },
    { before: paid, sent: 700n, asset: target, stepId: lastId, other: 800n },
    { before: paid, sent: 700n, asset: target, stepId: lastId, other: 801n },
  ];
  for (const { before, sent, asset, stepId, other } of rows) {
    const back = after(before, sentBack(sent, asset));
    const lost = after(back, gone(back, stepId, 'r'));
    const told = refunded('R2', other, asset);
    const refusal = refusalOf(lost, told);
    assert.ok(refusal.reason === 'STEP_NOT_READY');
    const deadline = new Date(awaitedRefunds(lost)?.untilMs ?? 0).toISOString();
    assert.match(refusal.detail, new RegExp(`${hashOf('r')}.*Until ${deadline}`));
    assert.equal(refundsIn(changedBy(changedBy(lost, PASSES), told)).length, 1, 'after the wait');
    assert.equal(refundsIn(after(lost, replacing(other, asset))).length, 1, 'it did move');
  }
});

test('what went back twice is unexplained, and no swap without a deposit', () => {
  const deposited = [observed(1_000n), derived()].reduce(after, newPlan());
  const rows = [
    { before: deposited, units: 1_000n, asset: source, stepId: depositId },
    { before: due([payoutFailed('P1')]), units: 1_500n, asset: target, stepId: lastId },
    { before: due([]), units: 1_500n, asset: target, stepId: lastId },
  ];
  for (const { before, units, asset, stepId } of rows) {
    const back = after(before, sentBack(units, asset));
    const lost = after(back, gone(back, stepId, 'r'));
    const twice = minedAgain(after(lost, replacing(units, asset)), units, asset);
    assert.equal(refundsIn(twice).length, 2);
    const entries = leftOf(twice).flatMap(({ unallocated }) => unallocated);
    assert.deepEqual(
      entries.map(({ amount, direction, reason }) => [amount, direction, reason]),
      [[String(units), 'OUT', 'PAID_ABOVE_DUE']],
    );
    const next = nextOf(twice, { nowMs: twice.updatedAtMs });
    assert.deepEqual([next?.why, next?.options], ['MONEY_UNEXPLAINED', ['end']]);
    assert.match(next?.detail ?? '', new RegExp(`^${units}.* more went back to the payer than came`));
    const ended = after(twice, closed());
    assert.equal(nextOf(ended, { nowMs: ended.updatedAtMs }), undefined);
  }
});

test('a refund is recorded again although its money was paid meanwhile, and after the end', () => {
  const plan = due([sentBack(700n)]);
  const lost = after(plan, gone(plan, lastId, 'r'));
  const paid = after(lost, paidByReference('P1'));
  const back = minedAgain(paid, 700n);
  assert.deepEqual([refundsIn(back).length, whyOf(back)], [1, 'MONEY_UNEXPLAINED']);
  const ended = after(lost, { ...closed({ reason: 'SETTLED_ELSEWHERE' }), force: true } as PlanCommand);
  assert.equal(refundsIn(minedAgain(ended, 700n)).length, 1);
});

test('a refund that is reported again by its reference counts when the wait is over', () => {
  const plan = due([{ ...sentBack(700n), providerReference: 'R1' } as PlanCommand]);
  const lost = after(plan, gone(plan, lastId, 'r'));
  assert.equal(lostRefundsOf(lost).length, 1);
  const again = refunded('R1', 700n, target);
  assert.equal(refusalOf(lost, again).reason, 'STEP_NOT_READY');
  assert.deepEqual(lostRefundsOf(after(changedBy(lost, PASSES), again)), []);
});
