import {
  limitRefusals,
  type Refusal,
  type Spending,
  type SpendingLimit,
  type Usage,
} from '@fairway/policies';
import { sql } from 'kysely';
import type { Database } from './schema.ts';

/** What an instruction spends, with the limits that it counts for. */
export type Taking = { readonly spending: Spending; readonly limits: readonly SpendingLimit[] };

/**
 * Takes what an instruction spends from its limits, in the caller's transaction. Answers what refuses it; then nothing is
 * taken. Those who take of one token of a chain wait for each other until their transactions end. So no two of them
 * see the same rest. The same instruction takes once.
 */
export async function takeSpending(
  transaction: Database,
  relayTransactionId: string,
  { spending, limits }: Taking,
): Promise<readonly Refusal[]> {
  const { chainId, token, relayer, recipient, amount } = spending;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`spending ${chainId} ${token}`}, 0))`.execute(
    transaction,
  );
  const usage = await readUsage(transaction, relayTransactionId, { spending, limits });
  const refusals = limitRefusals(limits, usage, amount);
  if (refusals.length > 0) return refusals;
  await transaction
    .insertInto('spendings')
    .values({
      relay_transaction_id: relayTransactionId,
      chain_id: BigInt(chainId),
      ...{ token, relayer, recipient, amount: String(amount), ended_at: null },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return [];
}

/** What was spent within the window of each limit by other instructions than this one. */
export async function readUsage(
  database: Database,
  relayTransactionId: string,
  { spending, limits }: Taking,
): Promise<readonly Usage[]> {
  const { chainId, token, relayer, recipient } = spending;
  const usage: Usage[] = [];
  for (const { each, windowSeconds } of limits) {
    const { rows } = await sql<{ spent: string; count: bigint }>`
      select coalesce(sum(amount), 0)::text as spent, count(*) as count from spendings
      where chain_id = ${BigInt(chainId)} and token = ${token}
        and relay_transaction_id <> ${relayTransactionId}
        and (ended_at is null or ended_at > clock_timestamp() - make_interval(secs => ${windowSeconds}))
        and (${each !== 'RELAYER'} or relayer = ${relayer})
        and (${each !== 'RECIPIENT'} or recipient = ${recipient})`.execute(database);
    usage.push(...rows.map(({ spent, count }) => ({ spent: BigInt(spent), count: Number(count) })));
  }
  return usage;
}
