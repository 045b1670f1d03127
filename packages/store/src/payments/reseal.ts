import { attempt, type Unavailable } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { RecipientRow } from '../database/schema.ts';
import { detailsPlace, mailPlace, submissionPlace } from '../keys/sealedPlaces.ts';
import type { SealedPlace, Sealing } from '../keys/sealing.ts';

/** A sealed row as JSON: bytes are \\x and hexadecimal digits. */
type SealedRow = {
  readonly organisation_id: string;
  readonly plan_id: string;
  readonly key_id: string;
  readonly sealed: string;
} & Readonly<Record<string, string>>;

/** A table with sealed details: its name, the columns of its key, and the place that a row is sealed for. */
type SealedTable = {
  readonly name: string;
  readonly key: readonly string[];
  readonly placeOf: (row: SealedRow) => SealedPlace;
};

const SEALED_TABLES: readonly SealedTable[] = [
  {
    name: 'recipients',
    key: ['organisation_id', 'environment', 'plan_id', 'field'],
    placeOf: (row) => detailsPlace(row.organisation_id, row.plan_id, row['field'] as RecipientRow['field']),
  },
  {
    name: 'collect_codes',
    key: ['token_hash'],
    placeOf: (row) => submissionPlace(row.organisation_id, row.plan_id, bytesOf(row['token_hash'] ?? '')),
  },
  {
    name: 'mails',
    key: ['mail_id'],
    placeOf: (row) => mailPlace(row.organisation_id, row.plan_id, row['mail_id'] ?? ''),
  },
];

const BATCH = 200;

type Batch = { readonly resealed: number; readonly unreadable: number; readonly last: SealedRow | undefined };

/** Seals everything with the first key, one batch in each transaction. `onProgress` gets the number of records done. */
export function resealRecipients(
  database: Database,
  sealing: Sealing,
  onProgress: (done: number) => void,
): Promise<{ ok: true; resealed: number; unreadable: number } | Unavailable> {
  const keyId = sealing.currentKeyId();
  return attempt(async () => {
    let resealed = 0;
    let unreadable = 0;
    for (const table of SEALED_TABLES) {
      let last: SealedRow | undefined;
      do {
        const batch: Batch = await resealBatch(database, sealing, keyId, table, last);
        resealed += batch.resealed;
        unreadable += batch.unreadable;
        last = batch.last;
        if (batch.resealed + batch.unreadable > 0) onProgress(resealed + unreadable);
      } while (last !== undefined);
    }
    return { ok: true, resealed, unreadable };
  });
}

/** Re-seals the next batch of rows, in the order of the key, in which rows are locked everywhere else. */
function resealBatch(
  database: Database,
  sealing: Sealing,
  keyId: string,
  { name, key, placeOf }: SealedTable,
  after: SealedRow | undefined,
): Promise<Batch> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const follows =
    after === undefined
      ? sql`true`
      : sql`(${columns}) > (${sql.join(key.map((column) => after[column] ?? ''))})`;
  return database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ row: SealedRow }>`
      select to_jsonb(found) as row from (
        select * from ${sql.table(name)} as any_sealed where key_id <> ${keyId} and ${follows}
        order by ${columns} limit ${BATCH} for update
      ) as found`.execute(transaction);
    const again = rows.flatMap(({ row }) => {
      const place = placeOf(row);
      const opened = sealing.unseal(place, { keyId: row.key_id, sealed: bytesOf(row.sealed) });
      if (!opened.ok) return [];
      return [{ ...row, sealed: `\\x${sealing.seal(place, opened.text).sealed.toString('hex')}` }];
    });
    await sql`
      update ${sql.table(name)} as any_sealed set key_id = ${keyId}, sealed = again.sealed
      from jsonb_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(again)}::jsonb) as again
      where ${isSame(key)}`.execute(transaction);
    const last = rows.length < BATCH ? undefined : rows.at(-1)?.row;
    return { resealed: again.length, unreadable: rows.length - again.length, last };
  });
}

function isSame(key: readonly string[]): RawBuilder<unknown> {
  const of = (alias: string) => sql.join(key.map((column) => sql.ref(`${alias}.${column}`)));
  return sql`(${of('any_sealed')}) = (${of('again')})`;
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
