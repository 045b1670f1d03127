import {
  collectStep,
  nextLinkVersion,
  owedLink,
  type Plan,
  type PlanCommand,
  type Recipient,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { ChangedPlan, CommandContext, MailOrder, PlanScope, UnreadableRecipient } from '@fairway/store';
import { nextEndToEndId } from '../endToEndId.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { newToken, tokenHash } from './token.ts';

/** The reason why a link is made. */
export type LinkReason = Extract<PlanCommand, { type: 'LINK_MADE' }>['reason'];

const MAIL_KINDS = {
  FIRST: 'LINK_FIRST',
  RESENT: 'LINK_REPLACED',
  READDRESSED: 'LINK_REPLACED',
  REISSUED: 'LINK_REISSUED',
  REOPENED: 'LINK_REOPENED',
} as const;

/**
 * Makes a link and queues its e-mail in one transaction. `readdressed`: the recipient who replaces the one before. The
 * token is stored only in the sealed e-mail, and only until a mail server has accepted that e-mail.
 */
export async function makeLink(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  reason: LinkReason,
  context: CommandContext,
  readdressed?: Readdressing,
): Promise<ChangedPlan | UnreadableRecipient | ErasedAddressee> {
  const step = collectStep(plan);
  if (step === undefined) throw new Error('A plan without a SEND_DIGITAL_COLLECT step has no links.');
  const read =
    readdressed === undefined
      ? await recipientOf(parts, scope, plan.planId)
      : ({ ok: true, recipient: readdressed.recipient } as const);
  if (!read.ok) return read;
  const token = newToken();
  const owed = owedLink(plan);
  const isAgain = reason === 'RESENT' || (reason === 'READDRESSED' && owed === undefined);
  const keepsTime = isAgain && step.link !== undefined;
  const expiresAtMs = keepsTime ? step.link.expiresAtMs : context.atMs + plan.options.collectLifeMs;
  // After a delivery came back the next payment needs an id of its own.
  const isBack = reason === 'REISSUED' && step.delivery?.status === 'RETURNED';
  const command: Extract<PlanCommand, { type: 'LINK_MADE' }> = {
    type: 'LINK_MADE',
    stepId: step.stepId,
    version: nextLinkVersion(step),
    reason,
    expiresAtMs,
    ...defined({
      recipient: readdressed?.masked,
      by: readdressed !== undefined && plan.approval !== undefined ? context.actor : undefined,
      endToEndId: isBack ? nextEndToEndId(parts, scope, plan, undefined) : undefined,
    }),
  };
  const { message } = plan.options.collect ?? {};
  const mail = {
    kind: MAIL_KINDS[reason === 'READDRESSED' ? (owed?.reason ?? reason) : reason],
    ...addresseeOf(plan, read.recipient),
    token,
    ...defined({ message }),
  };
  return parts.store.collect.makeLink(
    scope,
    plan.planId,
    command,
    {
      tokenHash: tokenHash(token),
      mail,
      ...defined({ recipient: readdressed?.recipient }),
    },
    context,
  );
}

type EmailRecipient = Extract<Recipient, { type: 'email' }>;

/** A new recipient of the e-mails. `masked`: the details that the plan shows. */
export type Readdressing = { readonly recipient: EmailRecipient; readonly masked: Plan['recipient'] };

/** The address, the name and the language of a plan's e-mails. */
export type Addressee = Pick<MailOrder, 'to' | 'name' | 'locale'>;

/** The address, the name and the language of e-mails to a recipient. */
export function addresseeOf({ options }: Plan, { email, name, locale }: EmailRecipient): Addressee {
  return {
    to: email,
    locale: locale ?? options.collect?.locale ?? 'en',
    ...defined({ name }),
  };
}

/** Says that the recipient was erased, so nobody knows its e-mail address. */
export type ErasedAddressee = { readonly ok: false; readonly reason: 'ADDRESSEE_ERASED' };

/** Opens the sealed details of a plan's recipient. */
export async function recipientOf(
  { store }: PaymentParts,
  scope: PlanScope,
  planId: string,
): Promise<{ ok: true; recipient: EmailRecipient } | UnreadableRecipient | ErasedAddressee> {
  const read = await store.payments.readRecipient(scope, planId);
  if (!read.ok) return read;
  if (read.recipient === undefined) return { ok: false, reason: 'ADDRESSEE_ERASED' };
  if (read.recipient.type !== 'email')
    throw new Error('The recipient of a DIGITAL_COLLECT plan is not of type email.');
  return { ok: true, recipient: read.recipient };
}
