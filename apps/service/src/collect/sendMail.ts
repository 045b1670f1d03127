import type { QueuedMail } from '@fairway/store';
import type { MailSender } from '../configMail.ts';
import { formatAmount } from '../locales/formats.ts';
import { catalogueOf } from '../locales/index.ts';
import type { Mailer } from '../mail/mailer.ts';
import { type MailFacts, writeMail } from '../mail/writeMail.ts';
import { SERVICE_ACTOR } from '../payments/planWork.ts';
import type { CollectParts } from './collectParts.ts';
import { payoutDecimal } from './linkFacts.ts';
import { collectStep } from '@fairway/plan';

/** How e-mails leave. */
export type MailOffice = { readonly mailer: Mailer; readonly from: MailSender };

/**
 * Sends one queued e-mail and notes what became of it. Throws where it is to be tried again: the same mail, under the
 * same Message-ID.
 */
export async function sendMail(
  parts: CollectParts,
  { mailer, from }: MailOffice,
  mailId: string,
): Promise<void> {
  const { collect } = parts.store;
  const read = await collect.readMail(mailId);
  if (!read.ok && read.reason === 'NOT_QUEUED') return;
  if (!read.ok) throw new Error(`An e-mail cannot be read: ${read.reason}`);
  const { mail } = read;
  const facts = await factsOf(parts, mail);
  const { order, messageId } = mail;
  const sent = await mailer.send({ ...writeMail(facts, order.locale), to: order.to, from, messageId });
  const outcome =
    sent === 'ACCEPTED'
      ? ({ outcome: 'ACCEPTED' } as const)
      : ({
          outcome: sent.rejected === 'PERMANENT' ? 'BOUNCED' : 'DEFERRED',
          error: errorCode(sent.detail),
        } as const);
  const noted = await collect.markMail(mailId, outcome, { actor: SERVICE_ACTOR, atMs: parts.nowMs() });
  if (!noted.ok) throw new Error(`What became of an e-mail cannot be noted: ${noted.detail}`);
}

async function factsOf(
  parts: CollectParts,
  { scope, planId, order, expiresAtMs }: QueuedMail,
): Promise<MailFacts> {
  const loaded = await parts.store.payments.loadPlan(scope, planId);
  const organisation = await parts.organisationOf(scope.organisationId);
  if (!loaded.ok || organisation === undefined) throw new Error('The plan of an e-mail cannot be read.');
  const { plan } = loaded;
  const step = plan && collectStep(plan);
  if (plan === undefined || step === undefined) throw new Error('An e-mail belongs to a plan that collects.');
  const { currency } = plan.corridor.target;
  const { language } = catalogueOf(order.locale);
  const shared = {
    organisationName: organisation.name,
    ...(order.name === undefined ? {} : { name: order.name }),
    amount: formatAmount(language, payoutDecimal(parts, plan, step.asset.amount), currency),
    currency,
    publicUrl: parts.publicUrl(),
    expiresAtMs,
  };
  if (order.kind === 'CODE') return { ...shared, kind: 'CODE', code: order.code ?? '' };
  return {
    ...shared,
    kind: order.kind,
    linkUrl: `${parts.publicUrl()}/collect#${order.token ?? ''}`,
    ...(order.message === undefined ? {} : { message: order.message }),
  };
}

/** What a server said, as far as it is a code: nothing that could name a person is kept. */
function errorCode(detail: string): string {
  return /\b([2-5]\d\d(?: \d\.\d{1,3}\.\d{1,3})?|E[A-Z]{3,20})\b/.exec(detail)?.[1] ?? 'FAILED';
}
