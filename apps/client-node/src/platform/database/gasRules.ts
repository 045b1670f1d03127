import { sql } from 'kysely';
import type { Database } from './schema.ts';

/** What an operator has set of the rules of gas on a chain. */
export type SetGasRules = { readonly maxFeePerGasCapWei: bigint; readonly bumpAfterBlocks: number };

/** The same, with who set it last. */
export type KeptGasRules = SetGasRules & { readonly changedBy: string; readonly changedAtMs: number };

/** What is set for a chain; undefined: nothing is. */
export async function readGasRules(database: Database, chainId: number): Promise<KeptGasRules | undefined> {
  const row = await database
    .selectFrom('gas_rules')
    .where('chain_id', '=', BigInt(chainId))
    .selectAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    maxFeePerGasCapWei: BigInt(row.max_fee_per_gas_cap_wei),
    bumpAfterBlocks: row.bump_after_blocks,
    changedBy: row.changed_by,
    changedAtMs: row.changed_at.getTime(),
  };
}

/** Sets both rules of a chain at once, so that rules of two operators never mix. */
export async function setGasRules(
  database: Database,
  chainId: number,
  { maxFeePerGasCapWei, bumpAfterBlocks }: SetGasRules,
  credentialId: string,
): Promise<void> {
  const set = {
    max_fee_per_gas_cap_wei: String(maxFeePerGasCapWei),
    bump_after_blocks: bumpAfterBlocks,
    changed_by: credentialId,
  };
  await database
    .insertInto('gas_rules')
    .values({ chain_id: BigInt(chainId), ...set })
    .onConflict((conflict) =>
      conflict.column('chain_id').doUpdateSet({ ...set, changed_at: sql`clock_timestamp()` }),
    )
    .execute();
}
