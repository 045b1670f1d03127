// A second person approves payments: nobody alone, whatever happens in between and in whatever order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { scale, seed } from '@fairway/testing/properties';
import { amountOf, decide, needsApproval, nextOf, type Plan, type PlanCommand } from '../src/index.ts';
import { assertPlan } from './invariants.ts';
import {
  derived,
  evidence,
  executed,
  lost,
  observed,
  payoutFailed,
  recorded,
  recordedTransfer,
  replaced,
  sent,
} from './planCommands.ts';
import { newPlan, STEP_IDS } from './plans.ts';
import { everyCommand } from './reachable.ts';
import { assertKnown, changedBy, refusalOf, summary } from './scenarios.ts';

const HELD = { paymentApproval: { above: amountOf(999n) } };

function approved(by: string, version = 1): PlanCommand {
  return { type: 'PLAN_APPROVED', by, version };
}

function named(letter: string, by: string): PlanCommand {
  return { ...replaced(letter), by } as PlanCommand;
}

test('only payments above the limit of the corridor need approval', () => {
  assert.deepEqual(newPlan({}, HELD).approval, { version: 1, madeBy: 'cred_1' });
  assert.equal(newPlan({}, { paymentApproval: { above: amountOf(1_000n) } }).approval, undefined);
  assert.equal(refusalOf(newPlan(), approved('cred_2')).reason, 'APPROVAL_NOT_DUE');
});

test('a payment goes on when another credential has approved it, not before', () => {
  const made = newPlan({}, HELD);
  const { detail = '' } = nextOf(made, { nowMs: made.updatedAtMs }) ?? {};
  assert.match(
    detail,
    /approve version 1 of this payment with another credential.*The deposit may come before/,
  );
  const deposited = changedBy(made, observed(1_000n));
  assert.equal(summary(deposited), 'ACTION_REQUIRED: DONE PENDING PENDING; APPROVER NOT_APPROVED');
  assert.equal(refusalOf(deposited, derived()).reason, 'APPROVAL_REQUIRED');
  assert.equal(refusalOf(deposited, approved('cred_1')).reason, 'OWN_APPROVAL');
  assert.equal(refusalOf(deposited, approved('cred_2', 2)).reason, 'APPROVAL_NOT_DUE');
  const free = changedBy(deposited, approved('cred_2'));
  assert.equal(summary(free), 'IN_PROGRESS: DONE PENDING PENDING; SERVICE INSTRUCTIONS_DUE');
  assertKnown(free, approved('cred_2'));
  assert.equal(refusalOf(free, approved('cred_3')).reason, 'APPROVAL_NOT_DUE');
  assert.equal(
    refusalOf(changedBy(made, { type: 'PLAN_ENDED', force: false }), approved('cred_2')).reason,
    'STEP_NOT_READY',
  );
});

test('without an approval no transaction of the swap is answered by other instructions', () => {
  const executing = [observed(1_000n), executed(evidence('s', 'FINAL'))];
  const done = executing.reduce((plan, command) => changedBy(plan, command), newPlan({}, HELD));
  const lostSwap = changedBy(done, lost(STEP_IDS[1], 's'));
  const pending = changedBy(changedBy(newPlan({}, HELD), observed(1_000n)), sent('s', 0));
  for (const [plan, why] of [
    [lostSwap, 'TRANSACTION_LOST'],
    [pending, 'TRANSACTION_PENDING'],
  ] as const) {
    const optionsOf = (each: Plan) => nextOf(each, { nowMs: each.updatedAtMs })?.options;
    assert.equal(nextOf(plan, { nowMs: plan.updatedAtMs })?.why, why);
    assert.deepEqual(optionsOf(plan), ['reports', 'end']);
    assert.deepEqual(optionsOf(changedBy(plan, approved('cred_2'))), ['reports', 'again', 'end']);
  }
});

test('another recipient takes the approval back, and whoever named it cannot give it', () => {
  const begun = [
    recorded([recordedTransfer('d', 1_000n)]),
    approved('cred_2'),
    derived(),
    executed(evidence('s', 'FINAL'), 1),
    payoutFailed('R1'),
  ];
  const failed = begun.reduce((plan, command) => changedBy(plan, command), newPlan({}, HELD));
  const changed = changedBy(failed, named('b', 'cred_2'));
  assert.equal(summary(changed), 'ACTION_REQUIRED: DONE DONE READY; APPROVER NOT_APPROVED');
  assert.equal(refusalOf(changed, approved('cred_2', 2)).reason, 'OWN_APPROVAL');
  assert.equal(refusalOf(changed, approved('cred_1', 1)).reason, 'APPROVAL_NOT_DUE', 'not unseen');
  const free = changedBy(changed, approved('cred_1', 2));
  assert.equal(summary(free), 'ACTION_REQUIRED: DONE DONE READY; CUSTODIAN PAYOUT_DUE');
});

const PEOPLE = ['cred_1', 'cred_2', 'cred_3'] as const;

/** What the test itself knows: who named the present recipient, and who has approved it. */
type Known = { readonly namer: string; readonly approver?: string };

function afterCommand(known: Known, command: PlanCommand, before: Plan, after: Plan): Known {
  if (command.type === 'PLAN_APPROVED') return { ...known, approver: command.by };
  const isNamed =
    command.type === 'RECIPIENT_REPLACED' ||
    (command.type === 'LINK_MADE' && command.recipient !== undefined);
  if (!isNamed) return known;
  assert.equal(after.approval?.version, (before.approval?.version ?? 0) + 1);
  return { namer: command.by ?? known.namer };
}

test('in any order of commands, a payment that may go on was approved by somebody else', () => {
  console.log(`FC_SEED=${seed}`);
  const random = createRandom(seed);
  for (let history = 0; history < 150 * scale; history += 1) {
    const mode = random.pick(['STANDARD', 'DIGITAL_COLLECT'] as const);
    let plan = newPlan({ mode }, HELD);
    let known: Known = { namer: 'cred_1' };
    for (let step = 0; step < 40; step += 1) {
      const by = random.pick(PEOPLE);
      const version = (plan.approval?.version ?? 0) - random.pick([0, 0, 0, 1]);
      const { command: any, waitedMs = 1_000 } = random.pick(everyCommand(plan));
      const command = random.pick([0, 1, 2]) === 0 ? approved(by, version) : ({ ...any, by } as PlanCommand);
      const decision = decide(plan, command, plan.updatedAtMs + waitedMs);
      if (!decision.ok || decision.outcome === 'UNCHANGED') continue;
      known = afterCommand(known, command, plan, decision.plan);
      plan = decision.plan;
      assertPlan(plan);
      assert.equal(needsApproval(plan), known.approver === undefined);
      assert.notEqual(known.approver, known.namer, 'nobody approves alone');
    }
  }
});
