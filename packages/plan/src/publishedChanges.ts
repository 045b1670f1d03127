import { unitsOf } from './terms/amount.ts';
import { type CollectRequest, collectRequestsOf } from './collect/requests.ts';
import { fundsOf } from './book/funds.ts';
import { isReturned, lastStep } from './plan/steps.ts';
import { planStatus } from './next/next.ts';
import type { StepId } from './terms/scalars.ts';
import type { Plan, StepStatus } from './plan/types.ts';

/** What published events tell of a plan, and of a round in which its recipient is asked. */
export type PublishedChange =
  | { readonly subject: 'payment_plan'; readonly type: PublishedPlanType }
  | { readonly subject: 'payment_plan'; readonly type: PublishedStepType; readonly stepId: StepId }
  | { readonly subject: 'collect_request'; readonly type: PublishedCollectType; readonly round: number };

type PublishedPlanType = `payment_plan.${
  | 'created'
  | 'updated'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled'
  | 'returned'
  | 'closed'
  | 'unallocated'}`;
type PublishedStepType = `payment_plan.step.${'ready' | 'done' | 'failed' | 'held'}`;
type PublishedCollectType = `collect_request.${
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
 * import { publishedChangesOf, type Plan } from '@fairway/plan';
 *
 * declare const before: Plan;
 * declare const after: Plan;
 * const types = publishedChangesOf(before, after).map(({ type }) => type); // ['payment_plan.updated', …]
 * ```
 */
export function publishedChangesOf(before: Plan | undefined, after: Plan): readonly PublishedChange[] {
  if (before === undefined) return [ofPlan('created')];
  if (before.revision === after.revision) return [];
  return [
    ofPlan('updated'),
    ...stepChanges(before, after),
    ...collectChanges(before, after),
    ...(isMoreUnallocated(before, after) ? [ofPlan('unallocated')] : []),
    ...endChanges(before, after),
  ];
}

function ofPlan(
  name: PublishedPlanType extends `payment_plan.${infer Name}` ? Name : never,
): PublishedChange {
  return { subject: 'payment_plan', type: `payment_plan.${name}` };
}

const STEP_TYPES: Readonly<Record<StepStatus, PublishedStepType | undefined>> = {
  PENDING: undefined,
  READY: 'payment_plan.step.ready',
  DONE: 'payment_plan.step.done',
  FAILED: 'payment_plan.step.failed',
};

function stepChanges(before: Plan, after: Plan): PublishedChange[] {
  return after.steps.flatMap(({ stepId, status }, index): PublishedChange[] => {
    const type = STEP_TYPES[status];
    const isNew = type !== undefined && before.steps[index]?.status !== status;
    const types = [...(isNew ? [type] : []), ...(isNewlyHeld(before, after, stepId) ? [HELD] : [])];
    return types.map((each) => ({ subject: 'payment_plan', type: each, stepId }));
  });
}

const HELD: PublishedStepType = 'payment_plan.step.held';

/** Whether the payment of a step is held since the change, or for something else than before. */
function isNewlyHeld(before: Plan, after: Plan, stepId: StepId): boolean {
  const step = lastStep(after);
  if (step.stepId !== stepId || step.hold === undefined) return false;
  return JSON.stringify(step.hold) !== JSON.stringify(lastStep(before).hold);
}

/** How a plan stands, for readers of published events; undefined while it goes on. */
function endTypeOf(plan: Plan): PublishedPlanType | undefined {
  if (plan.ended?.reason === 'EXPIRED') return 'payment_plan.expired';
  if (plan.ended?.reason === 'CANCELLED') return 'payment_plan.cancelled';
  if (plan.ended !== undefined) return 'payment_plan.closed';
  if (isReturned(plan)) return 'payment_plan.returned';
  if (plan.steps.some(({ status }) => status === 'FAILED')) return 'payment_plan.failed';
  return planStatus(plan) === 'COMPLETED' ? 'payment_plan.completed' : undefined;
}

/** How a plan ended. A plan that keeps its status when it is closed is still announced as closed. */
function endChanges(before: Plan, after: Plan): PublishedChange[] {
  const now = endTypeOf(after);
  const isBack = after.returns.length > before.returns.length && now === 'payment_plan.returned';
  const type = now !== endTypeOf(before) || isBack ? now : undefined;
  const isClosed = before.closed !== after.closed && type !== 'payment_plan.closed';
  const types: PublishedPlanType[] = [
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

function collectChanges(before: Plan, after: Plan): PublishedChange[] {
  const known = collectRequestsOf(before);
  return collectRequestsOf(after).flatMap((now): PublishedChange[] => {
    const old = known.find(({ round }) => round === now.round);
    const types = old === undefined ? (['created'] as const) : roundNames(old, now);
    return types.map((type) => ({
      subject: 'collect_request',
      type: `collect_request.${type}`,
      round: now.round,
    }));
  });
}

type RoundName = PublishedCollectType extends `collect_request.${infer Name}` ? Name : never;

/** What happened to a round. A link that was replaced may have been sent again, readdressed or reissued. */
function roundNames(old: CollectRequest, now: CollectRequest): readonly RoundName[] {
  const names: RoundName[] = [];
  if (now.version !== old.version)
    names.push(['EXPIRED', 'CANCELLED'].includes(old.link?.state ?? '') ? 'reissued' : 'updated');
  const isMailed = now.link !== undefined && now.link.mail !== old.link?.mail;
  if (isMailed && now.link?.mail === 'ACCEPTED') names.push('sent');
  if (isMailed && now.link?.mail === 'BOUNCED') names.push('bounced');
  const state =
    now.version === old.version && now.link?.state !== old.link?.state ? now.link?.state : undefined;
  const told = state && STATE_NAMES[state];
  if (told !== undefined) names.push(told);
  const askedAtMs = now.link?.requestedAtMs;
  if (askedAtMs !== undefined && askedAtMs !== old.link?.requestedAtMs) names.push('link_requested');
  // The swap was taken back: there is nothing to choose any more.
  const isLinkDead = old.link?.state === 'EXPIRED' || old.link?.state === 'CANCELLED';
  if (old.link !== undefined && now.link === undefined && now.submittedAtMs === undefined && !isLinkDead)
    names.push('cancelled');
  const status = now.delivery?.status;
  if (status !== undefined && status !== old.delivery?.status) {
    if (status === 'DELIVERED') names.push('delivered');
    else if (status === 'FAILED') names.push('failed');
    else if (status !== 'PENDING') names.push('updated');
  }
  return names.length === 0 && chosenOf(now) !== chosenOf(old) ? ['updated'] : names;
}

function chosenOf({ destination, submittedAtMs, delivery, hold }: CollectRequest): string {
  return JSON.stringify([destination, submittedAtMs, delivery, hold]);
}

const STATE_NAMES = {
  WAITING: undefined,
  SENT: undefined,
  OPENED: 'opened',
  SUBMITTED: 'submitted',
  EXPIRED: 'expired',
  CANCELLED: 'cancelled',
} as const;
