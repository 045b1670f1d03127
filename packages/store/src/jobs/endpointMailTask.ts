import { addJob, type TaskHandler } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { errorCodeOf } from '../mail/mailErrors.ts';

/** The task that e-mails an organisation what has become of a webhook endpoint of its own. */
export const ENDPOINT_MAIL_TASK = 'endpoint_mail';

/**
 * What has become of a webhook endpoint. `host`: where it was at that moment, with its port. FAILING: no attempt has succeeded for an
 * hour, since `sinceMs`. GONE and DISABLED: nothing more is sent to it, because it answered 410, or failed for five days.
 */
export type EndpointNotice = {
  readonly scope: PlanScope;
  readonly endpointId: string;
  readonly host: string;
  readonly atMs: number;
} & (
  | { readonly kind: 'FAILING'; readonly sinceMs: number }
  | { readonly kind: 'RECOVERED' | 'GONE' | 'DISABLED' }
);

/**
 * Adds the job that e-mails a notice, in the transaction of what it tells. Whether anybody is to be told, and at which address, is
 * known where the job is done: an address is not kept here.
 */
export async function addEndpointMailJob(transaction: Database, notice: EndpointNotice): Promise<void> {
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
