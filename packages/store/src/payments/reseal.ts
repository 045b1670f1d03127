import { attempt, type Unavailable } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { rewrapFingerprintKey } from '../keys/fingerprintKey.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import {
  SEALED_TABLES,
  type SealedRow,
  sealedRows,
  type SealedTable,
  unsealRow,
} from '../keys/sealedTables.ts';
import type { Sealing } from '../keys/sealing.ts';
import { countUnguarded, guardFingerprints } from './guardFingerprints.ts';

const BATCH = 200;

/** How far sealing anew has come: records and plans done, and how many there were at the beginning. */
export type ResealProgress = { readonly done: number; readonly total: number };

/**
 * What was done. `resealed`: records that the first key seals now. `unreadable`: records that no key given opens.
 * `fingerprinted`: plans whose fingerprints are guarded now. `isRewrapped`: the first key wraps the key of the
 * fingerprints now, which another key did.
 */
export type Resealed = {
  readonly ok: true;
  readonly resealed: number;
  readonly unreadable: number;
  readonly fingerprinted: number;
  readonly isRewrapped: boolean;
};

type Batch = { readonly resealed: number; readonly unreadable: number; readonly last: SealedRow | undefined };

/**
 * Seals everything with the first key and guards every fingerprint, one batch in each transaction: what is done stays
 * done when it is interrupted, and the next run goes on with the rest.
 */
export function reseal(
  database: Database,
  sealing: Sealing,
  fingerprints: Fingerprints,
  onProgress: (progress: ResealProgress) => void,
): Promise<Resealed | Unavailable> {
  const keyId = sealing.currentKeyId();
  return attempt(async () => {
    const total = (await countSealedByOthers(database, keyId)) + (await countUnguarded(database));
    let [resealed, unreadable, fingerprinted] = [0, 0, 0];
    const tell = () => onProgress({ done: resealed + unreadable + fingerprinted, total });
    const isRewrapped = await rewrapFingerprintKey(database, sealing);
    for (const table of SEALED_TABLES) {
      let last: SealedRow | undefined;
      do {
        const batch: Batch = await resealBatch(database, sealing, keyId, table, last);
        resealed += batch.resealed;
        unreadable += batch.unreadable;
        last = batch.last;
        if (batch.resealed + batch.unreadable > 0) tell();
      } while (last !== undefined);
    }
    for (;;) {
      const guarded = await guardFingerprints(database, fingerprints, BATCH);
      if (guarded === 0) return { ok: true, resealed, unreadable, fingerprinted, isRewrapped };
      fingerprinted += guarded;
      tell();
    }
  });
}

async function countSealedByOthers(database: Database, keyId: string): Promise<number> {
  let total = 0;
  for (const { name } of SEALED_TABLES) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} as any_sealed where key_id <> ${keyId}`.execute(
      database,
    );
    total += rows[0]?.count ?? 0;
  }
  return total;
}

/** Re-seals the next batch of rows, in the order of the key, in which rows are locked everywhere else. */
function resealBatch(
  database: Database,
  sealing: Sealing,
  keyId: string,
  table: SealedTable,
  after: SealedRow | undefined,
): Promise<Batch> {
  const { name, key, placeOf } = table;
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const follows =
    after === undefined
      ? sql`true`
      : sql`(${columns}) > (${sql.join(key.map((column) => after[column] ?? ''))})`;
  return database.transaction().execute(async (transaction) => {
    const condition = sql`key_id <> ${keyId} and ${follows} order by ${columns} limit ${BATCH} for update`;
    const rows = await sealedRows(transaction, table, condition);
    const again = rows.flatMap((row) => {
      const opened = unsealRow(sealing, table, row);
      if (!opened.ok) return [];
      return [{ ...row, sealed: `\\x${sealing.seal(placeOf(row), opened.text).sealed.toString('hex')}` }];
    });
    await sql`
      update ${sql.table(name)} as any_sealed set key_id = ${keyId}, sealed = again.sealed
      from jsonb_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(again)}::jsonb) as again
      where ${isSame(key)}`.execute(transaction);
    const last = rows.length < BATCH ? undefined : rows.at(-1);
    return { resealed: again.length, unreadable: rows.length - again.length, last };
  });
}

function isSame(key: readonly string[]): RawBuilder<unknown> {
  const of = (alias: string) => sql.join(key.map((column) => sql.ref(`${alias}.${column}`)));
  return sql`(${of('any_sealed')}) = (${of('again')})`;
}
