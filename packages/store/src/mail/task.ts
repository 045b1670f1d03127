import type { TaskHandler } from '@fairway/postgres';
import type { Database } from '../database/database.ts';
import { errorCodeOf } from './errors.ts';
import { addMailJob, mailDelayMs, type MailJobPayload } from './job.ts';

/** Makes the handler of e-mails' jobs. `perform` sends an e-mail; an e-mail that still waits is tried again. */
export function mailTask(
  database: Database,
  now: () => Date,
  perform: (mailId: string) => Promise<void>,
): TaskHandler {
  return async (payload) => {
    const { mailId } = payload as MailJobPayload;
    try {
      await perform(mailId);
    } catch (cause) {
      throw new Error(`the e-mail was not sent: ${errorCodeOf(cause)}`);
    }
    const delayMs = await mailDelayMs(database, now().getTime(), mailId);
    if (delayMs === undefined) return;
    if (delayMs === 0) throw new Error('the e-mail still waits');
    // The job ran too early, as all jobs do when the service's clock is advanced.
    await addMailJob(database, mailId, { delayMs });
  };
}
