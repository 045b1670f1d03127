import {
  type PublishedChange,
  publishedChangesOf,
  collectRequestIdOf,
  collectRequestsOf,
  type Plan,
  standingMovements,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { PublishedEvent } from '@fairway/outbox';
import type { PublishedEventsOfPlan } from '@fairway/store';
import { collectRequestBody } from './collectRequestBody.ts';
import { planBody, type Shown } from './planBody.ts';
import { type Change, previousOf } from '../../../platform/events/change.ts';

/** How many attempts of a step an event shows, the newest, and how many members of any list where it would be too long. */
const [MOST_ATTEMPTS, MOST_LISTED] = [3, 3];
/** How long an event's object and what changed in it may be, as JSON. */
const MOST_BYTES = 20_000;

/** How a plan is shown when the chains are not known. */
const PLAINLY: Shown = {
  chains: new Map(),
  moments: { of: () => undefined },
  nowMs: Date.now,
  rateFor: () => undefined,
};

/** The published events of plans. They show plans with facts of the chains, which are known only later. */
export type PlanPublishing = {
  readonly publishedEventsOfPlan: PublishedEventsOfPlan;
  showWith(shown: Shown): void;
};

/** Makes the published events of plans. Until `showWith` is called, they do not say what has to happen next. */
export function createPlanPublishing(): PlanPublishing {
  let shown: Shown | undefined;
  return {
    publishedEventsOfPlan: (before, after) => eventsOfChange(before, after, shown),
    showWith(known) {
      shown = known;
    },
  };
}

function eventsOfChange(
  from: Plan | 'AGAIN' | undefined,
  after: Plan,
  shown: Shown | undefined,
): readonly PublishedEvent[] {
  const published = from === 'AGAIN' ? againOf(after) : publishedChangesOf(from, after);
  if (published.length === 0) return [];
  const before = from === 'AGAIN' ? undefined : from;
  const plans = changeOf(before && planObject(before, shown), planObject(after, shown));
  const evidence = from === 'AGAIN' ? undefined : evidenceOf(before, after);
  return published.map((each) => publishedEventOf(each, { before, after }, plans, evidence));
}

/** Publishes the present state of a plan and its rounds, as if they had changed. */
function againOf(plan: Plan): readonly PublishedChange[] {
  const rounds = collectRequestsOf(plan).map(({ round }) => round);
  return [
    { subject: 'payment_plan', type: 'payment_plan.updated' },
    ...rounds.map(
      (round) => ({ subject: 'collect_request', type: 'collect_request.updated', round }) as const,
    ),
  ];
}

function publishedEventOf(
  published: PublishedChange,
  { before, after }: { readonly before: Plan | undefined; readonly after: Plan },
  plans: Change,
  evidence: object | undefined,
): PublishedEvent {
  const { type } = published;
  if (published.subject === 'payment_plan') {
    const stepId = 'stepId' in published ? published.stepId : undefined;
    const subject = { type: published.subject, id: after.planId };
    return { type, subject, data: { ...defined({ stepId, evidence }), data: plans } };
  }
  const { round } = published;
  const objectOf = (plan: Plan) => {
    const request = collectRequestsOf(plan).find((each) => each.round === round);
    return request && collectRequestBody(plan, request);
  };
  const change = changeOf(before && objectOf(before), objectOf(after) ?? {});
  const subject = { type: published.subject, id: collectRequestIdOf(after.planId, round) };
  return { type, subject, data: { ...defined({ evidence }), data: change } };
}

/**
 * A plan as events show it: without instructions, and with the newest attempts of each step. Without `shown` it is unknown how far
 * the chain was read, so that what has to happen next is left out.
 */
function planObject(plan: Plan, shown: Shown | undefined): object {
  const { next, ...body } = planBody(plan, shown ?? PLAINLY, ['executions', 'rounds']);
  const { calls: _calls, ...told } = next ?? {};
  const steps = body.steps.map(({ instructions: _instructions, attempts, ...step }) => ({
    ...step,
    ...defined({ attempts: attempts?.slice(-MOST_ATTEMPTS) }),
  }));
  return { ...body, ...defined({ next: shown && next && told }), steps };
}

/**
 * An object with what changed in it. When it is too long, parts are left out in turn: the previous values, the quote, then all but the
 * newest entries of lists.
 */
function changeOf(before: object | undefined, object: object): Change {
  const old = before === undefined ? undefined : previousOf(before, object);
  const { quote: _quote, ...unquoted } = object as { readonly quote?: unknown };
  const ways: readonly (() => Change)[] = [
    () => ({ object, ...defined({ previous: old }) }),
    () => ({ object }),
    () => ({ object: unquoted }),
    () => ({ object: shortened(unquoted) as object }),
  ];
  for (const way of ways) {
    const change = way();
    if (Buffer.byteLength(JSON.stringify(change)) <= MOST_BYTES) return change;
  }
  return { object: headOf(object) };
}

/** A value whose lists have their newest members alone. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(-MOST_LISTED).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

/** The members that identify a plan or a round, and its state. */
function headOf(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => HEAD.has(name)));
}

const HEAD: ReadonlySet<string> = new Set([
  ...['planId', 'clientReference', 'collectRequestId', 'corridorId', 'mode', 'round'],
  ...['status', 'revision', 'createdAt', 'updatedAt', 'amountIn'],
]);

/** The newest transfer that a change has brought, by which a reader can check it on a node of its own. */
function evidenceOf(before: Plan | undefined, after: Plan): object | undefined {
  const known = before?.ledger?.length ?? 0;
  const row = standingMovements(after).findLast(({ seq, transfer }) => seq > known && transfer !== undefined);
  if (row?.transfer === undefined) return undefined;
  const { chainId, blockHash, txHash, logIndex } = row.transfer;
  return { chainId, blockHash, txHash, ...defined({ logIndex }), verification: row.verification };
}
