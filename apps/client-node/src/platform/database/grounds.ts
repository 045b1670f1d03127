import type { Asked, Proposal } from '@fairway/policies';
import { sql } from 'kysely';
import type { Database, GroundsDocument, Said } from './schema.ts';

/** What the calls of an execution are judged by. */
export type Grounds = { readonly asked: Asked; readonly said: Said };

/** Grounds to be kept. */
export function groundsDocument({ asked, said }: Grounds): GroundsDocument {
  const { amount, limit, notAfterSeconds, ...others } = asked;
  const bound = 'minAmountOut' in limit ? limit.minAmountOut : limit.maxAmountIn;
  return {
    asked: {
      ...others,
      ...{ amount: String(amount), bound: String(bound) },
      ...(notAfterSeconds !== undefined && { notAfterSeconds: String(notAfterSeconds) }),
    },
    said,
  };
}

/**
 * What was asked for, and the calls that were accepted for it. Undefined where the request is not known: the journal has
 * the transactions alone.
 */
export async function findProposal(
  database: Database,
  executionId: string,
): Promise<(Proposal & Grounds) | undefined> {
  const row = await database
    .selectFrom('executions')
    .where('execution_id', '=', executionId)
    .select('grounds')
    .executeTakeFirst();
  if (row === undefined || row.grounds === null) return undefined;
  const { asked, said } = row.grounds;
  const calls = await database
    .selectFrom('instructions')
    .where('execution_id', '=', executionId)
    .orderBy('index')
    .select(['to_address', 'data', 'value_wei'])
    .execute();
  const { bound, amount, notAfterSeconds, ...others } = asked;
  return {
    asked: {
      ...others,
      amount: BigInt(amount),
      limit: asked.tradeType === 'EXACT_IN' ? { minAmountOut: bound } : { maxAmountIn: bound },
      ...(notAfterSeconds !== undefined && { notAfterSeconds: BigInt(notAfterSeconds) }),
    },
    said,
    calls: calls.map(({ to_address: to, data, value_wei: value }) => ({
      ...{ kind: 'EVM_CALL', chainId: asked.chainId, to, data, value },
    })),
  };
}

/**
 * Whether another swap of a token is under way for a relayer: it has an allowance of the router that belongs to it alone.
 * `executionId`: only those that were accepted before this one count. Absent: all count.
 */
export async function isTokenInUse(
  database: Database,
  relayerId: string,
  token: string,
  executionId?: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from executions e join instructions i using (execution_id)
    where i.relayer_id = ${relayerId} and i.outcome is null and i.included_succeeded is not true
      and e.grounds->'asked'->>'tokenIn' = ${token}
      and e.grounds->'asked'->>'tokenOut' <> ${token}
      and e.accepted < coalesce(
        (select accepted from executions where execution_id = ${executionId ?? ''}), 9223372036854775807)
    limit 1`.execute(database);
  return rows.length > 0;
}
