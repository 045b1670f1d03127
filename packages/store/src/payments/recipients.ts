import type { Plan, Recipient } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { SealedPlace, Sealing } from '../sealing.ts';
import { attempt, type Unavailable } from '../unavailable.ts';
import { changeLocked, type Deed } from './changePlan.ts';
import type { PlanScope } from './planScope.ts';

/** Details that cannot be opened: no key of theirs was given, or they are not what was sealed there. */
export type UnreadableRecipient = {
  readonly ok: false;
  readonly reason: 'KEY_UNKNOWN' | 'SEAL_BROKEN';
};

type ReadRecipient = { readonly ok: true; readonly recipient: Recipient | undefined } | UnreadableRecipient;

/** Where the details of a plan's recipient are sealed for. */
export function recipientPlace({ organisationId }: PlanScope, planId: string): SealedPlace {
  return { organisationId, planId, field: 'recipient' };
}

/** Opens the details and records that it did, or does neither; answers once the record is safe. */
export function revealRecipient(
  database: Database,
  sealing: Sealing,
  now: () => Date,
  scope: PlanScope,
  planId: string,
  deed: Deed,
): Promise<
  | { ok: true; recipient: Recipient; plan: Plan }
  | { ok: false; reason: 'PLAN_UNKNOWN' }
  | UnreadableRecipient
  | Unavailable
> {
  return attempt(() =>
    database.transaction().execute(async (transaction) => {
      const read = await unsealRecipient(transaction, sealing, scope, planId);
      if (!read.ok) return read;
      if (read.recipient === undefined) return { ok: false, reason: 'PLAN_UNKNOWN' };
      const event = { type: 'RECIPIENT_REVEALED' } as const;
      const changed = await changeLocked(transaction, now(), scope, planId, event, deed);
      if (!changed.ok || changed.outcome !== 'CHANGED')
        throw new Error('Every plan can have its recipient revealed.');
      return { ok: true, recipient: read.recipient, plan: changed.plan };
    }),
  );
}

/** Opens the details for the service itself. */
export function readRecipient(
  database: Database,
  sealing: Sealing,
  scope: PlanScope,
  planId: string,
): Promise<ReadRecipient | Unavailable> {
  return attempt(() => unsealRecipient(database, sealing, scope, planId));
}

async function unsealRecipient(
  database: Database,
  sealing: Sealing,
  scope: PlanScope,
  planId: string,
): Promise<ReadRecipient> {
  const row = await database
    .selectFrom('recipients')
    .select(['key_id', 'sealed'])
    .where('organisation_id', '=', scope.organisationId)
    .where('environment', '=', scope.environment)
    .where('plan_id', '=', planId)
    .executeTakeFirst();
  if (row === undefined) return { ok: true, recipient: undefined };
  const opened = sealing.unseal(recipientPlace(scope, planId), { keyId: row.key_id, sealed: row.sealed });
  return opened.ok ? { ok: true, recipient: JSON.parse(opened.text) as Recipient } : opened;
}

const BATCH = 200;

type Resealing = {
  resealed: number;
  unreadable: number;
  /** The record to go on after, all of its key; undefined at the end. */
  last: { organisation_id: string; environment: string; plan_id: string } | undefined;
};

/** Seals everything with the first key, a batch a transaction. Progress counts records looked at. */
export function resealRecipients(
  database: Database,
  sealing: Sealing,
  onProgress: (done: number) => void,
): Promise<{ ok: true; resealed: number; unreadable: number } | Unavailable> {
  const keyId = sealing.currentKeyId();
  return attempt(async () => {
    let resealed = 0;
    let unreadable = 0;
    let last: Resealing['last'] = { organisation_id: '', environment: '', plan_id: '' };
    while (last !== undefined) {
      const batch: Resealing = await resealBatch(database, sealing, keyId, last);
      resealed += batch.resealed;
      unreadable += batch.unreadable;
      last = batch.last;
      onProgress(resealed + unreadable);
    }
    return { ok: true, resealed, unreadable };
  });
}

function resealBatch(
  database: Database,
  sealing: Sealing,
  keyId: string,
  after: NonNullable<Resealing['last']>,
): Promise<Resealing> {
  return database.transaction().execute(async (transaction) => {
    const rows = await transaction
      .selectFrom('recipients')
      .select(['organisation_id', 'environment', 'plan_id', 'key_id', 'sealed'])
      .where('key_id', '<>', keyId)
      .where(
        sql<boolean>`(organisation_id, environment, plan_id) > (${after.organisation_id}, ${after.environment}, ${after.plan_id})`,
      )
      .orderBy('organisation_id')
      .orderBy('environment')
      .orderBy('plan_id')
      .limit(BATCH)
      .forUpdate()
      .execute();
    const resealed: { organisation_id: string; environment: string; plan_id: string; sealed: string }[] = [];
    for (const { organisation_id, environment, plan_id, key_id, sealed } of rows) {
      const place = { organisationId: organisation_id, planId: plan_id, field: 'recipient' };
      const opened = sealing.unseal(place, { keyId: key_id, sealed });
      if (!opened.ok) continue;
      const again = sealing.seal(place, opened.text).sealed.toString('hex');
      resealed.push({ organisation_id, environment, plan_id, sealed: `\\x${again}` });
    }
    await sql`
      update recipients as kept set key_id = ${keyId}, sealed = again.sealed
      from jsonb_populate_recordset(null::recipients, ${JSON.stringify(resealed)}::jsonb) as again
      where (kept.organisation_id, kept.environment, kept.plan_id)
        = (again.organisation_id, again.environment, again.plan_id)`.execute(transaction);
    const last = rows.length < BATCH ? undefined : rows.at(-1);
    return { resealed: resealed.length, unreadable: rows.length - resealed.length, last };
  });
}
