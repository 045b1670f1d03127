import { writePublishedEvents } from '@fairway/outbox';
import { defined, type Scope } from '@fairway/values';
import type { NodeEventType, PublishedRelayer, PublishedTransaction } from '@fairway/wire';
import { paymentOf } from './paymentOf.ts';
import { receiptOf } from './receipts.ts';
import type { Database } from './schema.ts';
import { findTransaction, type KeptTransaction } from './transactions.ts';

/** A database belongs to one node, whose callers all read the same events. */
export const NODE_SCOPE: Scope = { organisationId: 'org_node', environment: 'production' };

/** Changes an instruction. The state that it has then is published in the same transaction, if it is another one. */
export async function changeTransaction(
  database: Database,
  relayTransactionId: string,
  change: (transaction: Database) => Promise<unknown>,
): Promise<void> {
  await within(database, async (transaction) => {
    await transaction
      .selectFrom('instructions')
      .where('relay_transaction_id', '=', relayTransactionId)
      .select('relay_transaction_id')
      .forNoKeyUpdate()
      .execute();
    const before = await findTransaction(transaction, relayTransactionId);
    await change(transaction);
    const after = await findTransaction(transaction, relayTransactionId);
    if (after !== undefined && (before === undefined || stateOf(before) !== stateOf(after)))
      await publishTransaction(transaction, after);
  });
}

/** A reorganisation can bring a transaction into another block, so that the block is part of its state. */
function stateOf(kept: KeptTransaction): string {
  return `${receiptOf(kept).status} ${kept.inclusion?.blockHash}`;
}

/** Publishes the state of an instruction, unless it only waits. */
export async function publishTransaction(transaction: Database, kept: KeptTransaction): Promise<void> {
  const receipt = receiptOf(kept);
  if (receipt.status === 'PENDING') return;
  const object: PublishedTransaction = {
    ...receipt,
    ...{ executionId: kept.executionId, relayerId: kept.relayerId },
    ...defined({ planId: await planOf(transaction, kept.executionId) }),
  };
  const type = `relay.transaction.${receipt.status.toLowerCase()}` as NodeEventType;
  await publish(transaction, type, { type: 'relay_transaction', id: kept.relayTransactionId }, object);
}

async function planOf(database: Database, executionId: string): Promise<string | undefined> {
  const paymentId = paymentOf(executionId);
  if (paymentId === undefined) return undefined;
  const row = await database
    .selectFrom('payments')
    .where('payment_id', '=', paymentId)
    .select('plan_id')
    .executeTakeFirst();
  return row?.plan_id;
}

/** Changes a relayer, which is locked. The same transaction publishes what begins or ends to be wrong with it. */
export async function changeRelayer<Result>(
  database: Database,
  relayerId: string,
  change: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  return within(database, async (transaction) => {
    const before = await readRelayer(transaction, relayerId);
    const result = await change(transaction);
    const after = await readRelayer(transaction, relayerId);
    for (const type of relayerEvents(before, after))
      await publish(transaction, type, { type: 'relayer', id: relayerId }, after);
    return result;
  });
}

async function readRelayer(transaction: Database, relayerId: string): Promise<PublishedRelayer> {
  const row = await transaction
    .selectFrom('relayers')
    .where('relayer_id', '=', relayerId)
    .selectAll()
    .forUpdate()
    .executeTakeFirstOrThrow();
  return defined({
    ...{ relayerId, chainId: Number(row.chain_id), address: row.address },
    ...{ nextNonce: Number(row.next_nonce), paused: row.is_paused },
    disabledReason: row.disabled ?? undefined,
    lowBalance: row.is_balance_low,
    stuckNonce: row.stuck_nonce === null ? undefined : Number(row.stuck_nonce),
  });
}

function relayerEvents(before: PublishedRelayer, after: PublishedRelayer): NodeEventType[] {
  const troubles = [
    ['relay.relayer.disabled', before.disabledReason, after.disabledReason],
    ['relay.relayer.low_balance', before.lowBalance || undefined, after.lowBalance || undefined],
    ['relay.relayer.stuck', before.stuckNonce, after.stuckNonce],
  ] as const;
  const begun = troubles.filter(([, was, is]) => is !== undefined && is !== was).map(([type]) => type);
  const hasEnded = troubles.some(([, was, is]) => was !== undefined && is === undefined);
  return hasEnded ? [...begun, 'relay.relayer.recovered'] : begun;
}

async function publish(
  transaction: Database,
  type: NodeEventType,
  subject: { readonly type: string; readonly id: string },
  object: object,
): Promise<void> {
  const published = [{ type, subject, data: { data: { object } } }];
  await writePublishedEvents(transaction, NODE_SCOPE, published, Date.now());
}

function within<Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  return database.isTransaction ? work(database) : database.transaction().execute(work);
}
