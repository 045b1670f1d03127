import type { MailSender } from '../config/configMail.ts';
import type { Mailer } from '../mail/mailer.ts';
import { SERVICE_ACTOR } from '../payments/comparePlan.ts';
import type { CollectParts } from './collectParts.ts';
import { letterOf } from './planLetter.ts';

/** The mailer and the sender of e-mails. */
export type MailOffice = { readonly mailer: Mailer; readonly from: MailSender };

/**
 * Sends one queued e-mail and records the outcome. Throws when the job must be tried again; the e-mail keeps its
 * Message-ID then.
 */
export async function sendMail(
  parts: CollectParts,
  { mailer, from }: MailOffice,
  mailId: string,
): Promise<void> {
  const { collect } = parts.store;
  const read = await collect.readMail(mailId);
  if (!read.ok && (read.reason === 'NOT_QUEUED' || read.reason === 'NOT_DUE')) return;
  if (!read.ok) throw new Error(`An e-mail cannot be read: ${read.reason}`);
  const { mail } = read;
  const letter = await letterOf(parts, mail);
  const sent = await mailer.send({ ...letter, from, messageId: mail.messageId });
  const outcome =
    sent === 'ACCEPTED'
      ? ({ outcome: 'ACCEPTED' } as const)
      : ({
          outcome: sent.rejected === 'PERMANENT' ? 'BOUNCED' : 'DEFERRED',
          error: errorCode(sent.detail),
        } as const);
  const noted = await collect.markMail(mailId, outcome, { actor: SERVICE_ACTOR, atMs: parts.nowMs() });
  if (!noted.ok) throw new Error(`The outcome of an e-mail cannot be recorded: ${noted.detail}`);
}

/** The error code in a mail server's answer. The rest is not kept, because it could name a person. */
function errorCode(detail: string): string {
  return /\b([2-5]\d\d(?: \d\.\d{1,3}\.\d{1,3})?|E[A-Z]{3,20})\b/.exec(detail)?.[1] ?? 'FAILED';
}
