import { type CollectRequest, collectRequestNamed, collectRequestsOf, type Plan } from '@fairway/plan';
import type { CollectFilter, PlanScope } from '@fairway/store';
import { currentPlan } from '../findPlan.ts';
import { done, type ListPart, type ListPartAsk, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import type { PaymentParts } from '../paymentParts.ts';

/** A round of asking the recipient of a plan. `createdAtMs`: when its first link was made. */
export type FoundRound = {
  readonly plan: Plan;
  readonly request: CollectRequest;
  readonly createdAtMs: number;
};

/** The problem of a round that does not exist or is not the caller's. Both get the same answer, which reveals nothing. */
const NO_SUCH_ROUND: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such collect request; GET /v1/collect_requests lists those of your organisation.',
};

/** Rounds of a scope, the one first whose first link was made last. */
export async function listRounds(
  { store }: PaymentParts,
  scope: PlanScope,
  filter: CollectFilter,
  page: ListPartAsk,
): Promise<Outcome<ListPart<FoundRound>>> {
  const listed = await store.collect.listRounds(scope, filter, page);
  const items = listed.rounds.flatMap(({ plan, round, createdAtMs }): FoundRound[] => {
    const request = requestOf(plan, round);
    return request === undefined ? [] : [{ plan, request, createdAtMs }];
  });
  return done({ items, next: listed.next });
}

/** The round with an id, after the service has done the work that is due now. */
export async function findRound(
  parts: PaymentParts,
  scope: PlanScope,
  id: string,
): Promise<Outcome<FoundRound>> {
  const found = await namedRound(parts, scope, id);
  return found.ok ? withTime(parts, scope, found.value) : found;
}

type NamedRound = Omit<FoundRound, 'createdAtMs'>;

async function namedRound(parts: PaymentParts, scope: PlanScope, id: string): Promise<Outcome<NamedRound>> {
  const named = collectRequestNamed(id);
  if (named === undefined) return refuse(NO_SUCH_ROUND);
  const current = await currentPlan(parts, scope, named.planId);
  if (!current.ok) return current.problem.code === 'not-found' ? refuse(NO_SUCH_ROUND) : current;
  const plan = current.value;
  const request = requestOf(plan, named.round);
  return request === undefined ? refuse(NO_SUCH_ROUND) : done({ plan, request });
}

function requestOf(plan: Plan, round: number): CollectRequest | undefined {
  return collectRequestsOf(plan).find((request) => request.round === round);
}

async function withTime(
  { store }: PaymentParts,
  scope: PlanScope,
  { plan, request }: NamedRound,
): Promise<Outcome<FoundRound>> {
  const kept = await store.collect.findRound(scope, plan.planId, request.round);
  if (kept.createdAtMs === undefined) throw new Error(`Round ${request.round} of ${plan.planId} has no row.`);
  return done({ plan, request, createdAtMs: kept.createdAtMs });
}
