import { randomUUID } from 'node:crypto';
import { type GasRules, type Hex, isBound, type RelayChain, unknownNonces } from '@fairway/relay';
import { relayTransactionIdOf } from '../database/executions.ts';
import { changeRelayer } from '../database/published.ts';
import { createRelayStore } from '../database/relayStore.ts';
import type { Database } from '../database/schema.ts';
import type { Journal } from '../journal/journal.ts';

/** How far a relayer is from knowing all its nonces. */
export type Reconciled = {
  /** How many cancellations were bound now. */
  readonly bound: number;
  /** How many bound instructions have not ended. With none, the relayer goes on. */
  readonly open: number;
};

/** What a relayer is reconciled with. */
export type ReconcileOptions = {
  readonly database: Database;
  readonly chain: RelayChain;
  readonly rules: Pick<GasRules, 'mostPending'>;
  readonly journal: Journal;
};

/** The gas of a transfer to an account without code. */
const TRANSFER_GAS = 21_000n;

/**
 * Takes a disabled relayer into use again. A cancellation is bound to each nonce that something unknown may have. When
 * they are final, nothing unknown can be executed any more, and the next call enables the relayer. Before that call the
 * operator looks at the transactions that have these nonces instead: the database did not know of them.
 */
export async function reconcile(options: ReconcileOptions, relayerId: string): Promise<Reconciled> {
  const { database, chain } = options;
  const store = createRelayStore(database);
  const seen = await store.read(relayerId);
  const look = await chain.look(seen.relayer, seen.open.filter(isBound));
  // It is locked, so that nobody binds meanwhile.
  return changeRelayer(database, relayerId, async (transaction) => {
    const { relayer, open } = await createRelayStore(transaction).read(relayerId);
    const known = open.filter(isBound);
    if (relayer.disabled === undefined) return { bound: 0, open: known.length };
    const upTo = furthest(options, relayer, look.nonceLatest);
    const nonces = unknownNonces(relayer, open, look, { upTo, lately: new Set() });
    if (nonces.length > 0) await bindCancellations(transaction, relayer, nonces);
    const isOver = nonces.length === 0 && known.length === 0;
    const first = nonces[0];
    await transaction
      .updateTable('relayers')
      .set((row) => ({
        next_nonce: BigInt(Math.max(relayer.nextNonce, look.nonceFinal, ...nonces.map((each) => each + 1))),
        // What lies before is final, and may have no instruction.
        whole_from: first === undefined ? row.ref('whole_from') : BigInt(first),
        // The nonces are bound now, so that they need not be bound again.
        disabled: isOver ? null : 'NONCES_UNKNOWN',
      }))
      .where('relayer_id', '=', relayerId)
      .execute();
    return { bound: nonces.length, open: nonces.length + known.length };
  });
}

/** The highest nonce that something unknown may have. */
function furthest(
  { journal, rules }: ReconcileOptions,
  { disabled, chainId, address }: { disabled?: string; chainId: number; address: Hex },
  nonceLatest: number,
): number {
  const upTo = Math.max(journal.sentUpTo(chainId, address), nonceLatest - 1);
  // Without a journal it is not known what left. At most so many waited, and a reorganisation may have taken as many back.
  return disabled === 'JOURNAL_MISSING' ? Math.max(upTo, nonceLatest + 2 * rules.mostPending - 1) : upTo;
}

/** They belong to an execution that no client has asked for. */
async function bindCancellations(
  database: Database,
  { relayerId, address }: { readonly relayerId: string; readonly address: Hex },
  nonces: readonly number[],
): Promise<void> {
  const executionId = `exe_reconcile_${randomUUID().replaceAll('-', '')}`;
  await database
    .insertInto('executions')
    .values({ execution_id: executionId, key: null, body_fingerprint: null, plan: null, grounds: null })
    .execute();
  await database
    .insertInto('instructions')
    .values(
      nonces.map((nonce, index) => ({
        relay_transaction_id: relayTransactionIdOf(executionId, index),
        ...{ execution_id: executionId, index, relayer_id: relayerId, to_address: address },
        ...{ data: '0x', value_wei: '0', not_after: null, is_cancel_asked: true },
        ...{ gas_limit: TRANSFER_GAS, nonce: BigInt(nonce) },
      })),
    )
    .execute();
}
