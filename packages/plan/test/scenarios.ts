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

/** The plan after these commands, a second apart. Each command must change the plan. */
export function planAfter(commands: readonly PlanCommand[], mode: Mode = 'STANDARD'): Plan {
  return commands.reduce((plan, command) => changedBy(plan, command), newPlan({ mode }));
}

/** The plan after a command, which must change it. It happens at this time. */
export function changedBy(plan: Plan, command: PlanCommand, atMs: number = momentOf(plan, command)): Plan {
  const decision = decide(plan, command, atMs);
  assert.ok(decision.ok, `${command.type}: ${decision.ok ? '' : JSON.stringify(decision.refusal)}`);
  assert.equal(decision.outcome, 'CHANGED', command.type);
  return decision.plan;
}

/** A second later, or the time at which the plan changes by itself. */
function momentOf(plan: Plan, { type }: PlanCommand): number {
  const work = workOf(plan);
  return type === 'TIME_PASSED' && work?.kind === 'PASS_TIME' ? work.atMs : plan.updatedAtMs + 1_000;
}

/** Why a plan does not take a command. */
export function refusalOf(plan: Plan, command: PlanCommand): Refusal {
  const decision = decide(plan, command, plan.updatedAtMs + 1_000);
  assert.ok(!decision.ok, `${command.type} was taken`);
  return decision.refusal;
}

/** Asserts that a plan knows a command already. */
export function assertKnown(plan: Plan, command: PlanCommand): void {
  assert.deepEqual(decide(plan, command, plan.updatedAtMs + 1_000), {
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
