// The plans of a world as the store has them: each with every event and the version after it.
import { decide, type Plan, type PlanEvent, type RecordedEvent, type Recipient } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { Kept } from '../worldTypes.ts';
import { placed, placedPlanId, type Placing } from './placing.ts';

/** An event of a plan in its place. `order`: among all events of its world. `event`: as it is told to the store. */
export type Happened = {
  readonly order: number;
  readonly atMs: number;
  readonly scope: PlanScope;
  readonly planId: string;
  readonly event: RecordedEvent['event'];
};

/** A version of a plan, the event that made it, and how many movements the plan had before. */
export type Version = { readonly plan: Plan; readonly recorded: RecordedEvent; readonly known: number };

/** Who does everything. */
export const ACTOR = 'cred_model';

/** The details of whoever is paid: the model knows them masked alone. */
export const DETAILS: Recipient = {
  type: 'bank',
  name: 'John Doe',
  country: 'AU',
  account: { bsb: '062000', accountNumber: '12345678' },
};

/** What happened to a plan. */
export function happenings(placing: Placing, { plan, history, order }: Kept): readonly Happened[] {
  return history.map((recorded, index): Happened => {
    const { atMs, event } = placed(placing, plan.planId, recorded);
    const planId = placedPlanId(placing, plan.planId);
    return { order: order[index] ?? 0, atMs, scope: placing.scope, planId, event };
  });
}

/** Lives through what happened to a plan once more, as the store does it. */
export function versionsOf(all: readonly Happened[]): readonly Version[] {
  const [first, ...rest] = all;
  if (first?.event.type !== 'PLAN_CREATED') throw new Error('A history begins with its plan.');
  let { plan } = first.event;
  const versions: Version[] = [{ plan, recorded: recordedOf(plan, first.atMs, first.event), known: 0 }];
  for (const { event: told, atMs } of rest) {
    const event = told as PlanEvent;
    const decision = decide(plan, event, atMs);
    if (!decision.ok || decision.outcome === 'UNCHANGED')
      throw new Error(`${plan.planId} no longer takes ${event.type}: ${JSON.stringify(decision)}`);
    versions.push({
      plan: decision.plan,
      recorded: recordedOf(decision.plan, atMs, event),
      known: plan.ledger?.length ?? 0,
    });
    ({ plan } = decision);
  }
  return versions;
}

function recordedOf({ revision }: Plan, atMs: number, event: RecordedEvent['event']): RecordedEvent {
  return { revision, atMs, actor: ACTOR, event };
}
