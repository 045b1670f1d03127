import { isSettled, OVER_STATUSES } from '@fairway/plan';
import { removeJob } from '@fairway/postgres';
import { decideRegistered, type RecipientId } from '@fairway/recipients';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { mailJobKey } from '../mail/job.ts';
import { loadPlans } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChangedRecipient } from './changeRegistered.ts';
import type { RegisteredParts } from './registeredParts.ts';
import { findRegistered, lockRegistered } from './registeredRows.ts';
import { writeRecipientEvents } from './writeRecipientEvents.ts';

/** Which recipient was erased, and when by the service's clock. It names nobody. */
export type Erasure = {
  readonly scope: PlanScope;
  readonly recipientId: RecipientId;
  readonly atMs: number;
};

/**
 * An erasure to be done. `cause`: REQUESTED; or LOST where it was done before, and an older database was put back
 * since. A LOST erasure is done whatever the recipient and its plans are by now. `keepOutside` is awaited last before
 * the erasure is committed; what it throws undoes the erasure.
 */
export type ErasureOrder = {
  readonly cause: 'REQUESTED' | 'LOST';
  readonly keepOutside: (erasure: Erasure) => Promise<void>;
};

/** What came of an erasure. PLANS_OPEN: plans of the recipient have not ended; `planIds` are the first of them. */
export type ErasedRecipient =
  | ChangedRecipient
  | {
      readonly ok: false;
      readonly reason: 'PLANS_OPEN';
      readonly planIds: readonly string[];
      readonly count: number;
    };

/**
 * Destroys the sealed details of a recipient, of its versions and of its plans, with the e-mails that wait for them.
 * Destroys also what was entered and not confirmed, and the names in statement entries that are its payments. Masks
 * and fingerprints stay, and so do the plans with their histories.
 */
export async function eraseRegistered(
  parts: RegisteredParts,
  scope: PlanScope,
  recipientId: string,
  order: ErasureOrder,
  atMs: number,
): Promise<ErasedRecipient> {
  return parts.database
    .transaction()
    .execute((transaction) => eraseLocked(transaction, parts, scope, recipientId, order, atMs));
}

async function eraseLocked(
  transaction: Database,
  parts: RegisteredParts,
  scope: PlanScope,
  recipientId: string,
  { cause, keepOutside }: ErasureOrder,
  atMs: number,
): Promise<ErasedRecipient> {
  const before = await lockRegistered(transaction, scope, recipientId);
  if (before === undefined) return { ok: false, reason: 'RECIPIENT_UNKNOWN' };
  const { registered } = before;
  const decision = decideRegistered(registered, { type: 'ERASED', cause }, atMs);
  if (!decision.ok) return decision;
  if (decision.outcome === 'UNCHANGED') return { ok: true, outcome: 'UNCHANGED', kept: before };
  const plans = await lockPlans(transaction, scope, registered.recipientId);
  const open = await openOf(transaction, scope, plans);
  if (open.length > 0 && cause !== 'LOST')
    return { ok: false, reason: 'PLANS_OPEN', planIds: open.slice(0, MOST_NAMED), count: open.length };
  await destroyDetails(transaction, scope, registered.recipientId, { plans, open }, atMs);
  await sql`
    update registered_recipients set status = ${decision.registered.status}, standing_version = null,
      revision = ${decision.registered.revision}, updated_at = ${new Date(atMs)}
    where organisation_id = ${scope.organisationId} and environment = ${scope.environment}
      and recipient_id = ${recipientId}`.execute(transaction);
  const kept = await findRegistered(transaction, scope, recipientId);
  if (kept === undefined) throw new Error('A registered recipient is never deleted.');
  await writeRecipientEvents(transaction, parts, scope, { change: 'ERASED', before, after: kept });
  await keepOutside({ scope, recipientId: registered.recipientId, atMs });
  return { ok: true, outcome: 'CHANGED', kept };
}

/** How many open plans an answer names. */
const MOST_NAMED = 5;

/** A plan of a recipient. `is_paid`: it pays the recipient now; else the recipient was only asked in an earlier round. */
type PlanOf = { readonly plan_id: string; readonly status: string; readonly is_paid: boolean };

/** Locks the plans of a recipient in the order of their ids: those that pay it, and those in which it was asked before. */
async function lockPlans(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  recipientId: RecipientId,
): Promise<readonly PlanOf[]> {
  const { rows } = await sql<PlanOf>`
    select p.plan_id, p.status, (p.recipient -> 'registeredAs' ->> 'recipientId') is not distinct from ${recipientId} as is_paid
    from plans p
    where p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id in (
      select q.plan_id from plans q
      where q.organisation_id = ${organisationId} and q.environment = ${environment}
        and q.recipient -> 'registeredAs' is not null and q.recipient -> 'registeredAs' ->> 'recipientId' = ${recipientId}
      union
      select c.plan_id from collect_requests c
      where c.organisation_id = ${organisationId} and c.environment = ${environment} and c.recipient_id = ${recipientId}
    )
    order by p.plan_id for update`.execute(transaction);
  return rows;
}

/** The ids of the plans that have not ended. A plan whose payment came back has, once none of its money is left. */
async function openOf(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  plans: readonly PlanOf[],
): Promise<readonly string[]> {
  const returned = plans.filter(({ status }) => status === 'RETURNED').map((plan) => plan.plan_id);
  const loaded =
    returned.length === 0
      ? []
      : await loadPlans(
          transaction,
          sql`p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id = any(${returned})`,
        );
  const unsettled = new Set<string>(
    loaded.filter(({ plan }) => !isSettled(plan)).map(({ plan }) => plan.planId),
  );
  return plans
    .filter(({ plan_id: planId, status }) => !isOverStatus(status) || unsettled.has(planId))
    .map((plan) => plan.plan_id);
}

function isOverStatus(status: string): boolean {
  return (OVER_STATUSES as readonly string[]).includes(status);
}

async function destroyDetails(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  recipientId: RecipientId,
  { plans, open }: { readonly plans: readonly PlanOf[]; readonly open: readonly string[] },
  atMs: number,
): Promise<void> {
  await sql`
    update registered_recipient_versions set key_id = null, sealed = null
    where organisation_id = ${organisationId} and environment = ${environment} and recipient_id = ${recipientId}`.execute(
    transaction,
  );
  const inScope = (alias: string): RawBuilder<unknown> =>
    sql`${sql.ref(`${alias}.organisation_id`)} = ${organisationId} and ${sql.ref(`${alias}.environment`)} = ${environment}`;
  // An address that was given by hand later may be the same person's. A plan that goes on needs it, to ask and to pay whoever has it.
  const isKept = (plan: PlanOf) => !plan.is_paid && open.includes(plan.plan_id);
  const paid = plans.filter((plan) => !isKept(plan)).map((plan) => plan.plan_id);
  const asked = plans.filter(isKept).map((plan) => plan.plan_id);
  await sql`
    delete from recipients d where ${inScope('d')} and (
      d.plan_id = any(${paid})
      or d.plan_id = any(${asked}) and d.field = 'destination' and ${recipientId} = (
        select c.recipient_id from collect_requests c
        where ${inScope('c')} and c.plan_id = d.plan_id and c.status in ('SUBMITTED', 'DELIVERED', 'FAILED', 'RETURNED')
        order by c.round desc limit 1
      )
    )`.execute(transaction);
  await eraseEntryNames(transaction, { organisationId, environment }, paid);
  const links = sql`select l.token_hash from collect_links l where ${inScope('l')} and l.plan_id = any(${paid})`;
  await sql`
    delete from collect_codes k where k.organisation_id = ${organisationId} and k.token_hash in (${links})`.execute(
    transaction,
  );
  // E-mails are locked in the order of their ids, as everywhere else, so that no two transactions wait for each other.
  await sql`
    with waiting as (
      select mail_id from mails
      where organisation_id = ${organisationId} and token_hash in (${links}) and state = 'QUEUED'
      order by mail_id for update
    ), dropped as (
      update mails set state = 'DROPPED', sealed = null, key_id = null, ended_at = ${new Date(atMs)}
      from waiting where mails.organisation_id = ${organisationId} and mails.mail_id = waiting.mail_id
      returning mails.mail_id
    )
    select ${removeJob(sql`${mailJobKey('')} || mail_id`)} from dropped`.execute(transaction);
}

/**
 * Destroys the names in entries of statements that are payments of these plans. Those of other entries stay: nothing says whose they are. Entries are
 * locked in the order of their ids.
 */
async function eraseEntryNames(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<void> {
  await sql`
    with paid as (
      select e.entry_id from statement_entries e
      where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.entry_id in (
        select a.entry_id from entry_allocations a
        where a.organisation_id = ${organisationId} and a.environment = ${environment} and a.plan_id = any(${planIds})
      )
      order by e.entry_id for update
    )
    update statement_entries c set key_id = null, sealed = null, word_tags = '[]' from paid
    where c.organisation_id = ${organisationId} and c.environment = ${environment} and c.entry_id = paid.entry_id`.execute(
    transaction,
  );
}
