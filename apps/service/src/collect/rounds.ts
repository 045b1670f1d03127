import {
  type CollectRequest,
  collectRequestIdOf,
  collectRequestNamed,
  collectRequestsOf,
  type Plan,
} from '@fairway/plan';
import { unlessAway } from '@fairway/postgres';
import type { CollectFilter, PlanScope } from '@fairway/store';
import { currentPlan } from '../payments/findPlan.ts';
import type { ListPart, ListPartAsk } from '../payments/listPlans.ts';
import type { Acting, PaymentParts } from '../payments/paymentParts.ts';
import { databaseProblem } from '../problems/databaseProblem.ts';
import { done, type Outcome, type ProblemFacts, refuse, tryLater } from '../problems/problem.ts';
import type { DeliveryReport } from './deliveries.ts';

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

/** The problem of a plan that changes so often that a round of it cannot be held on to. */
const CHANGES_TOO_FAST: ProblemFacts = tryLater(
  'upstream-unavailable',
  'The plan changes again and again at the moment; the request was not carried out. Send it again in 2 s.',
  2,
);

/** How often a request begins anew when the plan has changed while it ran. */
const MOST_TRIES = 5;

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

/** What is done with a plan in the present round of asking its recipient. */
export type UseOfRound = {
  use(acting: Acting, planId: string): Promise<Outcome<Plan>>;
  /** Whether the request is known already of a round that is over; absent: no such request is. */
  isKnown?(request: CollectRequest, plan: Plan): boolean;
  /** Which round is answered; absent: the one that the request names. */
  readonly shows?: 'NEWEST';
};

/**
 * Does something with a plan in the round that the id names. It is done at the revision at which that round was
 * looked at, so it never meets another round. It begins anew when the plan has changed meanwhile.
 */
export async function useRound(
  parts: PaymentParts,
  acting: Acting,
  id: string,
  { use, isKnown, shows }: UseOfRound,
): Promise<Outcome<FoundRound>> {
  const { scope, expectedRevisions } = acting;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const found = await namedRound(parts, scope, id);
    if (!found.ok) return found;
    const { plan, request } = found.value;
    const newest = collectRequestsOf(plan).at(-1) ?? request;
    if (newest.round !== request.round)
      return isKnown?.(request, plan) === true
        ? withTime(parts, scope, found.value)
        : refuse(roundOver(plan, request, newest));
    const bound = { ...acting, expectedRevisions: expectedRevisions ?? [plan.revision] };
    const used = await use(bound, plan.planId);
    if (used.ok) {
      const after = collectRequestsOf(used.value);
      const shown = shows === 'NEWEST' ? after.at(-1) : after.find(({ round }) => round === request.round);
      const named = { plan: used.value, request: shown ?? request };
      const answer = await unlessAway(withTime(parts, scope, named));
      // The change is written: an answer that it was not carried out would be wrong.
      return answer === 'AWAY' ? refuse(databaseProblem({ isOutcomeUnknown: true })) : answer;
    }
    if (used.problem.code !== 'revision-mismatch' || expectedRevisions !== undefined) return used;
  }
  return refuse(CHANGES_TOO_FAST);
}

/**
 * Whether a report repeats what ended a round: the answer to the first report may have been lost.
 *
 * @param request a round that is over
 * @param plan its plan, which has the references of what came back
 */
export function isReportedAgain(
  { delivery }: CollectRequest,
  plan: Pick<Plan, 'returns'>,
  { status, providerReference, failure }: DeliveryReport,
): boolean {
  if (delivery?.status !== status) return false;
  if (providerReference !== undefined) {
    const isBack = ({ providerReference: known }: Plan['returns'][number]) => known === providerReference;
    return (
      providerReference === delivery.providerReference || (status === 'RETURNED' && plan.returns.some(isBack))
    );
  }
  return status === 'FAILED' && failure?.code === delivery.failure?.code;
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

function roundOver({ planId }: Plan, old: CollectRequest, newest: CollectRequest): ProblemFacts {
  const collectRequestId = collectRequestIdOf(planId, newest.round);
  const detail = `Round ${old.round} is over, and the recipient is asked anew: read ${collectRequestId}, and send the request to that if it still fits.`;
  return { code: 'collect-request-over', detail, collectRequestId };
}
