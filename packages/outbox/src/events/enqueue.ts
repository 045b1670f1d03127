import { sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { Environment } from '@fairway/values';
import { isWanted } from './wanted.ts';

/**
 * Makes the deliveries of the events whose positions follow `after`, up to `upTo`. It runs in the transaction that
 * gives out these positions, so an endpoint gets each event once, and misses none. The endpoints are locked, so that
 * none is disabled meanwhile.
 */
export async function enqueue(
  transaction: Database,
  environment: Environment,
  { after, upTo, dueAt }: { readonly after: bigint; readonly upTo: bigint; readonly dueAt: Date },
): Promise<void> {
  await sql`
    insert into webhook_deliveries
      (organisation_id, environment, endpoint_id, event_id, position, status, due_at, created_at)
    select w.organisation_id, w.environment, w.endpoint_id, any_event.event_id, any_event.position, 'PENDING', ${dueAt}, ${dueAt}
    from events any_event
    join webhook_endpoints w on w.organisation_id = any_event.organisation_id and w.environment = any_event.environment
    where any_event.environment = ${environment} and any_event.position > ${after} and any_event.position <= ${upTo}
      and w.status = 'ENABLED' and ${isWanted('any_event')}
    for share`.execute(transaction);
}
