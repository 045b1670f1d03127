import type { LinkEnd } from '@fairway/plan';
import { removeJob } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { mailJobKey } from '../../mail/job.ts';
import type { PlanScope } from '../../plans/planScope.ts';

/**
 * Ends the live link of a plan. Data submitted through the link is erased, and its waiting e-mails are dropped with
 * their jobs.
 */
export async function endLink(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
  end: LinkEnd,
  nowMs: number,
): Promise<void> {
  // E-mails are locked in the order of their ids, as everywhere else, so that no two transactions wait for each other.
  await sql`
    with ended as (
      update collect_links set state = ${end}
      where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${planId}
        and state = 'LIVE'
      returning token_hash
    ), erased as (
      delete from collect_codes
      where organisation_id = ${organisationId} and token_hash in (select token_hash from ended)
    ), waiting as (
      select mail_id from mails
      where organisation_id = ${organisationId} and token_hash in (select token_hash from ended) and state = 'QUEUED'
      order by mail_id for update
    ), dropped as (
      update mails set state = 'DROPPED', sealed = null, key_id = null, ended_at = ${new Date(nowMs)}
      from waiting where mails.organisation_id = ${organisationId} and mails.mail_id = waiting.mail_id
      returning mails.mail_id
    )
    select ${removeJob(sql`${mailJobKey('')} || mail_id`)} from dropped`.execute(transaction);
}
