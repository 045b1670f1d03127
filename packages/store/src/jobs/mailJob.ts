import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** The task that sends an e-mail. */
export const MAIL_TASK = 'mail';

/** What a job says of its e-mail. */
export type MailJobPayload = { readonly mailId: string };

/** Adds the job of a new e-mail, in the transaction that keeps it. */
export async function addMailJob(transaction: Database, mailId: string): Promise<void> {
  const payload: MailJobPayload = { mailId };
  // More tries than there will ever be: an e-mail ends with its link.
  await sql`select graphile_worker.add_job(${MAIL_TASK}, payload => ${JSON.stringify(payload)}::json,
    job_key => ${`mail:${mailId}`}, max_attempts => 32767)`.execute(transaction);
}

/** Whether the e-mail still waits to be sent. */
export async function isMailQueued(database: Database, mailId: string): Promise<boolean> {
  const row = await database
    .selectFrom('mails')
    .select('state')
    .where('mail_id', '=', mailId)
    .executeTakeFirst();
  return row?.state === 'QUEUED';
}
