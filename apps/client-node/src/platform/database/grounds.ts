import type { Asked, Proposal } from '@fairway/policies';
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
