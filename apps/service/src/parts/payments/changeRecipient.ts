import {
  canonicalRecipient,
  decide,
  maskRecipient,
  type Plan,
  type PlannedRecipient,
  recipientTypesOf,
} from '@fairway/plan';
import type { AskedCommand } from '@fairway/store';
import { defined } from '@fairway/values';
import { type Acting, done, invalidFields, type Outcome, refuse } from '@fairway/api';
import { refuseDepositAddress } from './recipient/reader.ts';
import { withChainRead } from './comparePlan.ts';
import { nextEndToEndId } from './endToEndId.ts';
import type { PaymentParts } from './paymentParts.ts';
import type { GivenRecipient } from './paymentRequest.ts';
import { afterChange } from './changePlan.ts';
import { contextOf } from './planChanges.ts';
import { checkedRevision, refuseUnchecked } from './payeeCheckRules.ts';
import {
  asOfRegistered,
  type MeantRecipient,
  meantRecipient,
  registeredIdOf,
} from './registeredRecipient.ts';

/** Has another account paid, after a payment failed or came back. */
export async function changeRecipient(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  given: GivenRecipient,
): Promise<Outcome<Plan>> {
  const { scope } = acting;
  const rules = await parts.organisationOf(scope.organisationId);
  const meant = await meantRecipient(parts, scope, given, rules);
  if (isRepeated(parts, plan, given, acting) && !isNewerThan(plan, meant)) return done(plan);
  if (!meant.ok) return meant;
  const { corridor, mode, options } = plan;
  const read = refuseDepositAddress(
    parts.corridors.readRecipient(corridor, recipientTypesOf(corridor, mode), meant.value.given.plain),
    options.depositAddress,
  );
  if (!read.ok)
    return refuse(asOfRegistered({ ...invalidFields(read.errors), code: 'recipient-invalid' }, meant.value));
  const { registered } = meant.value;
  const unchecked = refuseUnchecked(corridor, registered);
  if (unchecked !== undefined) return refuse(unchecked);
  const fingerprint = parts.store
    .fingerprint('recipient', scope.organisationId, canonicalRecipient(read.recipient))
    .toString('base64url');
  const masked = maskRecipient(read.recipient, fingerprint);
  const planned = { ...masked, ...defined({ registeredAs: registered?.registeredAs }) };
  // The account that was to be paid may have been paid since the chain was last read.
  const compared = await withChainRead(parts, scope, plan);
  if (!compared.ok) return compared;
  const context = {
    ...contextOf(parts, acting),
    ...defined({ registeredRevision: checkedRevision(corridor, registered) }),
  };
  const { payments } = parts.store;
  const command = replacedBy(acting, compared.value, planned);
  const changed = await payments.replaceRecipient(scope, plan.planId, command, read.recipient, context);
  return afterChange(parts, acting, changed);
}

type Replaced = Extract<AskedCommand, { type: 'RECIPIENT_REPLACED' }>;

function replacedBy({ actor: by }: Acting, plan: Plan, recipient: PlannedRecipient): Replaced {
  const stepId = plan.steps.at(-1)?.stepId;
  if (stepId === undefined) throw new Error('A plan must have steps.');
  const told = plan.approval === undefined ? {} : { by };
  return { type: 'RECIPIENT_REPLACED', stepId, recipient, ...told };
}

/**
 * Whether the registered recipient that a request means has another version than the plan pays. False for a recipient that can no
 * longer be used: the request may be a repeated one.
 */
function isNewerThan({ recipient: { registeredAs } }: Plan, meant: Outcome<MeantRecipient>): boolean {
  return meant.ok && meant.value.registered?.registeredAs.version !== registeredAs?.version;
}

/** Whether the plan already pays the registered recipient that the request names, in any version. */
function isRepeated(parts: PaymentParts, plan: Plan, given: GivenRecipient, acting: Acting): boolean {
  const registeredId = registeredIdOf(given);
  if (registeredId === undefined || plan.recipient.registeredAs?.recipientId !== registeredId) return false;
  const endToEndId = nextEndToEndId(parts, acting.scope, plan, plan.recipient.fingerprint);
  const again = { ...replacedBy(acting, plan, plan.recipient), endToEndId };
  const trial = decide(plan, again, parts.nowMs());
  return trial.ok && trial.outcome === 'UNCHANGED';
}
