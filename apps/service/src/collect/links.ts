import { collectStep, nextLinkVersion, type Plan, type PlanEvent, type Recipient } from '@fairway/plan';
import type { ChangedPlan, Deed, PlanScope, Unavailable, UnreadableRecipient } from '@fairway/store';
import { randomUUIDv7 } from 'node:crypto';
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
  readdressed?: {
    readonly recipient: Extract<Recipient, { type: 'email' }>;
    readonly masked: Plan['recipient'];
  },
): Promise<ChangedPlan | UnreadableRecipient | Unavailable> {
  const step = collectStep(plan);
  if (step === undefined) throw new Error('Only a plan that collects has links.');
  const read = await recipientOf(parts, scope, plan, readdressed?.recipient);
  if (!read.ok) return read;
  const { email, name, locale } = read.recipient;
  const token = newToken();
  const keepsTime = (reason === 'RESENT' || reason === 'READDRESSED') && step.link !== undefined;
  const expiresAtMs = keepsTime ? step.link.expiresAtMs : deed.atMs + plan.options.collectLifeMs;
  const event: Extract<PlanEvent, { type: 'LINK_MADE' }> = {
    type: 'LINK_MADE',
    stepId: step.stepId,
    version: nextLinkVersion(step),
    reason,
    expiresAtMs,
    ...(readdressed === undefined ? {} : { recipient: readdressed.masked }),
  };
  const asked = plan.options.collect as { readonly locale?: string; readonly message?: string } | undefined;
  const mail = {
    kind: MAIL_KINDS[reason],
    to: email,
    locale: locale ?? asked?.locale ?? 'en',
    token,
    ...(name === undefined ? {} : { name }),
    ...(asked?.message === undefined ? {} : { message: asked.message }),
  };
  return parts.store.collect.makeLink(
    scope,
    plan.planId,
    event,
    {
      tokenHash: tokenHash(token),
      mail,
      messageId: newMessageId(),
      ...(readdressed === undefined ? {} : { recipient: readdressed.recipient }),
    },
    deed,
  );
}

type EmailRecipient = Extract<Recipient, { type: 'email' }>;

async function recipientOf(
  { store }: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  readdressed: EmailRecipient | undefined,
): Promise<{ ok: true; recipient: EmailRecipient } | UnreadableRecipient | Unavailable> {
  if (readdressed !== undefined) return { ok: true, recipient: readdressed };
  const read = await store.payments.readRecipient(scope, plan.planId);
  if (!read.ok) return read;
  if (read.recipient?.type !== 'email') throw new Error('A plan that collects has a recipient to e-mail.');
  return { ok: true, recipient: read.recipient };
}

/** One for each e-mail, and the same whenever that is sent again: mail programs then show it once. */
export function newMessageId(): string {
  // The right side only has to be of this service's making: it need not be a host that exists.
  return `<${randomUUIDv7()}@collect.fairway>`;
}
