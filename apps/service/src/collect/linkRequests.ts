import {
  canonicalRecipient,
  collectStep,
  isLinkLive,
  maskRecipient,
  owedLink,
  type Plan,
  type Recipient,
  type SendDigitalCollectStep,
} from '@fairway/plan';
import { withChainRead } from '../payments/comparePlan.ts';
import { currentPlan } from '../payments/findPlan.ts';
import type { Acting, PaymentParts } from '../payments/paymentParts.ts';
import { changePlan, contextOf } from '../payments/planChanges.ts';
import { ADDRESSEE_ERASED, changeRefused, KEY_AWAY } from '../payments/planProblems.ts';
import { done, invalidFields, type Outcome, refuse } from '../problems/problem.ts';
import { type LinkReason, makeLink, type Readdressing, recipientOf } from './links.ts';

/** A DIGITAL_COLLECT plan and its SEND_DIGITAL_COLLECT step. */
export type FoundCollect = { readonly plan: Plan; readonly step: SendDigitalCollectStep };

/** A DIGITAL_COLLECT plan, after the service has done the work that is due now. */
export async function findCollect(
  parts: PaymentParts,
  { scope }: Acting,
  planId: string,
): Promise<Outcome<FoundCollect>> {
  const found = await currentPlan(parts, scope, planId);
  if (!found.ok) return found;
  const plan = found.value;
  const step = collectStep(plan);
  if (step !== undefined) return done({ plan, step });
  return refuse({
    code: 'mode-not-supported',
    detail:
      'The plan is STANDARD; only DIGITAL_COLLECT has a link. Make a plan with that mode to have its recipient asked.',
  });
}

/** Makes a new link. RESENT: it replaces a live link and keeps its expiry. REISSUED: it follows a link that ended. */
export async function renewLink(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  reason: 'RESENT' | 'REISSUED',
): Promise<Outcome<Plan>> {
  const found = await findCollect(parts, acting, planId);
  if (!found.ok) return found;
  const { plan, step } = found.value;
  // A recipient who is asked again after a delivery would be paid again. That may have happened since the chain was
  // last read.
  const isAgain = reason === 'REISSUED' && step.delivery !== undefined;
  const compared = isAgain ? await withChainRead(parts, acting.scope, plan) : done(plan);
  return compared.ok ? newLink(parts, acting, compared.value, reason) : compared;
}

/** Makes a new link and mails it to another address. `given`: the fields of the new recipient, as plain JSON. */
export async function readdressLink(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Outcome<Plan>> {
  const found = await findCollect(parts, acting, planId);
  if (!found.ok) return found;
  const { plan, step } = found.value;
  const { recipient: before } = plan;
  const read = parts.corridors.readRecipient(plan.corridor, ['email'], {
    // The new recipient gets the language of the recipient before, unless the request names another.
    ...(before.type === 'email' && before.locale !== undefined ? { locale: before.locale } : {}),
    ...given,
    type: 'email',
  });
  if (!read.ok || read.recipient.type !== 'email') {
    const errors = read.ok ? [] : read.errors;
    const placed = errors.map(({ pointer, detail }) => ({
      pointer: pointer.replace(/^\/recipient/, ''),
      detail,
    }));
    return refuse({ ...invalidFields(placed), code: 'recipient-invalid' });
  }
  const { recipient } = read;
  const reason = await readdressReason(parts, acting, plan, step);
  return newLink(parts, acting, plan, reason, { recipient, masked: masked(parts, acting, recipient) });
}

/**
 * Why a link goes to another address. The link of an erased recipient is not reissued, so that the recipient who is
 * named instead gets that link.
 */
async function readdressReason(
  parts: PaymentParts,
  { scope }: Acting,
  plan: Plan,
  { link }: SendDigitalCollectStep,
): Promise<LinkReason> {
  if (link === undefined || isLinkLive(link) || owedLink(plan) !== undefined) return 'READDRESSED';
  const read = await recipientOf(parts, scope, plan.planId);
  return !read.ok && read.reason === 'ADDRESSEE_ERASED' ? 'REISSUED' : 'READDRESSED';
}

/** Cancels a link that was not used. */
export async function cancelLink(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
): Promise<Outcome<Plan>> {
  const found = await findCollect(parts, acting, planId);
  if (!found.ok) return found;
  const { plan, step } = found.value;
  return changePlan(parts, acting, plan, { type: 'COLLECT_CANCELLED', stepId: step.stepId });
}

async function newLink(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  reason: LinkReason,
  readdressing?: Readdressing,
): Promise<Outcome<Plan>> {
  const made = await makeLink(parts, acting.scope, plan, reason, contextOf(parts, acting), readdressing);
  if (made.ok) return done(made.plan);
  switch (made.reason) {
    case 'ADDRESSEE_ERASED':
      return refuse(ADDRESSEE_ERASED);
    case 'KEY_UNKNOWN':
    case 'SEAL_BROKEN':
      return refuse(KEY_AWAY);
    default:
      return refuse(changeRefused(made));
  }
}

function masked({ store }: PaymentParts, { scope }: Acting, recipient: Recipient): Plan['recipient'] {
  const text = canonicalRecipient(recipient);
  return maskRecipient(
    recipient,
    store.fingerprint('recipient', scope.organisationId, text).toString('base64url'),
  );
}
