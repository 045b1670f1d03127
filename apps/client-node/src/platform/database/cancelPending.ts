import type { Database } from './schema.ts';

/**
 * Asks for the cancellation of everything of a relayer that has not ended, and says of how many. An instruction without a
 * nonce ends without one. A cancellation takes the nonce of any other, unless the chain has it by then.
 */
export async function cancelPending(database: Database, relayerId: string): Promise<number> {
  const { numUpdatedRows } = await database
    .updateTable('instructions')
    .where('relayer_id', '=', relayerId)
    .where('outcome', 'is', null)
    .where('is_cancel_asked', '=', false)
    .set({ is_cancel_asked: true })
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
