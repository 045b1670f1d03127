import type { Call, Hex, Inclusion, Outcome, Purpose, Refusal } from '@fairway/relay';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './schema.ts';

/** A signed transaction of an instruction. */
export type KeptAttempt = {
  readonly hash: Hex;
  readonly purpose: Purpose;
  readonly maxFeePerGasWei: string;
  readonly maxPriorityFeePerGasWei: string;
  readonly signedAtBlock: number;
  readonly wasSent: boolean;
};

/** An instruction with everything that is known of it. */
export type KeptTransaction = {
  readonly relayTransactionId: string;
  readonly executionId: string;
  readonly index: number;
  readonly relayerId: string;
  readonly call: Call;
  readonly isCancelAsked: boolean;
  /** Why it is cancelled although it was bound. */
  readonly refusal?: Refusal;
  readonly nonce?: number;
  readonly attempts: readonly KeptAttempt[];
  readonly inclusion?: Inclusion;
  readonly outcome?: Outcome;
  /** Its place in the list: later ones are higher. */
  readonly created: bigint;
};

/** An execution as it is kept. `key`, `bodyFingerprint` and `plan` are absent where the journal alone knows it. */
export type KeptExecution = {
  readonly executionId: string;
  readonly bodyFingerprint?: Buffer;
  readonly plan?: object;
  /** Whose calls they are, where a payment plan gave them. */
  readonly attemptId?: string;
  readonly stepId?: string;
  readonly transactions: readonly KeptTransaction[];
};

/** The execution with an id; undefined when there is none. */
export async function findExecution(
  database: Database,
  executionId: string,
): Promise<KeptExecution | undefined> {
  const row = await database
    .selectFrom('executions')
    .where('execution_id', '=', executionId)
    .select(['body_fingerprint', 'plan', 'attempt_id', 'step_id'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    executionId,
    ...(row.body_fingerprint !== null && { bodyFingerprint: row.body_fingerprint }),
    ...(row.plan !== null && { plan: row.plan }),
    ...(row.attempt_id !== null && { attemptId: row.attempt_id }),
    ...(row.step_id !== null && { stepId: row.step_id }),
    transactions: await read(database, sql`i.execution_id = ${executionId}`, sql`i.index`, 1000),
  };
}

/** The instruction with an id; undefined when there is none. */
export async function findTransaction(
  database: Database,
  relayTransactionId: string,
): Promise<KeptTransaction | undefined> {
  const found = await read(database, sql`i.relay_transaction_id = ${relayTransactionId}`, sql`1`, 1);
  return found[0];
}

/** The instructions with these ids, the oldest first. */
export function findTransactions(
  database: Database,
  relayTransactionIds: readonly string[],
): Promise<KeptTransaction[]> {
  return read(
    database,
    sql`i.relay_transaction_id in (${sql.join(relayTransactionIds)})`,
    sql`i.created`,
    relayTransactionIds.length,
  );
}

/** The instruction that a relayer's nonce is bound to; undefined when there is none. */
export async function findByNonce(
  database: Database,
  relayerId: string,
  nonce: number,
): Promise<KeptTransaction | undefined> {
  const found = await read(database, sql`i.relayer_id = ${relayerId} and i.nonce = ${nonce}`, sql`1`, 1);
  return found[0];
}

/** Which instructions a list has. */
export type TransactionFilter = {
  readonly status?: 'OPEN' | 'ENDED';
  readonly relayerId?: string;
  readonly executionId?: string;
};

/** A part of the list of instructions, the newest first. `before`: the place that it continues behind. */
export function listTransactions(
  database: Database,
  { status, relayerId, executionId }: TransactionFilter,
  { limit, before }: { readonly limit: number; readonly before: bigint | undefined },
): Promise<KeptTransaction[]> {
  const where = [
    ...(status === undefined ? [] : [sql`(i.outcome is null) = ${status === 'OPEN'}`]),
    ...(relayerId === undefined ? [] : [sql`i.relayer_id = ${relayerId}`]),
    ...(executionId === undefined ? [] : [sql`i.execution_id = ${executionId}`]),
    ...(before === undefined ? [] : [sql`i.created < ${before}`]),
  ];
  return read(
    database,
    where.length === 0 ? sql`true` : sql.join(where, sql` and `),
    sql`i.created desc`,
    limit,
  );
}

/** Asks for the cancellation of an instruction that has not ended. */
export async function askCancellation(database: Database, relayTransactionId: string): Promise<void> {
  await database
    .updateTable('instructions')
    .where('relay_transaction_id', '=', relayTransactionId)
    .where('outcome', 'is', null)
    .set({ is_cancel_asked: true })
    .execute();
}

type Row = {
  readonly relay_transaction_id: string;
  readonly execution_id: string;
  readonly index: number;
  readonly relayer_id: string;
  readonly chain_id: bigint;
  readonly address: Hex;
  readonly to_address: Hex;
  readonly data: Hex;
  readonly value_wei: string;
  readonly not_after: Date | null;
  readonly is_cancel_asked: boolean;
  readonly refusal: Refusal | null;
  readonly nonce: bigint | null;
  readonly included_hash: Hex | null;
  readonly included_block_number: bigint | null;
  readonly included_block_hash: Hex | null;
  readonly included_succeeded: boolean | null;
  readonly outcome: Outcome['as'] | null;
  readonly outcome_detail: object | null;
  readonly created: bigint;
  readonly attempts: readonly KeptAttempt[];
};

async function read(
  database: Database,
  where: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
): Promise<KeptTransaction[]> {
  const { rows } = await sql<Row>`
    select i.*, r.chain_id, r.address,
      coalesce((select json_agg(json_build_object(
        'hash', hash, 'purpose', purpose, 'maxFeePerGasWei', max_fee_per_gas_wei::text,
        'maxPriorityFeePerGasWei', max_priority_fee_per_gas_wei::text, 'signedAtBlock', signed_at_block,
        'wasSent', was_sent) order by signed)
        from attempts where relay_transaction_id = i.relay_transaction_id), '[]') as attempts
    from instructions i
    join relayers r using (relayer_id)
    where ${where}
    order by ${order}
    limit ${limit}`.execute(database);
  return rows.map(transactionOf);
}

function transactionOf(row: Row): KeptTransaction {
  return {
    relayTransactionId: row.relay_transaction_id,
    executionId: row.execution_id,
    index: row.index,
    relayerId: row.relayer_id,
    call: {
      chainId: Number(row.chain_id),
      sender: row.address,
      to: row.to_address,
      data: row.data,
      valueWei: BigInt(row.value_wei),
      ...(row.not_after !== null && { notAfterMs: row.not_after.getTime() }),
    },
    isCancelAsked: row.is_cancel_asked,
    ...(row.refusal !== null && { refusal: row.refusal }),
    ...(row.nonce !== null && { nonce: Number(row.nonce) }),
    attempts: row.attempts,
    ...(row.included_hash !== null && {
      inclusion: {
        hash: row.included_hash,
        blockNumber: Number(row.included_block_number),
        blockHash: row.included_block_hash ?? '0x',
        succeeded: row.included_succeeded === true,
      },
    }),
    ...(row.outcome !== null && { outcome: { as: row.outcome, ...row.outcome_detail } as Outcome }),
    created: row.created,
  };
}
