import { type Movement, type Plan, type RecordedEvent } from '@fairway/plan';
import type { PlanFilter, PlanScope } from '@fairway/store';
import { done, type Outcome, refuse } from '../problems/problem.ts';
import { findPlan, PLAN_ID } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { NO_SUCH_PLAN } from './planProblems.ts';

/** A part of a list. `next`: the `after` of the next part; undefined at the end of the list. */
export type ListPart<Item> = { readonly items: readonly Item[]; readonly next: string | undefined };

/** Which part of a list to answer: at most `limit` items, from the start of the list or behind `after`. */
export type ListPartAsk = { readonly limit: number; readonly after: string | undefined };

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
  parts: PaymentParts,
  scope: PlanScope,
  planId: string,
  { limit, after }: ListPartAsk,
): Promise<Outcome<ListPart<Movement>>> {
  const found = await findPlan(parts, scope, planId);
  if (!found.ok) return found;
  const { ledger = [] } = found.value;
  const rest = ledger.slice(after === undefined ? 0 : Number(after));
  const items = rest.slice(0, limit);
  return done({ items, next: rest.length > limit ? String(items.at(-1)?.seq) : undefined });
}
