import type { TimeMs } from '@fairway/plan';
import { addJob } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** The task that sends an e-mail. */
export const MAIL_TASK = 'mail';

/** The payload of an e-mail's job. */
export type MailJobPayload = { readonly mailId: string };

/** The key of an e-mail's job; an e-mail never has a second job. */
export function mailJobKey(mailId: string): string {
  return `mail:${mailId}`;
}

/** When an e-mail is sent. URGENT: a person waits for it at a page, so it goes before all others. */
export type MailTiming = { readonly delayMs?: number; readonly urgency?: 'URGENT' };

/**
 * Adds the job of an e-mail in the caller's transaction. The delay counts from the database's wall clock, because the
 * service's clock may have been advanced.
 */
export async function addMailJob(
  transaction: Database,
  mailId: string,
  { delayMs = 0, urgency }: MailTiming = {},
): Promise<void> {
  const payload: MailJobPayload = { mailId };
  const priority = urgency === undefined ? 0 : -1;
  const job = addJob({ task: MAIL_TASK, key: mailJobKey(mailId), payload, delayMs, priority });
  await sql`select ${job}`.execute(transaction);
}

/** How long until an e-mail that waits is due, 0 when it is due; undefined when the e-mail does not wait. */
export async function mailDelayMs(
  database: Database,
  nowMs: TimeMs,
  mailId: string,
): Promise<number | undefined> {
  const row = await database
    .selectFrom('mails as any_mail')
    .select(['state', 'due_at'])
    .where('mail_id', '=', mailId)
    .executeTakeFirst();
  if (row?.state !== 'QUEUED') return undefined;
  return Math.max(0, (row.due_at?.getTime() ?? 0) - nowMs);
}
