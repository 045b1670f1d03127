import type { MaskedRecipient, PlannedRecipient } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * Who was to be paid when a plan had a revision, and why money failed to arrive with it. `payee`: what the recipient has chosen, or the
 * recipient.
 */
export type Payee = {
  readonly recipient?: PlannedRecipient;
  readonly payee?: MaskedRecipient;
  readonly failureCode?: string;
};

// The index `plan_events_payees` has these, so that a plan may have any number of other events.
const NAMES_PAYEE = sql`command ->> 'type' in ('PLAN_CREATED', 'LINK_MADE', 'RECIPIENT_REPLACED', 'COLLECT_SUBMITTED')`;
const FAILS = sql`command ->> 'type' in ('PAYOUT_RETURNED', 'DELIVERY_REPORTED')`;
const RECIPIENT = sql`coalesce(command -> 'recipient', changes #> '{0,to,recipient}')`;

/** A plan at one of its revisions. */
type PlanAt = { readonly plan_id: string; readonly revision: number };

type TellingEvent = PlanAt & {
  recipient: PlannedRecipient | null;
  destination: MaskedRecipient | null;
  failure_code: string | null;
};

/**
 * Reads who was to be paid, at these revisions of plans. It is told by their events, which never change, while a plan shows only
 * whom it pays now. Events are read from the last before these revisions that named the recipient. Each plan is looked up: `offset 0`
 * keeps the database from going through the events of all plans.
 */
export async function payeesOf(
  database: Database,
  { organisationId, environment }: PlanScope,
  asked: readonly PlanAt[],
): Promise<(at: PlanAt) => Payee> {
  const mine = sql`organisation_id = ${organisationId} and environment = ${environment} and plan_id = x.plan_id`;
  const { rows } = await sql<TellingEvent>`
    with asked as (
      select distinct plan_id, revision
      from unnest(${asked.map((at) => at.plan_id)}::text[], ${asked.map((at) => at.revision)}::integer[])
        as x (plan_id, revision)
    )
    select x.plan_id, told.* from (
      select plan_id, min(revision) as first, max(revision) as last from asked group by plan_id
    ) x cross join lateral (
      select revision, ${RECIPIENT} as recipient, command -> 'destination' as destination, null as failure_code
      from plan_events
      where ${mine} and ${NAMES_PAYEE} and revision <= x.last and revision >= (
        select revision from plan_events
        where ${mine} and ${NAMES_PAYEE} and revision <= x.first and ${RECIPIENT} is not null
        order by revision desc limit 1)
      offset 0
    ) told
    union all
    select x.plan_id, x.revision, null, null, failed.code from asked x cross join lateral (
      select command -> 'failure' ->> 'code' as code from plan_events
      where ${mine} and revision = x.revision and ${FAILS} offset 0
    ) failed
    order by plan_id, revision`.execute(database);
  const told = Map.groupBy(rows, ({ plan_id }) => plan_id);
  return ({ plan_id, revision }) => {
    let known: Payee = {};
    for (const event of told.get(plan_id) ?? []) {
      if (event.revision > revision) break;
      const { recipient, destination, failure_code } = event;
      if (recipient !== null) known = { recipient, payee: recipient };
      if (destination !== null) known = { ...known, payee: destination };
      if (event.revision === revision && failure_code !== null)
        known = { ...known, failureCode: failure_code };
    }
    return known;
  };
}
