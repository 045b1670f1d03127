// Transactions that were submitted and may still be mined: while there is one, nobody may execute the plan again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fateOf,
  type TransactionSight,
  pendingOf,
  pendingTransactionsOf,
  nextOf,
  type Plan,
  type PlanCommand,
  type SubmissionFate,
  submittedPosition,
  swapStep,
  workOf,
} from '../src/index.ts';
import { due } from './paidPlans.ts';
import {
  allRefunded,
  closed,
  derived,
  evidence,
  executed,
  hashOf,
  lost,
  observed,
  otherwise,
  payoutSent,
  refunded,
  retried,
  sent,
  sentInVain,
  swapFailed,
  withheld,
} from './planCommands.ts';
import { corridor, newPlan, STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [, swapId] = STEP_IDS;
const DAY_MS = 86_400_000;
const ready = [observed(1_000n), derived()];
const flying = [...ready, sent('s')];

function hashesOf(plan: Plan): readonly string[] {
  return pendingTransactionsOf(plan).map(({ txHash }) => txHash);
}

function refusal(plan: Plan, command: PlanCommand): string {
  return refusalOf(plan, command).reason;
}

/** The plan after these commands. Each adds its movements, as the store has them added. */
function booked(commands: readonly PlanCommand[]): Plan {
  return commands.reduce((plan, command) => {
    const atMs = plan.updatedAtMs + 1_000;
    return changedBy(plan, command, atMs);
  }, newPlan());
}

function detailOf(plan: Plan): string {
  return nextOf(plan, { nowMs: plan.updatedAtMs })?.detail ?? '';
}

/** The same command with `force`. */
function forced(command: PlanCommand): PlanCommand {
  return { ...command, force: true } as PlanCommand;
}

test('while a submitted transaction may be mined, nobody gets other instructions', () => {
  const plan = planAfter(flying);
  assert.deepEqual(hashesOf(plan), [hashOf('s')]);
  assert.equal(swapStep(plan).status, 'READY');
  for (const command of [derived('cc'), withheld('PRICE_BELOW_FLOOR')])
    assert.equal(refusal(plan, command), 'EXECUTION_PENDING');
  const failed = changedBy(plan, swapFailed(undefined, 'INSTRUCTIONS_EXPIRED'));
  assert.equal(refusal(failed, retried(swapId)), 'EXECUTION_PENDING');
});

test('force ends the pending transactions, and says so in the plan', () => {
  const plan = planAfter(flying);
  for (const command of [derived('cc'), withheld('PRICE_BELOW_FLOOR')]) {
    const after = changedBy(plan, forced(command));
    assert.deepEqual(hashesOf(after), []);
    assert.equal(swapStep(after).attempts[1]?.submissions?.[0]?.fate, 'FORCED');
  }
  const failed = changedBy(plan, swapFailed(undefined, 'INSTRUCTIONS_EXPIRED'));
  const again = changedBy(failed, forced(retried(swapId)));
  assert.deepEqual(hashesOf(again), []);
  assert.equal(swapStep(again).status, 'READY');
});

test('the service derives nothing by itself while a transaction is pending', () => {
  const waiting = planAfter([...ready, withheld('PRICE_BELOW_FLOOR')]);
  const pending = changedBy(waiting, sent('s'));
  assert.equal(workOf(waiting)?.kind, 'DERIVE_INSTRUCTIONS');
  assert.notEqual(workOf(pending)?.kind, 'DERIVE_INSTRUCTIONS');
  assertKnown(pending, derived('cc', 'SERVICE'));
  changedBy(waiting, derived('cc', 'SERVICE'));
});

test('the next action names the transaction that is pending', () => {
  const plan = planAfter(flying);
  const action = nextOf(plan, { nowMs: plan.updatedAtMs });
  assert.equal(action?.why, 'TRANSACTION_PENDING');
  assert.match(action?.detail ?? '', new RegExp(hashOf('s')));
});

test('the next action tells the deadline of a pending transaction', () => {
  for (const plan of [planAfter(flying), booked([...flying, swapFailed()])]) {
    const { deadlineMs, detail = '' } = nextOf(plan, { nowMs: plan.updatedAtMs }) ?? {};
    assert.equal(deadlineMs, swapStep(plan).attempts.at(-1)?.notAfterMs);
    assert.match(detail, /When the deadline is over on the chain, the service stops to wait/);
  }
});

test('a swap that failed is neither retried nor closed while a transaction is pending', () => {
  const failed = booked([...flying, swapFailed()]);
  assert.equal(summary(failed), 'IN_PROGRESS: DONE FAILED PENDING; CHAIN TRANSACTION_PENDING');
  assert.match(
    detailOf(failed),
    /neither can be mined any more, send "force": true with POST …\/again or …\/end/,
  );
  const part = changedBy(failed, refunded('B1', 400n));
  assert.equal(summary(part), 'IN_PROGRESS: DONE FAILED PENDING; CHAIN TRANSACTION_PENDING');
  const back = changedBy(failed, allRefunded(failed));
  assert.equal(summary(back), 'IN_PROGRESS: DONE FAILED PENDING; CHAIN TRANSACTION_PENDING');
  assert.match(
    detailOf(back),
    /neither can be mined any more, send "force": true with POST …\/again or …\/end/,
  );
  assert.equal(refusal(back, closed()), 'EXECUTION_PENDING');
  const inVain = changedBy(back, sentInVain('s'));
  assert.equal(summary(inVain), 'ACTION_REQUIRED: DONE FAILED PENDING; INTEGRATOR NOTHING_LEFT');
  assert.equal(changedBy(inVain, closed()).ended?.reason, 'OTHER');
});

test('a swap that the chain lost is looked for before a plan that was refunded is closed', () => {
  const gone = booked([...ready, executed(evidence('s', 'CONFIRMING'), 1), lost(swapId, 's')]);
  const back = changedBy(gone, allRefunded(gone));
  assert.equal(summary(back), 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR TRANSACTION_LOST');
  assert.match(detailOf(back), /end the plan with "force": true only when neither/);
  assert.equal(refusal(back, closed()), 'EXECUTION_PENDING');
  assert.equal(changedBy(back, closed({ force: true })).ended?.reason, 'OTHER');
});

test('the same submission again changes nothing; a fee bump of it is added', () => {
  const plan = planAfter(flying);
  assertKnown(plan, sent('s'));
  assertKnown(plan, sent('s', 1, {}));
  assert.deepEqual(hashesOf(changedBy(plan, sent('t'))), [hashOf('s'), hashOf('t')]);
});

test('sender and nonce are filled in once, and then cannot be contradicted', () => {
  const bare = planAfter([...ready, sent('s', 1, {})]);
  const filled = changedBy(bare, sent('s'));
  assert.equal(pendingTransactionsOf(filled)[0]?.nonce, 1);
  const other = sent('s', 1, { sender: `0x${'0a'.repeat(20)}`, nonce: 2 });
  assert.equal(refusal(filled, other), 'EVIDENCE_MISMATCH');
});

test('a submission for an attempt that there is not, or of another attempt, is refused', () => {
  const plan = changedBy(planAfter(flying), forced(derived('cc')));
  assert.equal(refusal(plan, sent('t', 9)), 'EVIDENCE_MISMATCH');
  assert.equal(refusal(plan, sent('s', 2)), 'EVIDENCE_MISMATCH');
});

test('at most sixteen transactions of one attempt are kept', () => {
  const letters = 'abcdefghijklmnop';
  const full = [...letters].reduce((plan, letter) => changedBy(plan, sent(letter)), planAfter(ready));
  assert.equal(hashesOf(full).length, 16);
  assert.equal(refusal(full, sent('q')), 'TOO_MANY');
});

test('a mined transaction ends the pending ones of its nonce, until the chain loses it', () => {
  const bumped = changedBy(planAfter(flying), sent('t'));
  const mined = changedBy(bumped, executed(evidence('t', 'CONFIRMING'), 1));
  assert.deepEqual(hashesOf(mined), []);
  assert.deepEqual(hashesOf(changedBy(mined, lost(swapId, 't'))), [hashOf('s'), hashOf('t')]);
});

test('a transaction with another nonce stays pending beside the one that was executed', () => {
  const other = sent('t', 1, { sender: `0x${'0a'.repeat(20)}`, nonce: 2 });
  const mined = changedBy(changedBy(planAfter(flying), other), executed(evidence('s', 'FINAL'), 1));
  assert.deepEqual(hashesOf(mined), [hashOf('t')]);
});

test('a transaction that was reverted is no longer pending', () => {
  assert.deepEqual(hashesOf(changedBy(planAfter(flying), swapFailed('s'))), []);
});

test('a transaction whose fate is certain is not pending; mined after all, it still counts', () => {
  const ended = changedBy(planAfter(flying), sentInVain('s'));
  assert.deepEqual(hashesOf(ended), []);
  assertKnown(ended, sentInVain('s', 1, 'REPLACED'));
  assert.equal(refusal(ended, sentInVain('t')), 'EVIDENCE_MISMATCH');
  assert.equal(changedBy(ended, otherwise(derived('cc'))).revision, ended.revision + 1);
  assert.equal(swapStep(changedBy(ended, executed(evidence('s', 'FINAL'), 1))).status, 'DONE');
});

test('what became of a transaction is decided by what the chain shows of it, and by its time', () => {
  const plan = planAfter(flying);
  const bare = planAfter([...ready, sent('s', 1, {})]);
  const paying = due([payoutSent('p', {})]);
  const transferOnly = {
    ...plan,
    corridor: { ...corridor, target: { ...corridor.target, token: corridor.source.token } },
  };
  const deadlineMs = swapStep(plan).attempts[1]?.notAfterMs ?? 0;
  const sight: TransactionSight = {
    found: 'NONE',
    isFinal: false,
    isReplaced: false,
    finalBlockTimeMs: deadlineMs,
    nowMs: plan.updatedAtMs,
    canForget: true,
  };
  const late = { finalBlockTimeMs: deadlineMs + 1 };
  const aDayLater = { nowMs: plan.updatedAtMs + DAY_MS };
  const cases: [Plan, Partial<TransactionSight>, SubmissionFate | undefined][] = [
    [plan, {}, undefined],
    [plan, { found: 'PENDING' }, undefined],
    [plan, { found: 'OTHER' }, undefined],
    [plan, { found: 'OTHER', isFinal: true }, 'NOT_EXECUTED'],
    [plan, { found: 'EXECUTED', isFinal: true, ...late, ...aDayLater }, undefined],
    [plan, { isReplaced: true }, 'REPLACED'],
    [plan, late, 'EXPIRED'],
    [plan, { found: 'PENDING', ...late }, 'EXPIRED'],
    [transferOnly, { ...late, ...aDayLater }, undefined],
    [plan, aDayLater, undefined],
    [bare, { nowMs: aDayLater.nowMs - 1 }, undefined],
    [bare, aDayLater, 'FORGOTTEN'],
    [bare, { ...aDayLater, canForget: false }, undefined],
    [bare, { found: 'PENDING', ...aDayLater }, undefined],
    [paying, { found: 'PENDING' }, undefined],
    [paying, { ...late, ...aDayLater }, undefined],
    [paying, { found: 'EXECUTED', isFinal: true }, undefined],
    [paying, { found: 'OTHER' }, undefined],
    [paying, { found: 'OTHER', isFinal: true }, 'NOT_EXECUTED'],
    [paying, { isReplaced: true }, 'REPLACED'],
  ];
  for (const [each, seen, fate] of cases) {
    const [pending] = pendingOf(each);
    assert.ok(pending);
    assert.equal(fateOf(each, pending, { ...sight, ...seen }), fate, JSON.stringify(seen));
  }
});

test('a plan that has ended still takes note of a transaction that was sent', () => {
  const cancelled = changedBy(newPlan(), { type: 'PLAN_ENDED', force: false });
  assert.deepEqual(hashesOf(changedBy(cancelled, sent('s', 0))), [hashOf('s')]);
});

test('a waiting transaction belongs to the attempt whose call it makes or passes on', () => {
  const plan = planAfter([...ready, otherwise(derived('cc'))]);
  const { attempts } = swapStep(plan);
  const by = { sender: `0x${'0b'.repeat(20)}`, nonce: 3 } as const;
  const calls = attempts.map(({ instructions }) => instructions.at(-1) ?? assert.fail());
  const [first, ...later] = calls.map(({ to, data }) => {
    const direct = { ...by, to: to.toLowerCase() as `0x${string}`, input: data.toLowerCase() };
    const input = `0x1234${to.slice(2).toLowerCase()}${data.slice(2).toLowerCase()}`;
    return [direct, { ...by, to: `0x${'0d'.repeat(20)}` as const, input }];
  });
  const newest = attempts.length - 1;
  const positionOf = (signed: Parameters<typeof submittedPosition>[2]) =>
    submittedPosition(plan, hashOf('w'), signed);
  assert.deepEqual(later.at(-1)?.map(positionOf), [newest, newest]);
  // The newest of the same calls counts: its deadline is the latest.
  const alike = attempts.findLastIndex(({ instructions }) => instructions.at(-1)?.data === calls[0]?.data);
  assert.deepEqual(first?.map(positionOf), [alike, alike]);
  assert.equal(positionOf(undefined), newest, 'nothing is known of it');
  assert.equal(positionOf({ ...by, to: undefined, input: '0x' }), newest, 'it is opaque');
  const known = changedBy(plan, sent('w', 0));
  assert.equal(submittedPosition(known, hashOf('w')), 0, 'it was submitted for another attempt');
});
