import type { Notice, StepId, TimeMs } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { addMailJob } from './job.ts';
import { newMailId, newMessageId } from './queue.ts';

/** A new notice, to be sent between `dueAtMs` and `expiresAtMs`. */
export type NewNotice = { readonly kind: Notice; readonly dueAtMs: TimeMs; readonly expiresAtMs: TimeMs };

/**
 * Keeps a notice about a link, with the job that sends it. A link has one notice of each kind: when a reorganisation
 * makes the same thing happen twice, the recipient is not told twice. A notice that was dropped, because it was not
 * true when it should have been sent, is queued once more.
 */
export async function queueNotice(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
  { stepId, version }: { readonly stepId: StepId; readonly version: number },
  { kind, dueAtMs, expiresAtMs }: NewNotice,
  nowMs: TimeMs,
): Promise<void> {
  const { rows } = await sql<{ mail_id: string }>`
    insert into mails (mail_id, organisation_id, environment, plan_id, token_hash, kind, message_id, due_at,
      expires_at, state, attempts, created_at)
    select ${newMailId()}, organisation_id, environment, plan_id, token_hash, ${kind}, ${newMessageId()},
      ${new Date(dueAtMs)}, ${new Date(expiresAtMs)}, 'QUEUED', 0, ${new Date(nowMs)}
    from collect_links
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${planId}
      and step_id = ${stepId} and version = ${version}
    on conflict (token_hash, kind) where due_at is not null do update
    set state = 'QUEUED', ended_at = null, due_at = excluded.due_at, expires_at = excluded.expires_at
    where mails.organisation_id = excluded.organisation_id and mails.state = 'DROPPED'
    returning mail_id`.execute(transaction);
  for (const { mail_id: mailId } of rows) await addMailJob(transaction, mailId, { delayMs: dueAtMs - nowMs });
}
