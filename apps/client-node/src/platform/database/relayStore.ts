import { recordset } from '@fairway/postgres';
import type {
  Attempt,
  Binding,
  Ended,
  Hex,
  Inclusion,
  Instruction,
  Leaving,
  Purpose,
  Relayer,
  RelayStore,
  Seen,
} from '@fairway/relay';
import { sql } from 'kysely';
import { changeRelayer, changeTransactions } from './published.ts';
import type { Database } from './schema.ts';

/**
 * Keeps relayers and their instructions in PostgreSQL. `onBroadcast` is told how many seconds went by from the acceptance of
 * an execution until its first transaction left.
 */
export function createRelayStore(
  database: Database,
  onBroadcast: (seconds: number) => void = () => {},
): RelayStore {
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
    bind: (given) => bind(database, given),
    keepAttempts: (signed) => keepAttempts(database, signed),
    async noteSent(sent) {
      for (const seconds of await noteSent(database, sent)) onBroadcast(seconds);
    },
    note: (seen) => note(database, seen),
    async refuse({ relayTransactionId }, refusal) {
      await database
        .updateTable('instructions')
        .where('relay_transaction_id', '=', relayTransactionId)
        .where('outcome', 'is', null)
        .set({ is_cancel_asked: true, refusal: JSON.stringify(refusal) })
        .execute();
    },
    conclude: (ended) => conclude(database, ended),
  };
}

type About = { readonly about: Instruction };

function idsOf(given: readonly About[]): string[] {
  return given.map(({ about }) => about.relayTransactionId);
}

async function keepAttempts(database: Database, signed: readonly Leaving[]): Promise<void> {
  const rows = signed.map(({ about, attempt }) => ({
    ...{ hash: attempt.hash, raw: attempt.raw, purpose: attempt.purpose, was_sent: attempt.wasSent },
    relay_transaction_id: about.relayTransactionId,
    max_fee_per_gas_wei: String(attempt.fees.maxFeePerGasWei),
    max_priority_fee_per_gas_wei: String(attempt.fees.maxPriorityFeePerGasWei),
    signed_at_block: BigInt(attempt.signedAtBlock),
  }));
  const keep = (within: Database) =>
    within
      .insertInto('attempts')
      .values(rows)
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
  // What is only signed tells nobody anything.
  const isSent = signed.some(({ attempt }) => attempt.wasSent);
  await (isSent ? changeTransactions(database, idsOf(signed), keep) : keep(database));
}

/** For each execution whose first transaction left now: how many seconds went by until then. */
async function noteSent(database: Database, sent: readonly Leaving[]): Promise<number[]> {
  let first: number[] = [];
  await changeTransactions(database, idsOf(sent), async (transaction) => {
    const { rows } = await sql<{ seconds: number | null }>`
      update attempts a set was_sent = true where hash in (${sql.join(sent.map(({ attempt }) => attempt.hash))})
      returning (select extract(epoch from clock_timestamp() - accepted_at)::float8
        from instructions i join executions using (execution_id)
        where i.relay_transaction_id = a.relay_transaction_id and i.index = 0 and not exists
          (select from attempts b where b.relay_transaction_id = a.relay_transaction_id and b.was_sent)
      ) as seconds`.execute(transaction);
    first = rows.flatMap(({ seconds }) => seconds ?? []);
  });
  return first;
}

async function note(database: Database, seen: readonly Seen[]): Promise<void> {
  const rows = seen.map(({ about, inclusion }) => ({
    relay_transaction_id: about.relayTransactionId,
    ...includedOf(inclusion),
  }));
  await changeTransactions(database, idsOf(seen), (transaction) =>
    sql`update instructions i set included_hash = row.included_hash,
        included_block_number = row.included_block_number, included_block_hash = row.included_block_hash,
        included_succeeded = row.included_succeeded
      from ${recordset('instructions', rows)} as row
      where i.relay_transaction_id = row.relay_transaction_id and i.outcome is null`.execute(transaction),
  );
}

function includedOf(inclusion: Inclusion | undefined) {
  return {
    included_hash: inclusion?.hash,
    included_block_number: inclusion?.blockNumber,
    included_block_hash: inclusion?.blockHash,
    included_succeeded: inclusion?.succeeded,
  };
}

/** What was bound meanwhile, by another process, is not ended as if it never was. */
async function conclude(database: Database, ended: readonly Ended[]): Promise<void> {
  const rows = ended.map(({ about, outcome: { as, ...detail } }) => ({
    ...{ relay_transaction_id: about.relayTransactionId, nonce: about.nonce },
    ...{ outcome: as, outcome_detail: detail },
  }));
  await changeTransactions(database, idsOf(ended), (transaction) =>
    sql`update instructions i set outcome = row.outcome, outcome_detail = row.outcome_detail
      from ${recordset('instructions', rows)} as row
      where i.relay_transaction_id = row.relay_transaction_id and i.outcome is null
        and i.nonce is not distinct from row.nonce`.execute(transaction),
  );
}

/** One transaction: it locks the relayer, then the instructions, so that two processes take their turns. */
async function bind(database: Database, given: readonly Binding[]): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const ids = idsOf(given);
    const relayer = await transaction
      .selectFrom('relayers')
      .where('relayer_id', '=', (one) =>
        one
          .selectFrom('instructions')
          .where('relay_transaction_id', '=', ids[0] ?? '')
          .select('relayer_id'),
      )
      .select(['relayer_id', 'next_nonce', 'disabled', 'is_paused'])
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (relayer.disabled !== null || relayer.is_paused) return;
    const waiting = await transaction
      .selectFrom('instructions')
      .where('relay_transaction_id', 'in', ids)
      .where('relayer_id', '=', relayer.relayer_id)
      .where('nonce', 'is', null)
      .where('outcome', 'is', null)
      .where('is_cancel_asked', '=', false)
      .orderBy('relay_transaction_id')
      .select('relay_transaction_id')
      .forUpdate()
      .execute();
    const free = new Set(waiting.map((each) => each.relay_transaction_id));
    const next = Number(relayer.next_nonce);
    const rows = given
      .filter(({ about }) => free.has(about.relayTransactionId))
      .map(({ about, gasLimit }, index) => ({
        ...{ relay_transaction_id: about.relayTransactionId, gas_limit: String(gasLimit) },
        nonce: next + index,
      }));
    if (rows.length === 0) return;
    await sql`update instructions i set nonce = row.nonce, gas_limit = row.gas_limit
      from ${recordset('instructions', rows)} as row
      where i.relay_transaction_id = row.relay_transaction_id`.execute(transaction);
    await transaction
      .updateTable('relayers')
      .set({ next_nonce: BigInt(next + rows.length) })
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
