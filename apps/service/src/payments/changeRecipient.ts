import {
  canonicalRecipient,
  collectStep,
  maskRecipient,
  type Plan,
  type PlanEvent,
  recipientTypesOf,
} from '@fairway/plan';
import { invalidFields, type Outcome, refuse } from '../problems/problem.ts';
import { refuseDepositAddress } from '../recipients/recipientReader.ts';
import { withChainRead } from './comparePlan.ts';
import { newEndToEndId } from './endToEndId.ts';
import { currentPlan } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import type { GivenRecipient } from './paymentRequest.ts';
import { afterChange, deedOf } from './planChanges.ts';

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
  const { corridor, mode, options } = plan;
  const read = refuseDepositAddress(
    parts.corridors.readRecipient(corridor, recipientTypesOf(corridor, mode), given.plain),
    options.depositAddress,
  );
  if (!read.ok) return refuse({ ...invalidFields(read.errors), code: 'recipient-invalid' });
  const fingerprint = parts.store
    .fingerprint('recipient', scope.organisationId, canonicalRecipient(read.recipient))
    .toString('base64url');
  const stepId = plan.steps.at(-1)?.stepId;
  if (stepId === undefined) throw new Error('A plan must have steps.');
  const event: Extract<PlanEvent, { type: 'RECIPIENT_REPLACED' }> = {
    type: 'RECIPIENT_REPLACED',
    stepId,
    recipient: maskRecipient(read.recipient, fingerprint),
    endToEndId: newEndToEndId(),
  };
  // The account that was to be paid may have been paid since the chain was last read.
  const compared = await withChainRead(parts, scope, plan);
  if (!compared.ok) return compared;
  const deed = deedOf(parts, acting);
  const { payments } = parts.store;
  const changed = await payments.replaceRecipient(scope, plan.planId, event, read.recipient, deed);
  return afterChange(parts, acting, changed);
}
