import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Environment } from '../database/schema.ts';
import { recordset } from '@fairway/postgres';
import type { TokenName } from './report.ts';

/** Keeps what tokens are called, for ever as it was told first, and answers all that is kept. */
export async function nameTokens(
  database: Database,
  environment: Environment,
  tokens: readonly TokenName[],
): Promise<{ readonly tokens: readonly TokenName[] }> {
  const told = tokens.map(({ chainId, address, symbol, decimals }) => ({
    ...{ environment, chain_id: chainId, address, symbol, decimals },
  }));
  await sql`insert into token_names select * from ${recordset('token_names', told)} on conflict do nothing`.execute(
    database,
  );
  const { rows } = await sql<{ chain_id: bigint; address: string; symbol: string; decimals: number }>`
      select chain_id, address, symbol, decimals from token_names
      where environment = ${environment} order by chain_id, address`.execute(database);
  return {
    tokens: rows.map(({ chain_id: chainId, ...rest }) => ({ chainId: Number(chainId), ...rest })),
  };
}
