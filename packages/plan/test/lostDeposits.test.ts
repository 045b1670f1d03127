// A deposit that a reorganisation took back is mostly mined again. Nobody is asked to send it a second time meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFromRecord, decide, NEXT, nextOf, type Plan, planStatus, workOf } from '../src/index.ts';
import { depositGone, gone, hashOf, observed, recorded, recordedTransfer } from './planCommands.ts';
import { LIFE_MS, MADE_AT_MS, newPlan, STEP_IDS } from './plans.ts';
import { changedBy, planAfter, summary } from './scenarios.ts';

const [depositId] = STEP_IDS;
const HOUR_MS = 3_600_000;
const WAITING = 'IN_PROGRESS: PENDING PENDING PENDING; CHAIN DEPOSIT_LOST';
const MISSING = 'ACTION_REQUIRED: PENDING PENDING PENDING; PAYER DEPOSIT_MISSING';
const PARTIAL = 'ACTION_REQUIRED: READY PENDING PENDING; PAYER DEPOSIT_PARTIAL';
const PASSES = { type: 'TIME_PASSED' } as const;
const WATCHED = { depositAddress: `0x${'0c'.repeat(20)}`, slippageBps: 50, collectLifeMs: LIFE_MS } as const;

function nextOn(plan: Plan) {
  const next = nextOf(plan, { nowMs: plan.updatedAtMs });
  assert.ok(next);
  return next;
}

for (const [name, isFinal] of [
  ['unconfirmed', false],
  ['confirmed', true],
] as const)
  test(`a deposit that was ${name} and is taken back is waited for, then asked for`, () => {
    const plan = changedBy(
      changedBy(newPlan({ options: WATCHED }), observed(1_000n, isFinal)),
      depositGone(),
    );
    assert.equal(summary(plan), WAITING);
    const { why, detail, deadlineMs = 0, options } = nextOn(plan);
    assert.deepEqual([NEXT[why].do, NEXT[why].by, deadlineMs], ['WAIT', 'CHAIN', plan.updatedAtMs + HOUR_MS]);
    assert.equal(options, undefined);
    assert.equal(
      detail,
      `The transaction ${hashOf('d')}, which brought money of the deposit, is no longer on the chain. Such a transaction is mostly mined again, and then counts by itself: send nothing before. If it is not there by the deadline, next says what to do.`,
    );
    const early = decide(plan, PASSES, deadlineMs - 1);
    assert.ok(early.ok && early.outcome === 'UNCHANGED');
    assert.equal(summary(changedBy(plan, PASSES, deadlineMs)), MISSING);
  });

test('a deposit that is mined again goes on at once, and can be waited for once more', () => {
  const taken = planAfter([observed(1_000n), depositGone()]);
  const again = changedBy(taken, observed(1_000n, true, 'y'), taken.updatedAtMs + HOUR_MS / 2);
  assert.equal(planStatus(again), 'IN_PROGRESS');
  assert.equal(nextOn(again).why, 'INSTRUCTIONS_DUE');
  const anew = changedBy(again, depositGone('y'));
  assert.equal(nextOn(anew).deadlineMs, anew.updatedAtMs + HOUR_MS);
  // After the window it counts all the same.
  assert.equal(nextOn(changedBy(changedBy(anew, PASSES), observed(1_000n))).why, 'INSTRUCTIONS_DUE');
});

test('only what is missing is waited for: a part that is there again asks for the rest at once', () => {
  const part = planAfter([observed(400n)]);
  const taken = changedBy(part, depositGone());
  assert.equal(summary(taken), WAITING);
  assert.equal(summary(changedBy(taken, observed(400n, true, 'y'))), PARTIAL);
  // Another transfer says nothing of the lost one, unless it is all that was missing.
  const [rest, all] = [400n, 1_000n].map((units) =>
    changedBy(taken, recorded([recordedTransfer('e', units)])),
  );
  assert.ok(rest !== undefined && all !== undefined);
  assert.equal(nextOn(rest).why, 'DEPOSIT_LOST');
  assert.equal(nextOn(all).why, 'INSTRUCTIONS_DUE');
});

test('two transfers that are taken back are both waited for', () => {
  const both = [recordedTransfer('d', 600n), recordedTransfer('e', 400n, { logIndex: 1 })];
  const there = planAfter([recorded(both)]);
  const taken = changedBy(changedBy(there, depositGone()), gone(there, depositId, 'e'));
  assert.match(nextOn(taken).detail, /\(1 more like it\)/);
  const one = changedBy(taken, recorded([recordedTransfer('e', 400n, { blockHash: hashOf('y') })]));
  assert.equal(nextOn(one).why, 'DEPOSIT_LOST');
  const whole = changedBy(one, recorded([recordedTransfer('d', 600n, { blockHash: hashOf('y') })]));
  assert.equal(nextOn(whole).why, 'INSTRUCTIONS_DUE');
});

test('the wait is no longer than the life of the plan, and goes on when the plan is opened again', () => {
  const late = MADE_AT_MS + LIFE_MS - HOUR_MS / 2;
  const taken = changedBy(planAfter([observed(1_000n)]), depositGone(), late);
  assert.equal(nextOn(taken).deadlineMs, MADE_AT_MS + LIFE_MS);
  const ended = changedBy(taken, PASSES);
  assert.equal(ended.ended?.reason, 'EXPIRED');
  const retry = { type: 'STEP_RETRIED', stepId: depositId } as const;
  const open = changedBy(ended, retry, MADE_AT_MS + LIFE_MS + 1);
  assert.deepEqual([nextOn(open).why, nextOn(open).deadlineMs], ['DEPOSIT_LOST', late + HOUR_MS]);
  assert.equal(summary(changedBy(open, PASSES)), MISSING);
});

test('a deposit that only moved to another block, and money of another token, are not waited for', () => {
  const there = planAfter([observed(1_000n)]);
  const { chainId, txHash, blockHash, logIndex } = recordedTransfer('d', 1_000n);
  const view = {
    readNumber: 9,
    deposits: [recordedTransfer('d', 1_000n, { blockHash: hashOf('y') })],
    executions: [],
    gone: [{ chainId, txHash, blockHash, logIndex }],
  };
  const moved = commandsFromRecord(there, view, there.updatedAtMs).reduce(
    (plan, command) => changedBy(plan, command),
    there,
  );
  assert.equal(nextOn(moved).why, 'INSTRUCTIONS_DUE');
  const strange = planAfter([recorded([recordedTransfer('d', 5n, { token: `0x${'07'.repeat(20)}` })])]);
  const without = changedBy(strange, depositGone());
  assert.equal(summary(without), MISSING);
  assert.deepEqual(workOf(without), { kind: 'PASS_TIME', atMs: without.expiresAtMs });
});

test('without a deposit address, a deposit that is mined again is reported again', () => {
  const plan = planAfter([observed(1_000n), depositGone()]);
  const { detail, options } = nextOn(plan);
  assert.match(detail, /mined again, and then is to be reported again: send nothing before/);
  assert.deepEqual(options, ['reports']);
});
