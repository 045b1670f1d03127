import type { Hex, Leaving, Relayer } from '@fairway/relay';
import { placeOf, rowOf } from './executions.ts';
import { changeRelayer } from './published.ts';
import { createRelayStore } from './relayStore.ts';
import type { Database } from './schema.ts';

/** A key that is to be used on a chain. `nonce`: how many transactions the chain has of it, at its first use here. */
export type NewRelayer = {
  readonly relayerId: string;
  readonly chainId: number;
  readonly address: Hex;
  readonly genesisHash: Hex;
  readonly nonce: number;
};

/** Registers a relayer unless it is there. Throws where the chain is another one of the same id. */
export async function registerRelayer(database: Database, relayer: NewRelayer): Promise<void> {
  await database
    .insertInto('relayers')
    .values({
      relayer_id: relayer.relayerId,
      chain_id: BigInt(relayer.chainId),
      address: relayer.address,
      genesis_hash: relayer.genesisHash,
      next_nonce: BigInt(relayer.nonce),
      whole_from: BigInt(relayer.nonce),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { genesis_hash: genesis } = await database
    .selectFrom('relayers')
    .where('relayer_id', '=', relayer.relayerId)
    .select('genesis_hash')
    .executeTakeFirstOrThrow();
  if (genesis !== relayer.genesisHash)
    throw new Error(
      `Relayer ${relayer.relayerId}: its chain ${relayer.chainId} began with block ${genesis}, and now with ` +
        `${relayer.genesisHash}. These are two chains: use another data folder and database for this one.`,
    );
}

/**
 * Takes over what left and is not in the database, because an older one was put back. Each transaction goes on under its
 * own nonce, so nothing is executed twice. Then the relayer goes on behind `upTo`, the highest nonce that is known to be
 * bound. It stays disabled while a nonce before has no instruction: another node may have sent it, whose own journal has it.
 */
export async function takeOverJournal(
  database: Database,
  relayer: Relayer,
  journal: readonly Leaving[],
  upTo: number,
): Promise<void> {
  const own = journal.filter(
    ({ about }) => about.call.chainId === relayer.chainId && about.call.sender === relayer.address,
  );
  await changeRelayer(database, relayer.relayerId, async (transaction) => {
    const {
      next_nonce: next,
      whole_from: wholeFrom,
      disabled,
    } = await transaction
      .selectFrom('relayers')
      .where('relayer_id', '=', relayer.relayerId)
      .select(['next_nonce', 'whole_from', 'disabled'])
      .executeTakeFirstOrThrow();
    let isWhole = true;
    for (const each of own) isWhole = (await takeOver(transaction, relayer.relayerId, each)) && isWhole;
    const nextNonce = BigInt(Math.max(Number(next), upTo + 1));
    const { bound } = await transaction
      .selectFrom('instructions')
      .where('relayer_id', '=', relayer.relayerId)
      .where('nonce', '>=', wholeFrom)
      .select((row) => row.fn.count<bigint>('nonce').as('bound'))
      .executeTakeFirstOrThrow();
    isWhole &&= bound === nextNonce - wholeFrom;
    const after = isWhole ? null : 'DATABASE_OLDER';
    await transaction
      .updateTable('relayers')
      .set({ next_nonce: nextNonce, disabled: disabled === 'DATABASE_OLDER' ? after : (disabled ?? after) })
      .where('relayer_id', '=', relayer.relayerId)
      .execute();
  });
}

/** What is wrong with a relayer, beside why it is disabled. */
export type Troubles = {
  /** It has less than one more execution may cost. */
  readonly lowBalance: boolean;
  /** The nonce that has waited for its block for too long. */
  readonly stuckNonce: number | undefined;
};

/** What is wrong with a relayer, as it was last noted. */
export async function readTroubles(database: Database, relayerId: string): Promise<Troubles> {
  const row = await database
    .selectFrom('relayers')
    .where('relayer_id', '=', relayerId)
    .select(['is_balance_low', 'stuck_nonce'])
    .executeTakeFirstOrThrow();
  const stuckNonce = row.stuck_nonce === null ? undefined : Number(row.stuck_nonce);
  return { lowBalance: row.is_balance_low, stuckNonce };
}

/** Notes what is wrong with a relayer, and tells of it. */
export async function noteTroubles(
  database: Database,
  relayerId: string,
  { lowBalance, stuckNonce }: Troubles,
): Promise<void> {
  await changeRelayer(database, relayerId, (transaction) =>
    transaction
      .updateTable('relayers')
      .where('relayer_id', '=', relayerId)
      .set({
        is_balance_low: lowBalance,
        stuck_nonce: stuckNonce === undefined ? null : BigInt(stuckNonce),
      })
      .execute(),
  );
}

/** Has a relayer bind nothing new, or go on. */
export async function setPaused(database: Database, relayerId: string, isPaused: boolean): Promise<void> {
  await database
    .updateTable('relayers')
    .where('relayer_id', '=', relayerId)
    .set({ is_paused: isPaused })
    .execute();
}

/** Whether it has its nonce now. Where another instruction has that nonce, nothing is changed: a chain has one of the two. */
async function takeOver(
  transaction: Database,
  relayerId: string,
  { about, attempt }: Leaving,
): Promise<boolean> {
  const { relayTransactionId, call, nonce } = about;
  const { executionId, index } = placeOf(relayTransactionId);
  await transaction
    .insertInto('executions')
    .values({ execution_id: executionId, key: null, body_fingerprint: null, plan: null, grounds: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await transaction
    .insertInto('instructions')
    .values(rowOf(executionId, index, relayerId, call))
    .onConflict((conflict) => conflict.column('relay_transaction_id').doNothing())
    .execute();
  await transaction
    .updateTable('instructions')
    .set({ nonce: BigInt(nonce), gas_limit: about.gasLimit })
    .where('relay_transaction_id', '=', relayTransactionId)
    .where('nonce', 'is', null)
    .where('outcome', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('instructions as other')
            .where('other.relayer_id', '=', relayerId)
            .where('other.nonce', '=', BigInt(nonce))
            .select('other.nonce'),
        ),
      ),
    )
    .execute();
  const bound = await transaction
    .selectFrom('instructions')
    .where('relay_transaction_id', '=', relayTransactionId)
    .where('nonce', '=', BigInt(nonce))
    .select('nonce')
    .executeTakeFirst();
  if (bound === undefined) return false;
  await createRelayStore(transaction).keepAttempts([{ about, attempt: { ...attempt, wasSent: true } }]);
  return true;
}
