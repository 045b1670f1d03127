import { effectsOf, type Plan, planCreated, type RecordedEvent } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type Consequences, consequencesOf, type KeepLink } from './effects/effects.ts';
import { insertWatched } from './effects/watchedAddresses.ts';
import { type PublishedEvent, withPublishedEvents } from '@fairway/outbox';
import type { Sealed } from '@fairway/keys';
import { type ClaimChange, claimChange, makeRoom, settle } from './claims/claims.ts';
import { recordReferences } from './claims/references.ts';
import { type ClaimedTransfer, TransferClaimedError } from './claims/refusals.ts';
import { changedRows } from './changedRows.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { recordset } from '@fairway/postgres';
import { movementRows } from '../plans/movementRows.ts';
import { MADE_ONCE, MADE_ONCE_OF_ATTEMPTS, type PlanRow, planToRows } from '../plans/planRows.ts';
import { keepLeastSwap } from './leastSwap.ts';
import { withRegistered } from '../recipients/useRegistered.ts';
import { matchingJob } from '../jobs/matchingJob.ts';

/** A new plan, and what is written together with it. */
export type NewPlan = {
  scope: PlanScope;
  plan: Plan;
  actor: string;
  bodyFingerprint: Buffer;
  registeredRevision: number | undefined;
  sealed: Sealed;
  nowMs: number;
  published: readonly PublishedEvent[];
};

/**
 * Writes a new plan with its steps, the beginning of its history, its sealed recipient and the effects of making it.
 * Writes nothing when the organisation has used the reference before or has changed the registered recipient. Answers
 * whether the plan was written.
 */
export async function insertPlan(database: Database, made: NewPlan): Promise<boolean> {
  const consequences = consequencesOfMaking(made);
  // One query is one journey to the database, and its own transaction.
  if (consequences.after.length === 0) return insertWithin(database, made, consequences);
  return database.transaction().execute((transaction) => insertWithin(transaction, made, consequences));
}

/** The same within the caller's transaction. */
export async function insertWithin(
  transaction: Database,
  made: NewPlan,
  consequences = consequencesOfMaking(made),
): Promise<boolean> {
  const isWritten = await insertRows(transaction, made, creationOf(made), consequences);
  if (isWritten) for (const bringAbout of consequences.after) await bringAbout(transaction);
  return isWritten;
}

function consequencesOfMaking(made: NewPlan): Consequences {
  const { scope, plan, nowMs } = made;
  return consequencesOf(effectsOf(undefined, plan), { scope, plan, recorded: creationOf(made), nowMs });
}

/** The first event of a new plan. */
function creationOf({ plan, actor }: NewPlan): RecordedEvent {
  return { revision: plan.revision, atMs: plan.createdAtMs, actor, ...planCreated(plan) };
}

async function insertRows(
  database: Database,
  { scope, plan, bodyFingerprint, registeredRevision, sealed, nowMs, published }: NewPlan,
  created: RecordedEvent,
  { within, watched }: Consequences,
): Promise<boolean> {
  const rows = planToRows(scope, plan);
  const key = keyOf(scope, plan);
  const planRow = { ...rows.plan, body_fingerprint: byteaOf(bodyFingerprint) };
  const recipient = { ...key, field: 'recipient', key_id: sealed.keyId, sealed: byteaOf(sealed.sealed) };
  const { meant, from, used } = withRegistered(scope, plan.recipient.registeredAs, registeredRevision, nowMs);
  const { rows: written } = await sql`
    with ${meant} made as (
      insert into plans select row.* from ${from} ${recordset('plans', [planRow])} as row
      on conflict on constraint plans_client_reference do nothing
      returning plan_id
    ), steps as (
      insert into plan_steps select row.* from made, ${recordset('plan_steps', rows.steps)} as row
    ), attempts as (
      insert into step_attempts select row.* from made, ${recordset('step_attempts', rows.attempts)} as row
    ), history as (
      insert into plan_events select row.* from made, ${recordset('plan_events', [eventRow(key, created)])} as row
    ), recipients as (
      insert into recipients select row.* from made, ${recordset('recipients', [recipient])} as row
    ), ${keepLeastSwap(scope, plan, sql`made`)} ${used} ${withPublishedEvents(scope, published, plan.createdAtMs, sql`made,`)} watched as (${insertWatched(watched, sql`made,`)})
    select ${within}, ${matchingJob(scope, undefined, plan)} as matching from made`.execute(database);
  return written.length > 0;
}

/** A change of a plan by an event. `keepLink` is given when the event makes a link. */
export type PlanChange = {
  scope: PlanScope;
  before: Plan;
  after: Plan;
  recorded: RecordedEvent;
  nowMs: number;
  published: readonly PublishedEvent[];
  keepLink?: KeepLink | undefined;
};

/**
 * Writes what differs between two versions of a locked plan, and the event between them. Writes its movements with
 * their claims and references, and the effects of the change. Throws TransferClaimedError and ReferenceUsedError, and
 * violations of the database's constraints.
 */
export async function updatePlan(
  transaction: Database,
  { scope, before, after, recorded, nowMs, published, keepLink }: PlanChange,
): Promise<void> {
  const claims = claimChange(scope, before, after);
  await makeRoom(transaction, claims);
  const old = planToRows(scope, before);
  const next = planToRows(scope, after);
  const key = keyOf(scope, after);
  const steps = changedRows(old.steps, next.steps);
  const attempts = changedRows(old.attempts, next.attempts);
  const evidence = changedRows(old.evidence, next.evidence);
  const evidenceGone = old.evidence
    .map(({ step_id }) => step_id)
    .filter((stepId) => !next.evidence.some(({ step_id }) => step_id === stepId));
  const returns = changedRows(old.returns, next.returns);
  const context = { scope, plan: after, recorded, nowMs, keepLink };
  const consequences = consequencesOf(effectsOf(before, after), context);
  const { rows } = await sql<{ claimed: ClaimedTransfer[] }>`
    with changed_plan as (${progressOf(key, next.plan)}),
    changed_steps as (${upsert('plan_steps', STEP_KEY, steps)}),
    changed_attempts as (${upsert('step_attempts', ATTEMPT_KEY, attempts, MADE_ONCE_OF_ATTEMPTS)}),
    lost_evidence as (
      delete from step_evidence where organisation_id = ${key.organisation_id}
        and environment = ${key.environment} and plan_id = ${key.plan_id} and step_id = any(${evidenceGone})
    ),
    changed_evidence as (${upsert('step_evidence', STEP_KEY, evidence)}),
    returned as (
      insert into plan_returns select * from ${recordset('plan_returns', returns)}
    ), recorded as (
      insert into plan_events select * from ${recordset('plan_events', [eventRow(key, recorded)])}
    ), ${attempts.length === 0 ? sql`` : keepLeastSwap(scope, after, sql`(select 1) here`)} ${withPublishedEvents(scope, published, recorded.atMs)} watched as (${insertWatched(consequences.watched)}), ${moved(key, before, after)} ${claimed(scope, claims, after)}
    select ${consequences.within} as effects, ${matchingJob(scope, before, after, recorded.command)} as matching, (
      select coalesce(
        jsonb_agg(jsonb_build_object('txHash', tx_hash, 'logIndex', log_index) order by tx_hash, log_index), '[]')
      from claimed
    ) as claimed`.execute(transaction);
  const taken = rows[0]?.claimed ?? [];
  if (taken.length > 0) throw new TransferClaimedError(taken);
  await recordReferences(transaction, scope, before, after);
  for (const bringAbout of consequences.after) await bringAbout(transaction);
}

function progressOf(key: Key, plan: PlanRow): RawBuilder<unknown> {
  const columns = changingOf(plan, [...STEP_KEY, ...MADE_ONCE]);
  const row = Object.fromEntries(Object.entries(plan).filter(([column]) => columns.includes(column)));
  return sql`update plans set ${assignments(columns, 'row')} from ${recordset('plans', [row])} as row
    where plans.organisation_id = ${key.organisation_id} and plans.environment = ${key.environment}
      and plans.plan_id = ${key.plan_id}`;
}

const STEP_KEY = ['organisation_id', 'environment', 'plan_id', 'step_id'] as const;
const ATTEMPT_KEY = [...STEP_KEY, 'position'] as const;

/** Inserts rows. Those that are there already are changed. */
function upsert(
  table: string,
  key: readonly string[],
  rows: readonly object[],
  madeOnce: readonly string[] = [],
): RawBuilder<unknown> {
  const insert = sql`insert into ${sql.table(table)} select * from ${recordset(table, rows)}`;
  const [row] = rows;
  if (row === undefined) return insert;
  const changes = assignments(changingOf(row, [...key, ...madeOnce]), 'excluded');
  return sql`${insert} on conflict (${sql.join(key.map((column) => sql.ref(column)))}) do update set ${changes}`;
}

/** Every column changes with its plan, unless it is named as made once: a new column is not forgotten. */
function changingOf(row: object, others: readonly string[]): readonly string[] {
  return Object.keys(row).filter((column) => !others.includes(column));
}

function assignments(columns: readonly string[], from: string): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`${from}.${column}`)}`));
}

/** The movements that a change adds. */
function moved(key: Key, before: Plan, after: Plan): RawBuilder<unknown> {
  const rows = movementRows(key, after, before.ledger?.length ?? 0);
  return rows.length === 0
    ? sql``
    : sql`moved as (insert into movements select * from ${recordset('movements', rows)}),`;
}

/** The claims of a change, where it makes or loses some. Most changes move no money. */
function claimed(scope: PlanScope, claims: ClaimChange, after: Plan): RawBuilder<unknown> {
  const isNone = Object.values(claims).every(({ length }) => length === 0);
  return isNone
    ? sql`claimed as (select '' as tx_hash, 0 as log_index where false)`
    : settle(scope, claims, after);
}

type Key = { organisation_id: string; environment: string; plan_id: string };

function keyOf({ organisationId, environment }: PlanScope, { planId }: Plan): Key {
  return { organisation_id: organisationId, environment, plan_id: planId };
}

function eventRow(key: Key, { revision, atMs, actor, command, changes }: RecordedEvent): object {
  return { ...key, revision, at: new Date(atMs).toISOString(), actor, command, changes };
}

/** Bytes as PostgreSQL writes a bytea in JSON. */
function byteaOf(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}
