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

/** The events that say who is to be paid, or why money came back. */
const TELLING_TYPES: readonly string[] = [
  'PLAN_CREATED',
  'LINK_MADE',
  'RECIPIENT_REPLACED',
  'COLLECT_SUBMITTED',
  'PAYOUT_RETURNED',
  'DELIVERY_REPORTED',
];

type TellingEvent = {
  plan_id: string;
  revision: number;
  recipient: PlannedRecipient | null;
  destination: MaskedRecipient | null;
  failure_code: string | null;
};

/**
 * Reads who was to be paid, at any revision of these plans. It is told by their events, which never change, while a plan shows only
 * whom it pays now.
 */
export async function payeesOf(
  database: Database,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<(planId: string, revision: number) => Payee> {
  const { rows } = await sql<TellingEvent>`
    select plan_id, revision, coalesce(event -> 'recipient', event -> 'plan' -> 'recipient') as recipient,
      event -> 'destination' as destination, event -> 'failure' ->> 'code' as failure_code
    from plan_events
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = any(${planIds})
      and event ->> 'type' = any(${TELLING_TYPES})
    order by plan_id, revision`.execute(database);
  const told = Map.groupBy(rows, ({ plan_id }) => plan_id);
  return (planId, revision) => {
    let known: Payee = {};
    for (const event of told.get(planId) ?? []) {
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
