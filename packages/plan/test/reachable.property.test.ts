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
} from './planEvents.ts';
import { newPlan, STEP_IDS } from './plans.ts';
import { everyEvent, outcomeOf, type Reached, reachable } from './reachable.ts';

const [depositId, swapId, lastId] = STEP_IDS;
const known = new Map<Mode, readonly Reached[]>();

/**
 * Every plan of a mode that events lead to. Found when a test asks for it: this takes seconds, and tests of other files
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
  test(`every event at the reachable ${mode} plans keeps the invariants of plans`, () => {
    for (const { plan, way } of plansOf(mode).filter(isTried)) {
      try {
        assertPlan(plan);
        for (const named of everyEvent(plan)) {
          const atMs = plan.updatedAtMs + (named.waitedMs ?? 1_000);
          assertDecision(plan, named.event, atMs, outcomeOf(plan, named));
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

test('an event of another kind of step is refused with the kind of the step, whatever the plan', () => {
  const first = [observed(1_000n), reported(1_000n)];
  const second = [derived(), withheld('NOT_DERIVABLE'), executed(evidence('s', 'FINAL')), swapFailed()];
  const third = [paidByReference('R1'), payoutFailed(), payoutReturned()];
  const collecting = [linkMade('FIRST', 1), linkMailed(1), linkOpened(1), submitted(1), delivery('SENT')];
  const refusals = (plan: Plan) =>
    [
      ...first.flatMap((event) => [toldOf(swapId, event), toldOf(lastId, event)]),
      ...second.flatMap((event) => [toldOf(depositId, event), toldOf(lastId, event)]),
      ...[...third, ...collecting].flatMap((event) => [toldOf(depositId, event), toldOf(swapId, event)]),
      ...(plan.mode === 'STANDARD' ? collecting : third),
      lost(depositId, 'd'),
    ].map((event) => {
      const decision = outcomeOf(plan, { name: event.type, event });
      assert.ok(!decision.ok, `${event.type} was taken`);
      const step = 'stepId' in event ? plan.steps.find(({ stepId }) => stepId === event.stepId) : undefined;
      return assert.deepEqual(decision.refusal, { reason: 'NOT_OF_THIS_STEP', stepType: step?.type });
    });
  for (const { plan } of [...plansOf('STANDARD'), ...plansOf('DIGITAL_COLLECT')]) refusals(plan);
});

test('an event about a step of another plan is refused', () => {
  for (const { event } of everyEvent(newPlan())) {
    if (!('stepId' in event)) continue;
    const foreign = toldOf('step_of_another_plan' as typeof depositId, event);
    assert.deepEqual(outcomeOf(newPlan(), { name: event.type, event: foreign }), {
      ok: false,
      refusal: { reason: 'STEP_UNKNOWN' },
    });
  }
  assert.equal(outcomeOf(newPlan(), { name: 'retry', event: retried(depositId) }).ok, false);
});

/** How a refusal says what to do. */
const REMEDY = /\b(Report|Read|Send|Give|Look|Leave|Wait|name|say|report)\b/;

test('every refusal of what contradicts the records says what to do', () => {
  for (const { plan } of [...plansOf('STANDARD'), ...plansOf('DIGITAL_COLLECT')].filter(isTried))
    for (const each of everyEvent(plan)) {
      const decision = outcomeOf(plan, each);
      if (!decision.ok && decision.refusal.reason === 'EVIDENCE_MISMATCH')
        assert.match(decision.refusal.detail, REMEDY);
    }
});
