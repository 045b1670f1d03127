import { writePublishedEvents } from '@fairway/outbox';
import { defined, type Scope } from '@fairway/values';
import type { NodeEventType, PublishedRelayer, PublishedTransaction } from '@fairway/wire';
import { paymentOf } from './paymentOf.ts';
import { receiptOf } from './receipts.ts';
import type { Database } from './schema.ts';
import { findTransactions, type KeptTransaction } from './transactions.ts';

/** A database belongs to one node, whose callers all read the same events. */
export const NODE_SCOPE: Scope = { organisationId: 'org_node', environment: 'production' };

/** Changes instructions. The states that are other ones then are published in the same transaction. */
export async function changeTransactions(
  database: Database,
  relayTransactionIds: readonly string[],
  change: (transaction: Database) => Promise<unknown>,
): Promise<void> {
  await within(database, async (transaction) => {
    // In one order, so that two who change some of the same take their turns.
    await transaction
      .selectFrom('instructions')
      .where('relay_transaction_id', 'in', relayTransactionIds)
      .orderBy('relay_transaction_id')
      .select('relay_transaction_id')
      .forNoKeyUpdate()
      .execute();
    const found = await findTransactions(transaction, relayTransactionIds);
    const before = new Map(found.map((each) => [each.relayTransactionId, stateOf(each)]));
    await change(transaction);
    const after = await findTransactions(transaction, relayTransactionIds);
    const changed = after.filter((each) => before.get(each.relayTransactionId) !== stateOf(each));
    await publishTransactions(transaction, changed);
  });
}

/** A reorganisation can bring a transaction into another block, so that the block is part of its state. */
function stateOf(kept: KeptTransaction): string {
  return `${receiptOf(kept).status} ${kept.inclusion?.blockHash}`;
}

/** Publishes the states of instructions, without those that only wait. */
export async function publishTransactions(
  transaction: Database,
  kept: readonly KeptTransaction[],
): Promise<void> {
  const told: Told[] = [];
  for (const each of kept) {
    const receipt = receiptOf(each);
    if (receipt.status === 'PENDING') continue;
    const { executionId, relayerId, relayTransactionId: id } = each;
    const planId = await planOf(transaction, executionId);
    const object: PublishedTransaction = { ...receipt, executionId, relayerId, ...defined({ planId }) };
    const type = `relay.transaction.${receipt.status.toLowerCase()}` as NodeEventType;
    told.push({ type, subject: { type: 'relay_transaction', id }, object });
  }
  await publish(transaction, told);
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
    const subject = { type: 'relayer', id: relayerId };
    await publish(
      transaction,
      relayerEvents(before, after).map((type) => ({ type, subject, object: after })),
    );
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

type Told = {
  readonly type: NodeEventType;
  readonly subject: { readonly type: string; readonly id: string };
  readonly object: object;
};

async function publish(transaction: Database, told: readonly Told[]): Promise<void> {
  if (told.length === 0) return;
  const published = told.map(({ type, subject, object }) => ({ type, subject, data: { data: { object } } }));
  await writePublishedEvents(transaction, NODE_SCOPE, published, Date.now());
}

function within<Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  return database.isTransaction ? work(database) : database.transaction().execute(work);
}
