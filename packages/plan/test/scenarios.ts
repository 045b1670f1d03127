import assert from 'node:assert/strict';
import {
  decide,
  type Mode,
  NEXT,
  nextOf,
  type Plan,
  type PlanCommand,
  planStatus,
  type Refusal,
  workOf,
} from '../src/index.ts';
import { newPlan } from './plans.ts';

/** The plan after these events, a second apart. Each event must change the plan. */
export function planAfter(events: readonly PlanCommand[], mode: Mode = 'STANDARD'): Plan {
  return events.reduce((plan, event) => changedBy(plan, event), newPlan({ mode }));
}

/** The plan after an event, which must change it. It happens at this time. */
export function changedBy(plan: Plan, event: PlanCommand, atMs: number = momentOf(plan, event)): Plan {
  const decision = decide(plan, event, atMs);
  assert.ok(decision.ok, `${event.type}: ${decision.ok ? '' : JSON.stringify(decision.refusal)}`);
  assert.equal(decision.outcome, 'CHANGED', event.type);
  return decision.plan;
}

/** A second later, or the time at which the plan changes by itself. */
function momentOf(plan: Plan, { type }: PlanCommand): number {
  const work = workOf(plan);
  return type === 'TIME_PASSED' && work?.kind === 'PASS_TIME' ? work.atMs : plan.updatedAtMs + 1_000;
}

/** Why a plan does not take an event. */
export function refusalOf(plan: Plan, event: PlanCommand): Refusal {
  const decision = decide(plan, event, plan.updatedAtMs + 1_000);
  assert.ok(!decision.ok, `${event.type} was taken`);
  return decision.refusal;
}

/** Asserts that a plan knows an event already. */
export function assertKnown(plan: Plan, event: PlanCommand): void {
  assert.deepEqual(decide(plan, event, plan.updatedAtMs + 1_000), {
    ok: true,
    outcome: 'UNCHANGED',
    plan,
  });
}

/** A plan as its statuses and its next action. */
export function summary(plan: Plan): string {
  const action = nextOf(plan, { nowMs: plan.updatedAtMs });
  const next = action === undefined ? 'nothing' : `${NEXT[action.why].by} ${action.why}`;
  return `${planStatus(plan)}: ${plan.steps.map(({ status }) => status).join(' ')}; ${next}`;
}
