import { done, type ListPart, type ListPartAsk, type Outcome, refuse } from '@fairway/api';
import { type Movement, type Plan, type RecordedEvent } from '@fairway/plan';
import type { PlanFilter, PlanScope } from '@fairway/store';
import { PLAN_ID } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { NO_SUCH_PLAN } from './planProblems.ts';

/** Plans of a scope, newest first. `after`: the id of a plan. */
export async function listPlans(
  { store }: PaymentParts,
  scope: PlanScope,
  filter: PlanFilter,
  page: ListPartAsk,
): Promise<Outcome<ListPart<Plan>>> {
  const listed = await store.payments.listPlans(scope, filter, page);
  return done({ items: listed.plans, next: listed.next });
}

/** What happened to a plan, oldest first. `after`: the revision of an event. */
export async function listEvents(
  { store }: PaymentParts,
  scope: PlanScope,
  planId: string,
  { limit, after }: ListPartAsk,
): Promise<Outcome<ListPart<RecordedEvent>>> {
  if (!PLAN_ID.test(planId)) return refuse(NO_SUCH_PLAN);
  const page = { limit, afterRevision: after === undefined ? undefined : Number(after) };
  const told = await store.payments.history(scope, planId, page);
  if (told.found === undefined) return refuse(NO_SUCH_PLAN);
  const { events, next } = told.found;
  return done({ items: events, next: next === undefined ? undefined : String(next) });
}

/** The movements of a plan, oldest first. `after`: the number of a movement. */
export async function listMovements(
  { store }: PaymentParts,
  scope: PlanScope,
  planId: string,
  { limit, after }: ListPartAsk,
): Promise<Outcome<ListPart<Movement>>> {
  if (!PLAN_ID.test(planId)) return refuse(NO_SUCH_PLAN);
  const page = { limit, afterSeq: after === undefined ? undefined : Number(after) };
  const told = await store.payments.movements(scope, planId, page);
  if (told.found === undefined) return refuse(NO_SUCH_PLAN);
  const { movements, next } = told.found;
  return done({ items: movements, next: next === undefined ? undefined : String(next) });
}
