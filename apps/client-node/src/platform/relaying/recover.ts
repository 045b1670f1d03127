import { changeRelayer } from '../database/published.ts';
import { createRelayStore } from '../database/relayStore.ts';
import { type NewRelayer, registerRelayer, takeOverJournal } from '../database/relayers.ts';
import type { Database } from '../database/schema.ts';
import type { Journal } from '../journal/journal.ts';

/** A key that is to be used on a chain, and what the chain shows of its past. */
export type Enrolled = NewRelayer & {
  /** Whether the chain has no transaction of it, and the nodes know of none that waits. */
  readonly isUnused: boolean;
};

/**
 * Registers a relayer unless it is there. The journal knows a key that was never used from then on. A database that is
 * new beside an old journal begins where the journal does. Nobody knows what left of any other key.
 */
export async function enrol(database: Database, journal: Journal, relayer: Enrolled): Promise<void> {
  const { isUnused, ...registered } = relayer;
  const { chainId, address, relayerId } = registered;
  const found = await database
    .selectFrom('relayers')
    .where('relayer_id', '=', relayerId)
    .select('relayer_id')
    .executeTakeFirst();
  // First the journal: after a crash between the two it is done again.
  if (found === undefined && isUnused) await journal.know(chainId, address, registered.nonce);
  const nonce = journal.knownFrom(chainId, address) ?? registered.nonce;
  await registerRelayer(database, { ...registered, nonce });
}

/**
 * Compares what the database has of a relayer with the journal. Without the journal nothing is bound until an operator has
 * reconciled the relayer. In an older database the relayer goes on with what the journal has.
 */
export async function recover(database: Database, journal: Journal, relayerId: string): Promise<void> {
  const { relayer } = await createRelayStore(database).read(relayerId);
  const { chainId, address, nextNonce, disabled } = relayer;
  if (journal.knownFrom(chainId, address) === undefined) {
    await changeRelayer(database, relayerId, (transaction) =>
      transaction
        .updateTable('relayers')
        .where('relayer_id', '=', relayerId)
        .set({ disabled: 'JOURNAL_MISSING' })
        .execute(),
    );
    return;
  }
  const upTo = journal.sentUpTo(chainId, address);
  if (upTo >= nextNonce || disabled === 'DATABASE_OLDER')
    await takeOverJournal(database, relayer, journal.entries(), upTo);
}
