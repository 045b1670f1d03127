import type { Attempt, Hex, Instruction, Purpose, Relayer, RelayStore } from '@fairway/relay';
import { sql } from 'kysely';
import { changeRelayer, changeTransaction } from './published.ts';
import type { Database } from './schema.ts';

/**
 * Keeps relayers and their instructions in PostgreSQL. `onBroadcast` is told how many seconds went by from the acceptance of
 * an execution until its first transaction left.
 */
export function createRelayStore(
  database: Database,
  onBroadcast: (seconds: number) => void = () => {},
): RelayStore {
  const instruction = ({ relayTransactionId }: Instruction, within = database) =>
    within.updateTable('instructions').where('relay_transaction_id', '=', relayTransactionId);

  return {
    async read(relayerId) {
      const [relayer, open] = await Promise.all([
        readRelayer(database, relayerId),
        readOpen(database, relayerId),
      ]);
      return { relayer, open };
    },
    async disable(relayerId, reason, usedCount) {
      await changeRelayer(database, relayerId, (transaction) => {
        const enabled = transaction
          .updateTable('relayers')
          .set({ disabled: reason })
          .where('relayer_id', '=', relayerId)
          .where('disabled', 'is', null);
        return (
          usedCount === undefined ? enabled : enabled.where('next_nonce', '<', BigInt(usedCount))
        ).execute();
      });
    },
    bind: (about, gasLimit) => bind(database, about, gasLimit),
    keepAttempt: (about, attempt) => keepAttempt(database, about, attempt),
    async noteSent(about, hash) {
      const seconds = await noteSent(database, about, hash);
      if (seconds !== undefined) onBroadcast(seconds);
    },
    async note(about, inclusion) {
      await changeTransaction(database, about.relayTransactionId, (transaction) =>
        instruction(about, transaction)
          .where('outcome', 'is', null)
          .set({
            included_hash: inclusion?.hash ?? null,
            included_block_number: inclusion === undefined ? null : BigInt(inclusion.blockNumber),
            included_block_hash: inclusion?.blockHash ?? null,
            included_succeeded: inclusion?.succeeded ?? null,
          })
          .execute(),
      );
    },
    async refuse(about, refusal) {
      await instruction(about)
        .where('outcome', 'is', null)
        .set({ is_cancel_asked: true, refusal: JSON.stringify(refusal) })
        .execute();
    },
    async conclude(about, outcome) {
      const { as, ...detail } = outcome;
      // What was bound meanwhile, by another process, is not ended as if it never was.
      await changeTransaction(database, about.relayTransactionId, (transaction) =>
        instruction(about, transaction)
          .where('outcome', 'is', null)
          .where((row) =>
            about.nonce === undefined ? row('nonce', 'is', null) : row('nonce', '=', BigInt(about.nonce)),
          )
          .set({ outcome: as, outcome_detail: JSON.stringify(detail) })
          .execute(),
      );
    },
  };
}

async function keepAttempt(
  database: Database,
  { relayTransactionId }: Instruction,
  { hash, raw, purpose, fees, signedAtBlock, wasSent }: Attempt,
): Promise<void> {
  const keep = (within: Database) =>
    within
      .insertInto('attempts')
      .values({
        ...{ hash, raw, purpose, relay_transaction_id: relayTransactionId, was_sent: wasSent },
        max_fee_per_gas_wei: String(fees.maxFeePerGasWei),
        max_priority_fee_per_gas_wei: String(fees.maxPriorityFeePerGasWei),
        signed_at_block: BigInt(signedAtBlock),
      })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
  // What is only signed tells nobody anything.
  await (wasSent ? changeTransaction(database, relayTransactionId, keep) : keep(database));
}

/** How many seconds went by until the first transaction of an execution left; undefined where this is another one. */
async function noteSent(
  database: Database,
  { relayTransactionId }: Instruction,
  hash: Hex,
): Promise<number | undefined> {
  let first: number | undefined;
  await changeTransaction(database, relayTransactionId, async (transaction) => {
    const { rows } = await sql<{ seconds: number | null }>`
      update attempts a set was_sent = true where hash = ${hash}
      returning (select extract(epoch from clock_timestamp() - accepted_at)::float8
        from instructions i join executions using (execution_id)
        where i.relay_transaction_id = a.relay_transaction_id and i.index = 0 and not exists
          (select from attempts b where b.relay_transaction_id = a.relay_transaction_id and b.was_sent)
      ) as seconds`.execute(transaction);
    first = rows[0]?.seconds ?? undefined;
  });
  return first;
}

/** One transaction: it locks the relayer, then the instruction, so that two processes take their turns. */
async function bind(
  database: Database,
  { relayTransactionId }: Instruction,
  gasLimit: bigint,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const relayer = await transaction
      .selectFrom('relayers')
      .innerJoin('instructions', 'instructions.relayer_id', 'relayers.relayer_id')
      .where('relay_transaction_id', '=', relayTransactionId)
      .select(['relayers.relayer_id', 'next_nonce', 'disabled', 'is_paused'])
      .forUpdate('relayers')
      .executeTakeFirstOrThrow();
    if (relayer.disabled !== null || relayer.is_paused) return;
    const bound = await transaction
      .updateTable('instructions')
      .set({ nonce: relayer.next_nonce, gas_limit: gasLimit })
      .where('relay_transaction_id', '=', relayTransactionId)
      .where('nonce', 'is', null)
      .where('outcome', 'is', null)
      .where('is_cancel_asked', '=', false)
      .executeTakeFirst();
    if (bound.numUpdatedRows === 0n) return;
    await transaction
      .updateTable('relayers')
      .set({ next_nonce: relayer.next_nonce + 1n })
      .where('relayer_id', '=', relayer.relayer_id)
      .execute();
  });
}

async function readRelayer(database: Database, relayerId: string): Promise<Relayer> {
  const row = await database
    .selectFrom('relayers')
    .where('relayer_id', '=', relayerId)
    .selectAll()
    .executeTakeFirstOrThrow();
  return {
    relayerId,
    chainId: Number(row.chain_id),
    address: row.address as Hex,
    nextNonce: Number(row.next_nonce),
    isPaused: row.is_paused,
    ...(row.disabled !== null && { disabled: row.disabled }),
  };
}

type OpenRow = {
  relay_transaction_id: string;
  index: number;
  chain_id: bigint;
  address: string;
  to_address: string;
  data: string;
  value_wei: string;
  not_after: Date | null;
  is_cancel_asked: boolean;
  gas_limit: bigint | null;
  nonce: bigint | null;
  included_hash: string | null;
  included_block_number: bigint | null;
  included_block_hash: string | null;
  included_succeeded: boolean | null;
  previous: 'OPEN' | 'SUCCEEDED' | 'FAILED' | null;
  attempts: readonly AttemptRow[];
};

type AttemptRow = {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly purpose: Purpose;
  readonly max_fee: string;
  readonly max_priority_fee: string;
  readonly signed_at_block: number;
  readonly was_sent: boolean;
};

/** What failed may still be executed after a reorganisation, so that only an outcome is a failure. */
async function readOpen(database: Database, relayerId: string): Promise<Instruction[]> {
  const { rows } = await sql<OpenRow>`
    select i.*, r.chain_id, r.address,
      case when i.index = 0 then null
        when p.outcome = 'CONFIRMED' then 'SUCCEEDED'
        when p.outcome is not null then 'FAILED'
        when p.included_succeeded and
          (select purpose from attempts where hash = p.included_hash) = 'EXECUTE' then 'SUCCEEDED'
        else 'OPEN' end as previous,
      coalesce((select json_agg(json_build_object(
        'hash', hash, 'raw', raw, 'purpose', purpose, 'max_fee', max_fee_per_gas_wei::text,
        'max_priority_fee', max_priority_fee_per_gas_wei::text, 'signed_at_block', signed_at_block,
        'was_sent', was_sent) order by signed)
        from attempts where relay_transaction_id = i.relay_transaction_id), '[]') as attempts
    from instructions i
    join relayers r using (relayer_id)
    left join instructions p on p.execution_id = i.execution_id and p.index = i.index - 1
    where i.relayer_id = ${relayerId} and i.outcome is null
    order by i.nonce nulls last, i.created`.execute(database);
  return rows.map(instructionOf);
}

function instructionOf(row: OpenRow): Instruction {
  return {
    relayTransactionId: row.relay_transaction_id,
    call: {
      chainId: Number(row.chain_id),
      sender: row.address as Hex,
      to: row.to_address as Hex,
      data: row.data as Hex,
      valueWei: BigInt(row.value_wei),
      ...(row.not_after !== null && { notAfterMs: row.not_after.getTime() }),
    },
    ...(row.previous !== null && { previous: row.previous }),
    ...(row.nonce !== null && { nonce: Number(row.nonce) }),
    ...(row.gas_limit !== null && { gasLimit: row.gas_limit }),
    attempts: row.attempts.map(attemptOf),
    ...(row.included_hash !== null && {
      inclusion: {
        hash: row.included_hash as Hex,
        blockNumber: Number(row.included_block_number),
        blockHash: row.included_block_hash as Hex,
        succeeded: row.included_succeeded === true,
      },
    }),
    isCancelAsked: row.is_cancel_asked,
  };
}

function attemptOf(row: AttemptRow): Attempt {
  return {
    hash: row.hash,
    raw: row.raw,
    purpose: row.purpose,
    fees: { maxFeePerGasWei: BigInt(row.max_fee), maxPriorityFeePerGasWei: BigInt(row.max_priority_fee) },
    signedAtBlock: row.signed_at_block,
    wasSent: row.was_sent,
  };
}
