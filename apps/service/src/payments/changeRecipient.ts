import {
  canonicalRecipient,
  collectStep,
  decide,
  defined,
  maskRecipient,
  type Plan,
  type PlanEvent,
  type PlannedRecipient,
  recipientTypesOf,
} from '@fairway/plan';
import { done, invalidFields, type Outcome, refuse } from '../problems/problem.ts';
import { refuseDepositAddress } from '../recipients/recipientReader.ts';
import { withChainRead } from './comparePlan.ts';
import { newEndToEndId } from './endToEndId.ts';
import { currentPlan } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import type { GivenRecipient } from './paymentRequest.ts';
import { afterChange, deedOf } from './planChanges.ts';
import { checkedRevision, refuseUnchecked } from './payeeCheckRules.ts';
import { asOfSaved, type MeantRecipient, meantRecipient, savedIdOf } from './savedRecipient.ts';

/** Has another account paid, after a payment failed or came back. */
export async function changeRecipient(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  given: GivenRecipient,
): Promise<Outcome<Plan>> {
  const { scope } = acting;
  const found = await currentPlan(parts, scope, planId);
  if (!found.ok) return found;
  const plan = found.value;
  if (collectStep(plan) !== undefined)
    return refuse({
      code: 'step-not-ready',
      detail: 'The recipient of a collect link chooses the account; reissue the link to ask again.',
    });
  const meant = await meantRecipient(parts, scope, given);
  if (isRepeated(parts, plan, given, acting.actor) && !isNewerThan(plan, meant)) return done(plan);
  if (!meant.ok) return meant;
  const { corridor, mode, options } = plan;
  const read = refuseDepositAddress(
    parts.corridors.readRecipient(corridor, recipientTypesOf(corridor, mode), meant.value.given.plain),
    options.depositAddress,
  );
  if (!read.ok)
    return refuse(asOfSaved({ ...invalidFields(read.errors), code: 'recipient-invalid' }, meant.value));
  const { saved } = meant.value;
  const unchecked = refuseUnchecked(corridor, saved);
  if (unchecked !== undefined) return refuse(unchecked);
  const fingerprint = parts.store
    .fingerprint('recipient', scope.organisationId, canonicalRecipient(read.recipient))
    .toString('base64url');
  const masked = maskRecipient(read.recipient, fingerprint);
  const event = replacedBy(plan, { ...masked, ...defined({ savedAs: saved?.savedAs }) }, acting.actor);
  // The account that was to be paid may have been paid since the chain was last read.
  const compared = await withChainRead(parts, scope, plan);
  if (!compared.ok) return compared;
  const deed = { ...deedOf(parts, acting), ...defined({ savedRevision: checkedRevision(corridor, saved) }) };
  const { payments } = parts.store;
  const changed = await payments.replaceRecipient(scope, plan.planId, event, read.recipient, deed);
  return afterChange(parts, acting, changed);
}

type Replaced = Extract<PlanEvent, { type: 'RECIPIENT_REPLACED' }>;

function replacedBy(plan: Plan, recipient: PlannedRecipient, by: string): Replaced {
  const stepId = plan.steps.at(-1)?.stepId;
  if (stepId === undefined) throw new Error('A plan must have steps.');
  const told = plan.approval === undefined ? {} : { by };
  return { type: 'RECIPIENT_REPLACED', stepId, recipient, ...told, endToEndId: newEndToEndId() };
}

/**
 * Whether the saved recipient that a request means has another version than the plan pays. False for a recipient that can no
 * longer be used: the request may be a repeated one.
 */
function isNewerThan({ recipient: { savedAs } }: Plan, meant: Outcome<MeantRecipient>): boolean {
  return meant.ok && meant.value.saved?.savedAs.version !== savedAs?.version;
}

/** Whether the plan already pays the saved recipient that the request names, in any version. */
function isRepeated({ nowMs }: PaymentParts, plan: Plan, given: GivenRecipient, by: string): boolean {
  const savedId = savedIdOf(given);
  if (savedId === undefined || plan.recipient.savedAs?.recipientId !== savedId) return false;
  const trial = decide(plan, replacedBy(plan, plan.recipient, by), nowMs());
  return trial.ok && trial.outcome === 'UNCHANGED';
}
