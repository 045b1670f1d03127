// The plans of a world as the store has them: each with every event and the version after it.
import {
  decide,
  evolve,
  type Plan,
  type PlanCommand,
  planCreated,
  type RecordedEvent,
  type Recipient,
} from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { Kept } from '../worldTypes.ts';
import { placed, placedPlanId, type Placing } from './placing.ts';

/** What happened to a plan, in its place. `order`: among all that happened in its world. `told`: as the store is told. */
export type Happened = {
  readonly order: number;
  readonly atMs: number;
  readonly scope: PlanScope;
  readonly planId: string;
  readonly told: PlanCommand | { readonly type: 'PLAN_CREATED'; readonly plan: Plan };
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
    const { command, atMs: toldMs } = recorded;
    const heard =
      command.type === 'PLAN_CREATED' ? { type: command.type, plan: evolve(undefined, recorded) } : command;
    const { atMs, told } = placed(placing, plan.planId, { atMs: toldMs, told: heard });
    const planId = placedPlanId(placing, plan.planId);
    return { order: order[index] ?? 0, atMs, scope: placing.scope, planId, told };
  });
}

/** Lives through what happened to a plan once more, as the store does it. */
export function versionsOf(all: readonly Happened[]): readonly Version[] {
  const [first, ...rest] = all;
  if (first?.told.type !== 'PLAN_CREATED') throw new Error('A history begins with its plan.');
  let { plan } = first.told;
  const made = { revision: plan.revision, atMs: first.atMs, actor: ACTOR, ...planCreated(plan) };
  const versions: Version[] = [{ plan, recorded: made, known: 0 }];
  for (const { told, atMs } of rest) {
    const decision = decide(plan, told as PlanCommand, atMs);
    if (!decision.ok || decision.outcome === 'UNCHANGED')
      throw new Error(`${plan.planId} no longer takes ${told.type}: ${JSON.stringify(decision)}`);
    versions.push({
      plan: decision.plan,
      recorded: { revision: decision.plan.revision, atMs, actor: ACTOR, ...decision.event },
      known: plan.ledger?.length ?? 0,
    });
    ({ plan } = decision);
  }
  return versions;
}
