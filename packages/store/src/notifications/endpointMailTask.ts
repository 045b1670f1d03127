import type { EndpointNotice } from '@fairway/outbox';
import { addJob, type TaskHandler } from '@fairway/postgres';
import { type QueryExecutorProvider, sql } from 'kysely';
import { errorCodeOf } from '../mail/errors.ts';

/** The task that e-mails an organisation what has become of a webhook endpoint of its own. */
export const ENDPOINT_MAIL_TASK = 'endpoint_mail';

/**
 * Adds the job that e-mails a notice, in the transaction of what it tells. Whether anybody is to be told, and at which address, is
 * known where the job is done: an address is not kept here.
 */
export async function addEndpointMailJob(
  transaction: QueryExecutorProvider,
  notice: EndpointNotice,
): Promise<void> {
  const { endpointId, kind, atMs } = notice;
  const key = `${ENDPOINT_MAIL_TASK}:${endpointId}:${kind}:${atMs}`;
  await sql`select ${addJob({ task: ENDPOINT_MAIL_TASK, key, payload: notice })}`.execute(transaction);
}

/** Makes the handler of these jobs. When `perform` throws, the job is tried again later. */
export function endpointMailTask(perform: (notice: EndpointNotice) => Promise<void>): TaskHandler {
  return async (payload) => {
    try {
      await perform(payload as EndpointNotice);
    } catch (cause) {
      throw new Error(`the e-mail about a webhook endpoint was not sent: ${errorCodeOf(cause)}`);
    }
  };
}
