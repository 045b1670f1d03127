import { unitsOf } from './amount.ts';
import { type CollectRequest, collectRequestsOf } from './collectRequests.ts';
import { fundsOf } from './funds.ts';
import { lastStep } from './payoutTurn.ts';
import { planStatus } from './planStatus.ts';
import type { StepId } from './scalars.ts';
import type { Plan, PlanStatus, StepStatus } from './types.ts';

/** What published events tell of a plan, and of a round in which its recipient is asked. */
export type Announcement =
  | { readonly subject: 'payment_plan'; readonly type: PlanNews }
  | { readonly subject: 'payment_plan'; readonly type: StepNews; readonly stepId: StepId }
  | { readonly subject: 'collect_request'; readonly type: CollectNews; readonly round: number };

type PlanNews = `payment_plan.${
  | 'created'
  | 'updated'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled'
  | 'returned'
  | 'closed'
  | 'unallocated'}`;
type StepNews = `payment_plan.step.${'ready' | 'done' | 'failed' | 'held'}`;
type CollectNews = `collect_request.${
  | 'created'
  | 'updated'
  | 'sent'
  | 'bounced'
  | 'opened'
  | 'link_requested'
  | 'submitted'
  | 'delivered'
  | 'failed'
  | 'expired'
  | 'cancelled'
  | 'reissued'}`;

/**
 * What published events tell of the change from one plan to the next, in a fixed order. `before` is undefined when
 * the plan is new. `created` or `updated` comes first, then each step, the rounds of collecting, money that nobody
 * asked for, and how the plan ended. The same two plans always give the same list, and it is empty when the plan did
 * not change.
 *
 * @example
 * ```ts
 * import { announcementsOf, type Plan } from '@fairway/plan';
 *
 * declare const before: Plan;
 * declare const after: Plan;
 * const types = announcementsOf(before, after).map(({ type }) => type); // ['payment_plan.updated', …]
 * ```
 */
export function announcementsOf(before: Plan | undefined, after: Plan): readonly Announcement[] {
  if (before === undefined) return [ofPlan('created')];
  if (before.revision === after.revision) return [];
  return [
    ofPlan('updated'),
    ...stepNews(before, after),
    ...collectNews(before, after),
    ...(isMoreUnallocated(before, after) ? [ofPlan('unallocated')] : []),
    ...endNews(before, after),
  ];
}

function ofPlan(news: PlanNews extends `payment_plan.${infer News}` ? News : never): Announcement {
  return { subject: 'payment_plan', type: `payment_plan.${news}` };
}

const STEP_NEWS: Readonly<Record<StepStatus, StepNews | undefined>> = {
  PENDING: undefined,
  READY: 'payment_plan.step.ready',
  DONE: 'payment_plan.step.done',
  FAILED: 'payment_plan.step.failed',
};

function stepNews(before: Plan, after: Plan): Announcement[] {
  return after.steps.flatMap(({ stepId, status }, index): Announcement[] => {
    const type = STEP_NEWS[status];
    const isNew = type !== undefined && before.steps[index]?.status !== status;
    const types = [...(isNew ? [type] : []), ...(isNewlyHeld(before, after, stepId) ? [HELD] : [])];
    return types.map((each) => ({ subject: 'payment_plan', type: each, stepId }));
  });
}

const HELD: StepNews = 'payment_plan.step.held';

/** Whether the payment of a step is held since the change, or for something else than before. */
function isNewlyHeld(before: Plan, after: Plan, stepId: StepId): boolean {
  const step = lastStep(after);
  if (step?.stepId !== stepId || step.hold === undefined) return false;
  return JSON.stringify(step.hold) !== JSON.stringify(lastStep(before)?.hold);
}

const END_NEWS: Readonly<Partial<Record<PlanStatus, PlanNews>>> = {
  COMPLETED: 'payment_plan.completed',
  FAILED: 'payment_plan.failed',
  EXPIRED: 'payment_plan.expired',
  CANCELLED: 'payment_plan.cancelled',
  RETURNED: 'payment_plan.returned',
  CLOSED: 'payment_plan.closed',
};

/** How a plan ended. A plan that keeps its status when it is closed is still announced as closed. */
function endNews(before: Plan, after: Plan): Announcement[] {
  const status = planStatus(after);
  const isReturned = after.returns.length > before.returns.length && status === 'RETURNED';
  const type = status !== planStatus(before) || isReturned ? END_NEWS[status] : undefined;
  const isClosed = before.closed !== after.closed && type !== 'payment_plan.closed';
  const types: PlanNews[] = [
    ...(type === undefined ? [] : [type]),
    ...(isClosed ? ['payment_plan.closed' as const] : []),
  ];
  return types.map((each) => ({ subject: 'payment_plan', type: each }));
}

/**
 * Whether the plan has more money of some asset, in some direction, that nobody asked for and nobody has
 * acknowledged.
 */
function isMoreUnallocated(before: Plan, after: Plan): boolean {
  const known = unallocatedOf(before);
  return [...unallocatedOf(after)].some(([name, units]) => units > (known.get(name) ?? 0n));
}

function unallocatedOf(plan: Plan): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { unallocated } of fundsOf(plan))
    for (const { asset, direction, amount, acknowledged } of unallocated) {
      if (acknowledged) continue;
      const name = JSON.stringify([asset, direction]);
      sums.set(name, (sums.get(name) ?? 0n) + unitsOf(amount));
    }
  return sums;
}

function collectNews(before: Plan, after: Plan): Announcement[] {
  const known = collectRequestsOf(before);
  return collectRequestsOf(after).flatMap((now): Announcement[] => {
    const old = known.find(({ round }) => round === now.round);
    const types = old === undefined ? (['created'] as const) : roundNews(old, now);
    return types.map((type) => ({
      subject: 'collect_request',
      type: `collect_request.${type}`,
      round: now.round,
    }));
  });
}

type RoundNews = CollectNews extends `collect_request.${infer News}` ? News : never;

/** What happened to a round. A link that was replaced may have been sent again, readdressed or reissued. */
function roundNews(old: CollectRequest, now: CollectRequest): readonly RoundNews[] {
  const news: RoundNews[] = [];
  if (now.version !== old.version)
    news.push(['EXPIRED', 'CANCELLED'].includes(old.link?.state ?? '') ? 'reissued' : 'updated');
  const isMailed = now.link !== undefined && now.link.mail !== old.link?.mail;
  if (isMailed && now.link?.mail === 'ACCEPTED') news.push('sent');
  if (isMailed && now.link?.mail === 'BOUNCED') news.push('bounced');
  const state =
    now.version === old.version && now.link?.state !== old.link?.state ? now.link?.state : undefined;
  const told = state && STATE_NEWS[state];
  if (told !== undefined) news.push(told);
  const askedAtMs = now.link?.requestedAtMs;
  if (askedAtMs !== undefined && askedAtMs !== old.link?.requestedAtMs) news.push('link_requested');
  // The swap was taken back: there is nothing to choose any more.
  const isLinkDead = old.link?.state === 'EXPIRED' || old.link?.state === 'CANCELLED';
  if (old.link !== undefined && now.link === undefined && now.submittedAtMs === undefined && !isLinkDead)
    news.push('cancelled');
  const status = now.delivery?.status;
  if (status !== undefined && status !== old.delivery?.status) {
    if (status === 'DELIVERED') news.push('delivered');
    else if (status === 'FAILED') news.push('failed');
    else if (status !== 'PENDING') news.push('updated');
  }
  return news.length === 0 && chosenOf(now) !== chosenOf(old) ? ['updated'] : news;
}

/** What was chosen and delivered in a round. */
function chosenOf({ destination, submittedAtMs, delivery, hold }: CollectRequest): string {
  return JSON.stringify([destination, submittedAtMs, delivery, hold]);
}

const STATE_NEWS = {
  WAITING: undefined,
  SENT: undefined,
  OPENED: 'opened',
  SUBMITTED: 'submitted',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
} as const;
