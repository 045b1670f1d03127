import { type RawBuilder, sql } from 'kysely';

/**
 * The rows of a table, of JSON objects whose members are the columns.
 *
 * @example
 * ```ts
 * import { recordset } from '@fairway/postgres';
 * import { type Kysely, sql } from 'kysely';
 *
 * declare const database: Kysely<unknown>;
 * const rows = [{ name: 'a' }, { name: 'b' }];
 * await sql`insert into names (name) select row.name from ${recordset('names', rows)} as row`.execute(database);
 * ```
 */
export function recordset(table: string, rows: readonly object[]): RawBuilder<unknown> {
  return sql`jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`;
}
