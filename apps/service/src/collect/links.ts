import {
  collectStep,
  defined,
  nextLinkVersion,
  type Plan,
  type PlanEvent,
  type Recipient,
} from '@fairway/plan';
import type { Unavailable } from '@fairway/postgres';
import type { ChangedPlan, Deed, MailOrder, PlanScope, UnreadableRecipient } from '@fairway/store';
import type { PaymentParts } from '../payments/paymentParts.ts';
import { newToken, tokenHash } from './token.ts';

/** Why a link is made. */
export type LinkReason = Extract<PlanEvent, { type: 'LINK_MADE' }>['reason'];

const MAIL_KINDS = {
  FIRST: 'LINK_FIRST',
  RESENT: 'LINK_REPLACED',
  READDRESSED: 'LINK_REPLACED',
  REISSUED: 'LINK_REISSUED',
  REOPENED: 'LINK_REOPENED',
} as const;

/**
 * Makes a link and queues its e-mail, both or neither. `readdressed` is the recipient that takes the place of the one
 * before. The token is in the sealed e-mail alone, until that was accepted.
 */
export async function makeLink(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  reason: LinkReason,
  deed: Deed,
  readdressed?: Readdressing,
): Promise<ChangedPlan | UnreadableRecipient | Unavailable> {
  const step = collectStep(plan);
  if (step === undefined) throw new Error('Only a plan that collects has links.');
  const read =
    readdressed === undefined
      ? await recipientOf(parts, scope, plan.planId)
      : ({ ok: true, recipient: readdressed.recipient } as const);
  if (!read.ok) return read;
  const token = newToken();
  const keepsTime = (reason === 'RESENT' || reason === 'READDRESSED') && step.link !== undefined;
  const expiresAtMs = keepsTime ? step.link.expiresAtMs : deed.atMs + plan.options.collectLifeMs;
  const event: Extract<PlanEvent, { type: 'LINK_MADE' }> = {
    type: 'LINK_MADE',
    stepId: step.stepId,
    version: nextLinkVersion(step),
    reason,
    expiresAtMs,
    ...defined({ recipient: readdressed?.masked }),
  };
  const { message } = plan.options.collect ?? {};
  const mail = {
    kind: MAIL_KINDS[reason],
    ...addresseeOf(plan, read.recipient),
    token,
    ...defined({ message }),
  };
  return parts.store.collect.makeLink(
    scope,
    plan.planId,
    event,
    {
      tokenHash: tokenHash(token),
      mail,
      ...defined({ recipient: readdressed?.recipient }),
    },
    deed,
  );
}

type EmailRecipient = Extract<Recipient, { type: 'email' }>;

/** Somebody new to send the e-mails to, with the details that the plan shows. */
export type Readdressing = { readonly recipient: EmailRecipient; readonly masked: Plan['recipient'] };

/** Whom e-mails of a plan go to, and in which language. */
export type Addressee = Pick<MailOrder, 'to' | 'name' | 'locale'>;

/** Whom a recipient's details say that e-mails go to. */
export function addresseeOf({ options }: Plan, { email, name, locale }: EmailRecipient): Addressee {
  return {
    to: email,
    locale: locale ?? options.collect?.locale ?? 'en',
    ...defined({ name }),
  };
}

/** The recipient's details, sealed but for this. */
export async function recipientOf(
  { store }: PaymentParts,
  scope: PlanScope,
  planId: string,
): Promise<{ ok: true; recipient: EmailRecipient } | UnreadableRecipient | Unavailable> {
  const read = await store.payments.readRecipient(scope, planId);
  if (!read.ok) return read;
  if (read.recipient?.type !== 'email') throw new Error('A plan that collects has a recipient to e-mail.');
  return { ok: true, recipient: read.recipient };
}
