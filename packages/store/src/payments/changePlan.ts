import { decide, type Plan, type PlanEvent, type Refusal, swapStep } from '@fairway/plan';
import { violatedConstraint } from '@fairway/postgres';
import type { Database } from '../database/database.ts';
import type { KeepLink } from '../effects/effects.ts';
import {
  type ClaimedTransfer,
  ReferenceUsedError,
  TransferClaimedError,
  type UsedReference,
} from '../ledger/refusals.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import { isErased } from '../plans/erasedDetails.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChangeParts } from './changeParts.ts';
import { RecipientChangedError } from '../recipients/useRegistered.ts';
import { decisively, type WrittenEvent } from './decisively.ts';
import { updatePlan } from './writePlan.ts';

/**
 * The outcome of an event. UNCHANGED and every refusal wrote nothing. TRANSFER_CLAIMED: these transfers of the event
 * settle another step or another plan, perhaps of another organisation; all such transfers are named. RECIPIENT_CHANGED: the
 * registered recipient has another version or is no longer ACTIVE. DETAILS_ERASED: the recipient that the plan would pay
 * again is erased. REFERENCE_USED: the provider's reference settles another payout of the organisation.
 */
export type ChangedPlan =
  | { readonly ok: true; readonly outcome: 'CHANGED' | 'UNCHANGED'; readonly plan: Plan }
  | { readonly ok: false; readonly reason: 'REFUSED'; readonly refusal: Refusal; readonly plan: Plan }
  | RevisionMismatch
  | {
      readonly ok: false;
      readonly reason: 'PLAN_UNKNOWN' | 'DEPOSIT_ADDRESS_IN_USE' | 'RECIPIENT_CHANGED' | 'DETAILS_ERASED';
    }
  | {
      readonly ok: false;
      readonly reason: 'TRANSFER_CLAIMED';
      readonly transfers: readonly ClaimedTransfer[];
    }
  | ({ readonly ok: false; readonly reason: 'REFERENCE_USED' } & UsedReference);

/** An event, or how it is made of the plan as it is once nobody else can change it. */
export type EventOn<Event extends PlanEvent = PlanEvent> = Event | ((plan: Plan) => Event);

/** The plan has none of the revisions that were expected. */
export type RevisionMismatch = {
  readonly ok: false;
  readonly reason: 'REVISION_MISMATCH';
  readonly plan: Plan;
};

/**
 * Lets an event happen to a plan, and writes its rows, history, claims and effects in one transaction. `beside`: what
 * is written with a change, in the same transaction.
 */
export async function changePlan<Event extends PlanEvent>(
  database: Database,
  parts: ChangeParts,
  scope: PlanScope,
  planId: string,
  asked: EventOn<Event>,
  context: CommandContext,
  beside?: (transaction: Database, event: Event) => Promise<void>,
): Promise<ChangedPlan> {
  let event: Event | undefined;
  const noted = (plan: Plan) => (event = typeof asked === 'function' ? asked(plan) : asked);
  try {
    return await decisively(
      database,
      async (transaction) => {
        const changed = await changeLocked(transaction, parts, scope, planId, noted, context);
        if (changed.ok && changed.outcome === 'CHANGED' && event !== undefined)
          await beside?.(transaction, event);
        return changed;
      },
      (changed) => event && writtenBy(changed, scope, event, context),
    );
  } catch (cause) {
    if (cause instanceof TransferClaimedError)
      return { ok: false, reason: 'TRANSFER_CLAIMED', transfers: cause.transfers };
    if (cause instanceof RecipientChangedError) return { ok: false, reason: 'RECIPIENT_CHANGED' };
    if (cause instanceof ReferenceUsedError) return { ok: false, reason: 'REFERENCE_USED', ...cause.used };
    if (violatedConstraint(cause) !== 'plans_deposit_address') throw cause;
    return { ok: false, reason: 'DEPOSIT_ADDRESS_IN_USE' };
  }
}

/** The event that a change has recorded; undefined when it has recorded nothing. */
export function writtenBy(
  changed: ChangedPlan,
  scope: PlanScope,
  event: PlanEvent,
  context: CommandContext,
): WrittenEvent | undefined {
  if (!changed.ok || changed.outcome === 'UNCHANGED') return undefined;
  const { planId, revision } = changed.plan;
  return { ...context, scope, planId, revision, event };
}

/**
 * Lets an event happen to a plan within the caller's transaction. Throws where the transaction must not be committed.
 * `keepLink` is needed for an event that makes a link.
 */
export async function changeLocked(
  transaction: Database,
  { now, publishedEventsOfPlan }: ChangeParts,
  scope: PlanScope,
  planId: string,
  asked: EventOn,
  { actor, atMs, expectedRevisions }: CommandContext,
  keepLink?: KeepLink,
): Promise<ChangedPlan> {
  const before = await lockPlan(transaction, scope, planId);
  if (before === undefined) return { ok: false, reason: 'PLAN_UNKNOWN' };
  const event = typeof asked === 'function' ? asked(before) : asked;
  const decision = decide(before, event, atMs);
  if (!decision.ok) return { ok: false, reason: 'REFUSED', refusal: decision.refusal, plan: before };
  if (decision.outcome === 'UNCHANGED') return { ok: true, outcome: 'UNCHANGED', plan: before };
  // Checked after repetitions were recognised: a repeated request names the revision before its first run.
  if (expectedRevisions?.includes(before.revision) === false)
    return { ok: false, reason: 'REVISION_MISMATCH', plan: before };
  if (paysAgain(before, event) && (await isErased(transaction, scope, planId)))
    return { ok: false, reason: 'DETAILS_ERASED' };
  const nowMs = now().getTime();
  const after = decision.plan;
  const recorded = { revision: after.revision, atMs, actor, event };
  const published = publishedEventsOfPlan(before, after);
  await updatePlan(transaction, { scope, before, after, recorded, nowMs, published, keepLink });
  return { ok: true, outcome: 'CHANGED', plan: after };
}

/** Whether an event makes a plan that has ended, or whose payment failed, pay its former recipient. */
function paysAgain(plan: Plan, event: PlanEvent): boolean {
  return event.type === 'STEP_RETRIED' && event.stepId !== swapStep(plan).stepId;
}
