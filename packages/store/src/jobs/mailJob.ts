import type { TimeMs } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** The task that sends an e-mail. */
export const MAIL_TASK = 'mail';

/** What a job says of its e-mail. */
export type MailJobPayload = { readonly mailId: string };

/** An e-mail's job is found by this key, and there is never a second one of it. */
export function mailJobKey(mailId: string): string {
  return `mail:${mailId}`;
}

/** When an e-mail is sent. URGENT: somebody waits for it at a page, so it goes before those that nobody waits for. */
export type MailTiming = { readonly delayMs?: number; readonly urgency?: 'URGENT' };

/**
 * Adds the job of an e-mail, in the transaction that keeps it. The delay counts from the database's wall clock, as the
 * service's own may have been advanced.
 */
export async function addMailJob(
  transaction: Database,
  mailId: string,
  { delayMs = 0, urgency }: MailTiming = {},
): Promise<void> {
  const payload: MailJobPayload = { mailId };
  // More tries than there will ever be: an e-mail ends with its link.
  await sql`select graphile_worker.add_job(${MAIL_TASK}, payload => ${JSON.stringify(payload)}::json,
    job_key => ${mailJobKey(mailId)}, max_attempts => 32767, priority => ${urgency === undefined ? 0 : -1},
    run_at => clock_timestamp() + ${delayMs}::float8 * interval '1 millisecond')`.execute(transaction);
}

/** How long until an e-mail that still waits is due, 0 when it is; undefined when it does not wait. */
export async function mailDelayMs(
  database: Database,
  nowMs: TimeMs,
  mailId: string,
): Promise<number | undefined> {
  const row = await database
    .selectFrom('mails')
    .select(['state', 'due_at'])
    .where('mail_id', '=', mailId)
    .executeTakeFirst();
  if (row?.state !== 'QUEUED') return undefined;
  return Math.max(0, (row.due_at?.getTime() ?? 0) - nowMs);
}
