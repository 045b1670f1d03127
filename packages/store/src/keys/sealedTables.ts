import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Row } from '../database/schema.ts';
import { detailsPlace, entryPlace, mailPlace, submissionPlace, versionPlace } from './sealedPlaces.ts';
import type { SealedPlace, Sealing, Unsealing } from '@fairway/keys';
import { endpointPlace } from '@fairway/outbox';

/** A sealed row as JSON: bytes are \\x and hexadecimal digits. */
export type SealedRow = {
  readonly organisation_id: string;
  readonly key_id: string;
  readonly sealed: string;
} & Readonly<Record<string, string | number>>;

/** A table with sealed details: its name, the columns of its key, and the place that a row is sealed for. */
export type SealedTable = {
  readonly name: string;
  readonly key: readonly string[];
  readonly placeOf: (row: SealedRow) => SealedPlace;
};

/** Every table with sealed details. */
export const SEALED_TABLES: readonly SealedTable[] = [
  {
    name: 'recipients',
    key: ['organisation_id', 'environment', 'plan_id', 'field'],
    placeOf: (row) =>
      detailsPlace(row.organisation_id, textIn(row, 'plan_id'), row['field'] as Row<'recipients'>['field']),
  },
  {
    name: 'collect_codes',
    key: ['token_hash'],
    placeOf: (row) =>
      submissionPlace(row.organisation_id, textIn(row, 'plan_id'), bytesOf(textIn(row, 'token_hash'))),
  },
  {
    name: 'mails',
    key: ['mail_id'],
    placeOf: (row) => mailPlace(row.organisation_id, textIn(row, 'plan_id'), textIn(row, 'mail_id')),
  },
  {
    name: 'registered_recipient_versions',
    key: ['organisation_id', 'environment', 'recipient_id', 'version'],
    placeOf: (row) => versionPlace(row.organisation_id, textIn(row, 'recipient_id'), textIn(row, 'version')),
  },
  {
    name: 'webhook_endpoints',
    key: ['organisation_id', 'environment', 'endpoint_id'],
    placeOf: (row) => endpointPlace(row.organisation_id, textIn(row, 'endpoint_id')),
  },
  {
    name: 'statement_entries',
    key: ['organisation_id', 'environment', 'entry_id'],
    placeOf: (row) => entryPlace(row.organisation_id, textIn(row, 'entry_id')),
  },
];

/** At most `limit` rows of a table that satisfy the condition and what follows it, as JSON. */
export async function sealedRows(
  database: Database,
  { name }: SealedTable,
  condition: RawBuilder<unknown>,
): Promise<SealedRow[]> {
  const { rows } = await sql<{ row: SealedRow }>`
    select to_jsonb(found) as row from (
      select * from ${sql.table(name)} as any_sealed where ${condition}
    ) as found`.execute(database);
  return rows.map(({ row }) => row);
}

/** Opens a row of a table. */
export function unsealRow(sealing: Sealing, { placeOf }: SealedTable, row: SealedRow): Unsealing {
  return sealing.unseal(placeOf(row), { keyId: row.key_id, sealed: bytesOf(row.sealed) });
}

function textIn(row: SealedRow, column: string): string {
  return String(row[column] ?? '');
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
