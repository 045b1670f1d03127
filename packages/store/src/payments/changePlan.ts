import { decide, type Plan, type PlanCommand, type Refusal, swapStep } from '@fairway/plan';
import { violatedConstraint } from '@fairway/postgres';
import type { Database } from '../database/database.ts';
import type { KeepLink } from './effects/effects.ts';
import {
  type ClaimedTransfer,
  ReferenceUsedError,
  TransferClaimedError,
  type UsedReference,
} from './claims/refusals.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import { isErased } from '../plans/erasedDetails.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChangeParts } from './changeParts.ts';
import { RecipientChangedError } from '../recipients/useRegistered.ts';
import { decisively, type WrittenEvent } from './decisively.ts';
import { type AskedCommand, withPaymentId } from './paymentIds.ts';
import { updatePlan } from './writePlan.ts';

/**
 * The outcome of a command. UNCHANGED and every refusal wrote nothing. TRANSFER_CLAIMED: these transfers of the command
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

/** The plan has none of the revisions that were expected. */
export type RevisionMismatch = {
  readonly ok: false;
  readonly reason: 'REVISION_MISMATCH';
  readonly plan: Plan;
};

/**
 * Decides a command at a plan, and writes its rows, history, claims and effects in one transaction. `beside`: what
 * is written with a change, in the same transaction.
 */
export async function changePlan(
  database: Database,
  parts: ChangeParts,
  scope: PlanScope,
  planId: string,
  asked: AskedCommand,
  context: CommandContext,
  beside?: (transaction: Database) => Promise<void>,
): Promise<ChangedPlan> {
  let command: PlanCommand | undefined;
  const named = (plan: Plan) => (command = withPaymentId(parts.endToEndId, scope, plan, asked));
  try {
    return await decisively(
      database,
      async (transaction) => {
        const changed = await changeLocked(transaction, parts, scope, planId, named, context);
        if (changed.ok && changed.outcome === 'CHANGED') await beside?.(transaction);
        return changed;
      },
      (changed) => command && writtenBy(changed, scope, command, context),
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

/** The command that a change has recorded; undefined when it has recorded nothing. */
export function writtenBy(
  changed: ChangedPlan,
  scope: PlanScope,
  command: PlanCommand,
  context: CommandContext,
): WrittenEvent | undefined {
  if (!changed.ok || changed.outcome === 'UNCHANGED') return undefined;
  const { planId, revision } = changed.plan;
  return { ...context, scope, planId, revision, command };
}

/**
 * Decides a command at a plan within the caller's transaction. Throws where the transaction must not be committed.
 * `asked`: the command, or how it is made of the locked plan. `keepLink` is needed for a command that makes a link.
 */
export async function changeLocked(
  transaction: Database,
  { now, publishedEventsOfPlan }: ChangeParts,
  scope: PlanScope,
  planId: string,
  asked: PlanCommand | ((plan: Plan) => PlanCommand),
  { actor, atMs, expectedRevisions }: CommandContext,
  keepLink?: KeepLink,
): Promise<ChangedPlan> {
  const before = await lockPlan(transaction, scope, planId);
  if (before === undefined) return { ok: false, reason: 'PLAN_UNKNOWN' };
  const command = typeof asked === 'function' ? asked(before) : asked;
  const decision = decide(before, command, atMs);
  if (!decision.ok) return { ok: false, reason: 'REFUSED', refusal: decision.refusal, plan: before };
  if (decision.outcome === 'UNCHANGED') return { ok: true, outcome: 'UNCHANGED', plan: before };
  // Checked after repetitions were recognised: a repeated request names the revision before its first run.
  if (expectedRevisions?.includes(before.revision) === false)
    return { ok: false, reason: 'REVISION_MISMATCH', plan: before };
  if (paysAgain(before, command) && (await isErased(transaction, scope, planId)))
    return { ok: false, reason: 'DETAILS_ERASED' };
  const nowMs = now().getTime();
  const after = decision.plan;
  const recorded = { revision: after.revision, atMs, actor, ...decision.event };
  const published = publishedEventsOfPlan(before, after);
  await updatePlan(transaction, { scope, before, after, recorded, nowMs, published, keepLink });
  return { ok: true, outcome: 'CHANGED', plan: after };
}

/** Whether a command makes a plan that has ended, or whose payment failed, pay its former recipient. */
function paysAgain(plan: Plan, command: PlanCommand): boolean {
  return command.type === 'STEP_RETRIED' && command.stepId !== swapStep(plan).stepId;
}
