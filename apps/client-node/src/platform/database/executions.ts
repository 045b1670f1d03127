import { createHash } from 'node:crypto';
import type { Refusal } from '@fairway/policies';
import type { Call } from '@fairway/relay';
import { type Grounds, groundsDocument } from './grounds.ts';
import { publishTransactions } from './published.ts';
import type { Database } from './schema.ts';
import { type Taking, takeSpending } from './spendings.ts';
import { findExecution } from './transactions.ts';

/** What a client asks to be executed under its key. */
export type NewExecution = {
  readonly key: string;
  /** A hash of the request, so that the key is not used for another one. */
  readonly bodyFingerprint: Buffer;
  readonly relayerId: string;
  /** What the service answered, to be answered again. */
  readonly plan?: object;
  /** What the calls are judged by before each is signed. */
  readonly grounds?: Grounds;
  /** In their order: each is executed when the one before has succeeded. */
  readonly calls: readonly Call[];
  /** What the last call spends. Above a limit the execution is rejected. */
  readonly takes?: Taking;
  /** Past this time of the chain none of them must be executed any more. */
  readonly validUntilMs?: number;
};

/** ACCEPTED: durable by now. KNOWN: the same was accepted before. KEY_REUSED: the key is of another request. */
export type Acceptance = {
  readonly state: 'ACCEPTED' | 'KNOWN' | 'KEY_REUSED';
  readonly executionId: string;
};

/**
 * The id of a key's execution. It is made of the key alone. So the journal says of which key a transaction is, when the
 * database does not know it any more.
 */
export function executionIdOf(key: string): string {
  return `exe_${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;
}

/** The id of an execution's instruction. */
export function relayTransactionIdOf(executionId: string, index: number): string {
  return `${executionId}_${index}`;
}

/** The execution and the index that an instruction's id names. */
export function placeOf(relayTransactionId: string): {
  readonly executionId: string;
  readonly index: number;
} {
  const cut = relayTransactionId.lastIndexOf('_');
  return {
    executionId: relayTransactionId.slice(0, cut),
    index: Number(relayTransactionId.slice(cut + 1)),
  };
}

/** Takes an execution on, once for its key: all its instructions, and what they spend, in one transaction. */
export async function acceptExecution(database: Database, execution: NewExecution): Promise<Acceptance> {
  const executionId = executionIdOf(execution.key);
  return database.transaction().execute(async (transaction) => {
    const { numInsertedOrUpdatedRows: inserted = 0n } = await transaction
      .insertInto('executions')
      .values({
        execution_id: executionId,
        key: execution.key,
        body_fingerprint: execution.bodyFingerprint,
        plan: execution.plan === undefined ? null : JSON.stringify(execution.plan),
        grounds: execution.grounds === undefined ? null : JSON.stringify(groundsDocument(execution.grounds)),
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (inserted === 0n) {
      const known = await transaction
        .selectFrom('executions')
        .where('execution_id', '=', executionId)
        .select('body_fingerprint')
        .executeTakeFirstOrThrow();
      // Only the journal knows an execution without a fingerprint. The key alone says that it was asked for.
      const isSame = known.body_fingerprint?.equals(execution.bodyFingerprint) ?? true;
      return { state: isSame ? 'KNOWN' : 'KEY_REUSED', executionId };
    }
    await insertInstructions(transaction, executionId, execution);
    if (execution.takes !== undefined) {
      const last = relayTransactionIdOf(executionId, execution.calls.length - 1);
      const [refusal] = await takeSpending(transaction, last, execution.takes);
      if (refusal !== undefined) await reject(transaction, executionId, refusal);
    }
    return { state: 'ACCEPTED', executionId };
  });
}

async function reject(transaction: Database, executionId: string, refusal: Refusal): Promise<void> {
  await transaction
    .updateTable('instructions')
    .set({ outcome: 'REJECTED', outcome_detail: JSON.stringify({ refusal }) })
    .where('execution_id', '=', executionId)
    .execute();
  const rejected = await findExecution(transaction, executionId);
  await publishTransactions(transaction, rejected?.transactions ?? []);
}

/** Keeps the calls of an execution, in their order. */
export async function insertInstructions(
  transaction: Database,
  executionId: string,
  { calls, relayerId, validUntilMs }: Pick<NewExecution, 'calls' | 'relayerId' | 'validUntilMs'>,
): Promise<void> {
  await transaction
    .insertInto('instructions')
    .values(calls.map((call, index) => rowOf(executionId, index, relayerId, validUntil(call, validUntilMs))))
    .execute();
}

function validUntil(call: Call, validUntilMs = Infinity): Call {
  const notAfterMs = Math.min(call.notAfterMs ?? Infinity, validUntilMs);
  return notAfterMs === Infinity ? call : { ...call, notAfterMs };
}

/** The row of an instruction that is not bound yet. */
export function rowOf(executionId: string, index: number, relayerId: string, call: Call) {
  return {
    relay_transaction_id: relayTransactionIdOf(executionId, index),
    execution_id: executionId,
    index,
    relayer_id: relayerId,
    to_address: call.to,
    data: call.data,
    value_wei: String(call.valueWei),
    not_after: call.notAfterMs === undefined ? null : new Date(call.notAfterMs),
  };
}
