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
import { withChainRead } from '../comparePlan.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { KEY_AWAY, type Acting, done, invalidFields, type Outcome, refuse } from '@fairway/api';
import type { GivenRecipient } from '../paymentRequest.ts';
import { contextOf } from '../planChanges.ts';
import { ADDRESSEE_ERASED, changeRefused } from '../planProblems.ts';
import { type LinkReason, makeLink, type Readdressing } from './links.ts';

/** A DIGITAL_COLLECT plan and its SEND_DIGITAL_COLLECT step. */
export type FoundCollect = { readonly plan: Plan; readonly step: SendDigitalCollectStep };

/**
 * Sends the recipient of a plan another link. It replaces a live link and keeps its end, or follows one that ended.
 * `given`: a recipient with another e-mail address, who takes the place of the one before.
 */
export async function sendLink(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  given: GivenRecipient | undefined,
): Promise<Outcome<Plan>> {
  const step = collectStep(plan);
  if (step === undefined) throw new Error('A plan without a SEND_DIGITAL_COLLECT step has no links.');
  const read = given === undefined ? done(undefined) : readAddressee(parts, acting, plan, given);
  if (!read.ok) return read;
  const isReplaced = step.link === undefined || isLinkLive(step.link) || owedLink(plan) !== undefined;
  if (isReplaced)
    return newLink(parts, acting, plan, given === undefined ? 'RESENT' : 'READDRESSED', read.value);
  // A recipient who is asked again after a delivery would be paid again. That may have happened since the chain was
  // last read.
  const compared = step.delivery === undefined ? done(plan) : await withChainRead(parts, acting.scope, plan);
  return compared.ok ? newLink(parts, acting, compared.value, 'REISSUED', read.value) : compared;
}

/** Reads the recipient of e-mails who takes the place of the one before, and keeps that one's language. */
function readAddressee(
  parts: PaymentParts,
  acting: Acting,
  { corridor, recipient: before }: Plan,
  { plain }: GivenRecipient,
): Outcome<Readdressing> {
  const locale = before.type === 'email' && before.locale !== undefined ? { locale: before.locale } : {};
  const isObject = typeof plain === 'object' && plain !== null && !Array.isArray(plain);
  const read = parts.corridors.readRecipient(corridor, ['email'], isObject ? { ...locale, ...plain } : plain);
  if (!read.ok || read.recipient.type !== 'email')
    return refuse({ ...invalidFields(read.ok ? [] : read.errors), code: 'recipient-invalid' });
  const { recipient } = read;
  return done({ recipient, masked: masked(parts, acting, recipient) });
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
