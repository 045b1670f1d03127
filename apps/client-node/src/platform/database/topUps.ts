import { sql } from 'kysely';
import { executionIdOf } from './executions.ts';
import type { Database } from './schema.ts';

/** The top-ups of one relayer by another, as they are kept. */
export type KeptTopUps = {
  readonly count: number;
  /** The one that has not ended. */
  readonly open?: string;
  /** The newest block that has one. */
  readonly lastBlock: number;
};

/** Reads the top-ups of an account by a relayer, also those that only the journal knows. */
export async function readTopUps(database: Database, relayerId: string, to: string): Promise<KeptTopUps> {
  const { rows } = await sql<{ count: bigint; open: string | null; last: bigint | null }>`
    select count(*) as count, min(relay_transaction_id) filter (where outcome is null) as open,
      max(included_block_number) as last
    from instructions
    where relayer_id = ${relayerId} and to_address = ${to} and data = '0x' and value_wei > 0`.execute(
    database,
  );
  const { count = 0n, open = null, last = null } = rows[0] ?? {};
  return { count: Number(count), lastBlock: Number(last ?? 0), ...(open !== null && { open }) };
}

/** The first key that no top-up has. The line breaks keep it apart from those of clients. */
export async function nextTopUpKey(database: Database, relayerId: string, to: string): Promise<string> {
  const { count } = await readTopUps(database, relayerId, to);
  for (let number = count; ; number += 1) {
    const key = `top-up\n${relayerId}\n${to}\n${number}`;
    const known = await database
      .selectFrom('executions')
      .where('execution_id', '=', executionIdOf(key))
      .select('execution_id')
      .executeTakeFirst();
    if (known === undefined) return key;
  }
}
