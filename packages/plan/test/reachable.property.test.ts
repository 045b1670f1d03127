import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scale, seed } from '@fairway/testing/properties';
import { type Mode, type Plan, planStatus } from '../src/index.ts';
import { assertDecision, assertPlan } from './invariants.ts';
import {
  delivery,
  derived,
  evidence,
  executed,
  linkMade,
  linkMailed,
  linkOpened,
  lost,
  observed,
  paidByReference,
  payoutFailed,
  payoutReturned,
  reported,
  retried,
  submitted,
  swapFailed,
  toldOf,
  withheld,
} from './planCommands.ts';
import { newPlan, STEP_IDS } from './plans.ts';
import { everyCommand, outcomeOf, type Reached, reachable } from './reachable.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const known = new Map<Mode, readonly Reached[]>();

/**
 * Every plan of a mode that commands lead to. Found when a test asks for it: this takes seconds, and tests of other files
 * wait for requests meanwhile.
 */
function plansOf(mode: Mode): readonly Reached[] {
  const plans = known.get(mode) ?? reachable(mode);
  known.set(mode, plans);
  return plans;
}

/** By day a fifth of the plans, which the seed chooses; at night all of them. */
const STRIDE = scale > 1 ? 1 : 5;
const isTried = (_: Reached, index: number): boolean => (index + Math.abs(seed)) % STRIDE === 0;

for (const mode of ['STANDARD', 'DIGITAL_COLLECT'] as const) {
  test(`every command at the reachable ${mode} plans keeps the invariants of plans`, () => {
    for (const { plan, way } of plansOf(mode).filter(isTried)) {
      try {
        assertPlan(plan);
        for (const named of everyCommand(plan)) {
          const atMs = plan.updatedAtMs + (named.waitedMs ?? 1_000);
          assertDecision(plan, named.command, atMs, outcomeOf(plan, named));
        }
      } catch (cause) {
        throw new Error(`${String(cause)}, after ${way.join(', ')}`, { cause });
      }
    }
  });
}

test('the reachable plans include every status', () => {
  const statuses = new Set(plansOf('STANDARD').map(({ plan }) => planStatus(plan)));
  assert.deepEqual([...statuses].sort(), [
    'ACTION_REQUIRED',
    'COMPLETED',
    'ENDED',
    'IN_PROGRESS',
    'RETURNED',
  ]);
});

test('a command of another kind of step is refused with the kind of the step, whatever the plan', () => {
  const first = [observed(1_000n), reported(1_000n)];
  const second = [derived(), withheld('NOT_DERIVABLE'), executed(evidence('s', 'FINAL')), swapFailed()];
  const third = [paidByReference('R1'), payoutFailed(), payoutReturned()];
  const collecting = [linkMade('FIRST', 1), linkMailed(1), linkOpened(1), submitted(1), delivery('SENT')];
  const refusals = (plan: Plan) =>
    [
      ...first.flatMap((command) => [toldOf(swapId, command), toldOf(lastId, command)]),
      ...second.flatMap((command) => [toldOf(depositId, command), toldOf(lastId, command)]),
      ...[...third, ...collecting].flatMap((command) => [
        toldOf(depositId, command),
        toldOf(swapId, command),
      ]),
      ...(plan.mode === 'STANDARD' ? collecting : third),
      lost(depositId, 'd'),
    ].map((command) => {
      const decision = outcomeOf(plan, { name: command.type, command });
      assert.ok(!decision.ok, `${command.type} was taken`);
      const step =
        'stepId' in command ? plan.steps.find(({ stepId }) => stepId === command.stepId) : undefined;
      return assert.deepEqual(decision.refusal, { reason: 'NOT_OF_THIS_STEP', stepType: step?.type });
    });
  for (const { plan } of [...plansOf('STANDARD'), ...plansOf('DIGITAL_COLLECT')]) refusals(plan);
});

test('a command about a step of another plan is refused', () => {
  for (const { command } of everyCommand(newPlan())) {
    if (!('stepId' in command)) continue;
    const foreign = toldOf('step_of_another_plan' as typeof depositId, command);
    assert.deepEqual(outcomeOf(newPlan(), { name: command.type, command: foreign }), {
      ok: false,
      refusal: { reason: 'STEP_UNKNOWN' },
    });
  }
  assert.equal(outcomeOf(newPlan(), { name: 'retry', command: retried(depositId) }).ok, false);
});

/** How a refusal says what to do. */
const REMEDY = /\b(Report|Read|Send|Give|Look|Leave|Wait|name|say|report)\b/;

test('every refusal of what contradicts the records says what to do', () => {
  for (const { plan } of [...plansOf('STANDARD'), ...plansOf('DIGITAL_COLLECT')].filter(isTried))
    for (const each of everyCommand(plan)) {
      const decision = outcomeOf(plan, each);
      if (!decision.ok && decision.refusal.reason === 'EVIDENCE_MISMATCH')
        assert.match(decision.refusal.detail, REMEDY);
    }
});
