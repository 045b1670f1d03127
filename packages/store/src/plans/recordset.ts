import { type RawBuilder, sql } from 'kysely';

/** The rows of a table as JSON objects whose members are the columns. */
export function recordset(table: string, rows: readonly object[]): RawBuilder<unknown> {
  return sql`jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`;
}
