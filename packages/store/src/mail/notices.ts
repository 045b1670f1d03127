import { collectStep, type Notice, noticeOf, type Plan, reminderDueAtMs, type TimeMs } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { addMailJob } from './mailJob.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { newMailId, newMessageId } from './mailQueue.ts';

/** For so long a notice is news. */
const NOTICE_LIFE_MS = 3 * 86_400_000;

/** Keeps the reminder of a link that was just made, where one is wanted. It ends with its link. */
export async function queueReminder(
  transaction: Database,
  scope: PlanScope,
  plan: Plan,
  nowMs: TimeMs,
): Promise<void> {
  const dueAtMs = reminderDueAtMs(plan);
  const link = collectStep(plan)?.link;
  if (dueAtMs === undefined || link === undefined) return;
  await queue(transaction, scope, plan, { kind: 'REMINDER', dueAtMs, expiresAtMs: link.expiresAtMs }, nowMs);
}

/** Keeps the notice that a change of a plan gives reason for, where it is wanted. */
export async function queueNotice(
  transaction: Database,
  scope: PlanScope,
  before: Plan,
  after: Plan,
  nowMs: TimeMs,
): Promise<void> {
  const kind = noticeOf(before, after);
  if (kind === undefined) return;
  const expiresAtMs = nowMs + NOTICE_LIFE_MS;
  await queue(transaction, scope, after, { kind, dueAtMs: nowMs, expiresAtMs }, nowMs);
}

type NewNotice = { readonly kind: Notice; readonly dueAtMs: TimeMs; readonly expiresAtMs: TimeMs };

/**
 * One of each kind for a link: what was told is not told again when a reorganisation makes it happen twice. One that was
 * dropped, as it was not true when it should have been sent, takes its place in the queue once more.
 */
async function queue(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  plan: Plan,
  { kind, dueAtMs, expiresAtMs }: NewNotice,
  nowMs: TimeMs,
): Promise<void> {
  const step = collectStep(plan);
  const { rows } = await sql<{ mail_id: string }>`
    insert into mails (mail_id, organisation_id, environment, plan_id, token_hash, kind, message_id, due_at,
      expires_at, state, attempts, created_at)
    select ${newMailId()}, organisation_id, environment, plan_id, token_hash, ${kind}, ${newMessageId()},
      ${new Date(dueAtMs)}, ${new Date(expiresAtMs)}, 'QUEUED', 0, ${new Date(nowMs)}
    from collect_links
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${plan.planId}
      and step_id = ${step?.stepId} and version = ${step?.link?.version}
    on conflict (token_hash, kind) where due_at is not null do update
    set state = 'QUEUED', ended_at = null, due_at = excluded.due_at, expires_at = excluded.expires_at
    where mails.state = 'DROPPED'
    returning mail_id`.execute(transaction);
  for (const { mail_id: mailId } of rows) await addMailJob(transaction, mailId, { delayMs: dueAtMs - nowMs });
}
