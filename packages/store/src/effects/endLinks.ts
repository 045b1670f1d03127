import type { CollectLink, Plan } from '@fairway/plan';
import { removeJob } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { CollectLinkState } from '../database/schema.ts';
import { mailJobKey } from '../mail/mailJob.ts';
import type { PlanScope } from '../plans/planScope.ts';

const STATES: Readonly<Record<CollectLink['state'], CollectLinkState>> = {
  WAITING: 'LIVE',
  SENT: 'LIVE',
  OPENED: 'LIVE',
  SUBMITTED: 'USED',
  EXPIRED: 'EXPIRED',
  CANCELLED: 'CANCELLED',
};

/**
 * Lets a link end with the plan's own: whatever ends it, in the transaction that writes the plan. What was submitted
 * through it is erased, and e-mails that still wait are dropped with their jobs.
 */
export async function endLinks(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  before: Plan,
  after: Plan,
  nowMs: number,
): Promise<void> {
  const [old, next] = [linkOf(before), linkOf(after)];
  if (old === undefined || STATES[old.state] !== 'LIVE') return;
  const state = stateAfter(old, next);
  if (state === 'LIVE') return;
  // In the order of their ids, as others lock them, too.
  await sql`
    with ended as (
      update collect_links set state = ${state}
      where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${after.planId}
        and state = 'LIVE'
      returning token_hash
    ), erased as (
      delete from collect_codes where token_hash in (select token_hash from ended)
    ), waiting as (
      select mail_id from mails where token_hash in (select token_hash from ended) and state = 'QUEUED'
      order by mail_id for update
    ), dropped as (
      update mails set state = 'DROPPED', sealed = null, key_id = null, ended_at = ${new Date(nowMs)}
      from waiting where mails.mail_id = waiting.mail_id
      returning mails.mail_id
    )
    select ${removeJob(sql`${mailJobKey('')} || mail_id`)} from dropped`.execute(transaction);
}

function stateAfter(old: CollectLink, next: CollectLink | undefined): CollectLinkState {
  // The swap went back: there is nothing to collect.
  if (next === undefined) return 'CANCELLED';
  return next.version === old.version ? STATES[next.state] : 'SUPERSEDED';
}

/** The newest link of a plan's step. */
export function linkOf(plan: Plan): CollectLink | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'SEND_DIGITAL_COLLECT' ? last.link : undefined;
}
