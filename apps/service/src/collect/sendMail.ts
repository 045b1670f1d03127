import { errorCode, type MailOffice } from '../mail/mailer.ts';
import { SERVICE_ACTOR } from '../payments/comparePlan.ts';
import type { CollectParts } from './collectParts.ts';
import { letterOf } from './planLetter.ts';

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
  await collect.markMail(mailId, outcome, { actor: SERVICE_ACTOR, atMs: parts.nowMs() });
}
