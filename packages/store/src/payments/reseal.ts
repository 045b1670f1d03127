import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { rewrapFingerprintKey } from '../keys/fingerprintKey.ts';
import {
  SEALED_TABLES,
  type SealedRow,
  sealedRows,
  type SealedTable,
  unsealRow,
} from '../keys/sealedTables.ts';
import type { Sealing } from '@fairway/keys';

const BATCH = 200;

/**
 * What was done. `resealed`: records that the first key seals now. `unreadable`: records that no key given opens.
 * `isRewrapped`: the first key wraps the key of the fingerprints now, which another key did.
 */
export type Resealed = {
  readonly resealed: number;
  readonly unreadable: number;
  readonly isRewrapped: boolean;
};

type Batch = { readonly resealed: number; readonly unreadable: number; readonly last: SealedRow | undefined };

/**
 * Wraps the key of the fingerprints with the first key and seals everything with that, one batch in each transaction.
 * After an interruption the finished batches stay, and the next run goes on with the rest. `onProgress` is told how
 * many records are sealed so far; how many there are is not counted before, because that would read all of them.
 */
export async function reseal(
  database: Database,
  sealing: Sealing,
  onProgress: (resealed: number) => void,
): Promise<Resealed> {
  const keyId = sealing.currentKeyId();
  let [resealed, unreadable] = [0, 0];
  const isRewrapped = await rewrapFingerprintKey(database, sealing);
  for (const table of SEALED_TABLES) {
    let last: SealedRow | undefined;
    do {
      const batch: Batch = await resealBatch(database, sealing, keyId, table, last);
      resealed += batch.resealed;
      unreadable += batch.unreadable;
      last = batch.last;
      if (batch.resealed > 0) onProgress(resealed);
    } while (last !== undefined);
  }
  return { resealed, unreadable, isRewrapped };
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
