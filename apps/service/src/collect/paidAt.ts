import { collectStep, type Plan, type PlanEvent } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { CollectParts } from './collectParts.ts';

/** So many of the last events of a plan are looked through. */
const MOST_EVENTS = 200;

/**
 * When the destination was paid that was chosen with a link: as it was told, else when it was recorded. Undefined while
 * it is not paid, and while the database is away.
 */
export async function paidAt(
  { store }: Pick<CollectParts, 'store'>,
  scope: PlanScope,
  plan: Plan,
  version: number,
): Promise<number | undefined> {
  const step = collectStep(plan);
  if (step?.link?.version !== version || step.delivery?.status !== 'DELIVERED') return undefined;
  if (step.delivery.occurredAtMs !== undefined) return step.delivery.occurredAtMs;
  const told = await store.payments.history(scope, plan.planId, {
    limit: MOST_EVENTS,
    afterRevision: Math.max(0, plan.revision - MOST_EVENTS),
  });
  if (!told.ok) return undefined;
  return told.found?.events.findLast(({ event }) => isPaying(event, step.stepId))?.atMs;
}

function isPaying(event: PlanEvent | { readonly type: 'PLAN_CREATED' }, stepId: string): boolean {
  switch (event.type) {
    case 'DELIVERY_REPORTED':
      return event.stepId === stepId && (event.status === 'DELIVERED' || event.evidence?.status === 'FINAL');
    case 'PAYOUT_REPORTED':
      // A correction pays nothing: it tells of a payment that was made before.
      return event.stepId === stepId && event.corrects === undefined;
    default:
      return false;
  }
}
