import { type Next, nextOf as nextOfPlan, type Plan, type RecordedEvent } from '@fairway/plan';
import type { ChainMoment, OpenPlan, OwnedPlan, PendingWork } from '@fairway/store';
import { EXPANSIONS, type PaymentPlan } from '@fairway/wire';
import { eventBody, movementBody, planBody, planWords } from '../../parts/payments/index.ts';
import type { Held } from './heldNow.ts';

/** Everything that an operator is told of a plan. */
export type PlanStory = OwnedPlan & {
  readonly nowMs: number;
  readonly events: readonly RecordedEvent[];
  readonly pending: PendingWork;
  readonly moment: ChainMoment;
  /** What the deposit address holds now, where somebody asked for it. */
  readonly held?: Held | 'AWAY';
};

/** What has to happen next, with amounts in smallest units: a command knows no symbols of tokens. */
export function nextOf(plan: Plan, nowMs: number, moment?: ChainMoment): Next | undefined {
  const isCatchingUp = moment !== undefined && moment.state !== 'AT_HEAD';
  return nextOfPlan(plan, { nowMs, isCatchingUp }, planWords(new Map()));
}

/** Whether a plan's next action has a deadline that has passed. */
export function isLate(action: Next | undefined, nowMs: number): boolean {
  return action?.deadlineMs !== undefined && action.deadlineMs < nowMs;
}

/** A row of the list as JSON. */
export function openPlanJson(nowMs: number) {
  return ({ scope, organisation, plan, isStuck, isOverdue }: OpenPlan) => {
    const action = nextOf(plan, nowMs);
    return {
      organisationId: scope.organisationId,
      organisation,
      environment: scope.environment,
      stuck: isStuck,
      overdue: isOverdue || isLate(action, nowMs),
      ...bodyOf(plan, nowMs),
    };
  };
}

/** A plan's story as JSON: the plan in the form of the API, and what only an operator sees. */
export function storyJson({
  scope,
  organisation,
  plan,
  nowMs,
  events,
  pending,
  moment,
  held,
}: PlanStory): object {
  const { ledger = [] } = plan;
  return {
    organisationId: scope.organisationId,
    organisation,
    environment: scope.environment,
    plan: bodyOf(plan, nowMs, moment),
    movements: ledger.map((movement) => movementBody(movement, new Map())),
    events: events.map((event) => eventBody(event, new Map())),
    jobs: pending.jobs.map(({ dueAtMs, ...job }) => ({ ...job, dueAt: new Date(dueAtMs).toISOString() })),
    waits: pending.waits,
    record: moment,
    ...(held === undefined ? {} : { held: heldJson(held) }),
  };
}

function heldJson(held: Held | 'AWAY') {
  return held === 'AWAY' ? null : { source: held.source, native: held.native };
}

/**
 * A plan in the form of the API, whole, with amounts in smallest units. Without `moment` it says what the plan itself
 * shows: a list of plans does not ask how far their chains were read.
 */
export function bodyOf(plan: Plan, nowMs: number, moment?: ChainMoment): PaymentPlan {
  return planBody(
    plan,
    {
      chains: new Map(),
      moments: { of: () => moment ?? { state: 'AT_HEAD' } },
      nowMs: () => nowMs,
      rateFor: () => undefined,
    },
    EXPANSIONS,
  );
}
