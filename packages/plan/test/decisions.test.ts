import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Decision, type Mode, nextAction, type Plan, planStatus, type Refusal } from '../src/index.ts';
import { assertDecision, assertPlan } from './invariants.ts';
import {
  COLLECT_CANCELLED,
  delivery,
  derived,
  evidence,
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
  swapped,
  toldOf,
  withheld,
} from './planEvents.ts';
import { newPlan, STEP_IDS } from './plans.ts';
import { collected, everyEvent, outcomeOf, type Reached, reachable, standing } from './reachable.ts';

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

/** Plans that take more events than this are not listed in decisions.txt; their invariants are checked all the same. */
const LONGEST_WAY_TOLD: Readonly<Record<Mode, number>> = { STANDARD: 5, DIGITAL_COLLECT: 6 };

/** The list of decisions; `node --test --test-update-snapshots` on this file writes it anew. */
const DECISIONS = join(import.meta.dirname, 'decisions.txt');

/** Replaces test hashes, which repeat the code of one letter, by that letter. */
function readable(text: string): string {
  return text.replace(/0x([0-9a-f]{2})\1{31}/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function describeRefusal(refusal: Refusal): string {
  const due = 'dueStepType' in refusal ? ` (${refusal.dueStepType} is due)` : '';
  const type = 'stepType' in refusal ? ` ${refusal.stepType}` : '';
  return readable(`${refusal.reason}${due}${type}${'detail' in refusal ? `: ${refusal.detail}` : ''}`);
}

function describe(decision: Decision): string {
  if (!decision.ok) return describeRefusal(decision.refusal);
  if (decision.outcome === 'UNCHANGED') return 'UNCHANGED';
  const statuses = decision.plan.steps.map((step) => `${step.status}${collected(step)}`).join(' ');
  return `${planStatus(decision.plan)}: ${statuses}`;
}

function describePlan({ plan, way }: Reached): string {
  const names = new Map<string, string[]>();
  for (const named of everyEvent(plan)) {
    const outcome = describe(outcomeOf(plan, named));
    names.set(outcome, [...(names.get(outcome) ?? []), named.name]);
  }
  const action = nextAction(plan, { nowMs: plan.updatedAtMs });
  const told =
    action === undefined ? 'nothing to do' : readable(`${action.actor} ${action.what}: ${action.detail}`);
  return [
    `${planStatus(plan)}: ${standing(plan)}`,
    `  by ${way.length === 0 ? 'being made' : way.join(', ')}`,
    `  ${told}`,
    ...[...names].sort().map(([outcome, events]) => `    ${outcome} <- ${events.join(', ')}`),
    '',
  ].join('\n');
}

/** The first plan of each standing, of the plans that few events lead to. */
function firstOfEach(reached: readonly Reached[]): readonly Reached[] {
  const found = new Map<string, Reached>();
  for (const one of reached) if (!found.has(standing(one.plan))) found.set(standing(one.plan), one);
  return [...found.values()].filter(({ way, plan }) => way.length <= LONGEST_WAY_TOLD[plan.mode]);
}

test('every event at every plan has the outcome that decisions.txt lists', (t) => {
  const collecting = plansOf('DIGITAL_COLLECT').filter(({ plan }) => plan.steps.at(-1)?.status !== 'PENDING');
  const told = [...firstOfEach(plansOf('STANDARD')), ...firstOfEach(collecting)].map(describePlan);
  t.assert.fileSnapshot(told.join('\n'), DECISIONS, { serializers: [String] });
});

for (const mode of ['STANDARD', 'DIGITAL_COLLECT'] as const) {
  test(`every event at every reachable ${mode} plan keeps the invariants of plans`, () => {
    for (const { plan, way } of plansOf(mode)) {
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
    'CANCELLED',
    'COMPLETED',
    'EXPIRED',
    'FAILED',
    'IN_PROGRESS',
    'PENDING',
    'RETURNED',
  ]);
});

test('an event of another kind of step is refused with the kind of the step, whatever the plan', () => {
  const first = [observed(1_000n), reported(1_000n)];
  const second = [derived(), withheld('NOT_DERIVABLE'), swapped(evidence('s', 'FINAL')), swapFailed()];
  const third = [paidByReference('R1'), payoutFailed(), payoutReturned()];
  const collecting = [
    linkMade('FIRST', 1),
    linkMailed(1),
    linkOpened(1),
    submitted(1),
    COLLECT_CANCELLED,
    delivery('SENT'),
  ];
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
  for (const { plan } of [...plansOf('STANDARD'), ...plansOf('DIGITAL_COLLECT')])
    for (const each of everyEvent(plan)) {
      const decision = outcomeOf(plan, each);
      if (!decision.ok && decision.refusal.reason === 'EVIDENCE_MISMATCH')
        assert.match(decision.refusal.detail, REMEDY);
    }
});
