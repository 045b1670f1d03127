import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { SEALED_TABLES } from '../keys/sealedTables.ts';

/**
 * How many records are sealed by each key that is not in `keyIds`. The index of a table tells which keys seal it, by
 * one look for each key. Records are counted only where a key is missing.
 */
export async function recordsWithoutKey(
  database: Database,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { name } of SEALED_TABLES)
    for (let keyId = await keyAfter(database, name, ''); keyId !== undefined; ) {
      if (!keyIds.includes(keyId))
        counts.set(keyId, (counts.get(keyId) ?? 0) + (await countSealed(database, name, keyId)));
      keyId = await keyAfter(database, name, keyId);
    }
  return counts;
}

/** The id of the next key that seals records of a table, in the order of ids. */
async function keyAfter(database: Database, table: string, keyId: string): Promise<string | undefined> {
  const { rows } = await sql<{ key_id: string }>`
    select key_id from ${sql.table(table)} as any_sealed where key_id > ${keyId} order by key_id limit 1`.execute(
    database,
  );
  return rows[0]?.key_id;
}

async function countSealed(database: Database, table: string, keyId: string): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from ${sql.table(table)} as any_sealed where key_id = ${keyId}`.execute(
    database,
  );
  const { count = 0n } = rows[0] ?? {};
  return Number(count);
}
