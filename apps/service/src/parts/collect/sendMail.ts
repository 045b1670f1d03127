import { plainLine } from '@fairway/api';
import { errorCode, type MailOffice } from '../../platform/mail/mailer.ts';
import { SERVICE_ACTOR } from '../payments/index.ts';
import type { CollectParts } from './parts.ts';
import { letterOf } from './planLetter.ts';

/** The length of an organisation's name in that of the sender, so that what follows is seen, too. */
const LONGEST_NAME = 60;

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
  const { organisationName, ...letter } = await letterOf(parts, mail);
  const sender = { ...from, name: `${plainLine(organisationName, LONGEST_NAME)} via ${from.name}` };
  const { organisationId } = mail.scope;
  const sent = await mailer.send({ ...letter, organisationId, from: sender, messageId: mail.messageId });
  const outcome =
    sent === 'ACCEPTED'
      ? ({ outcome: 'ACCEPTED' } as const)
      : ({
          outcome: sent.rejected === 'PERMANENT' ? 'BOUNCED' : 'DEFERRED',
          error: errorCode(sent.detail),
        } as const);
  await collect.markMail(mailId, outcome, { actor: SERVICE_ACTOR, atMs: parts.nowMs() });
}
