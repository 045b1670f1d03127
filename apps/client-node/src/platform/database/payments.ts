import { createHash } from 'node:crypto';
import type { Refusal as PolicyRefusal } from '@fairway/policies';
import type { Call, Refusal } from '@fairway/relay';
import { insertInstructions, relayTransactionIdOf } from './executions.ts';
import { type Grounds, groundsDocument } from './grounds.ts';
import type { Database } from './schema.ts';
import { type Taking, takeSpending } from './spendings.ts';
import { findExecution, type KeptExecution, type KeptTransaction } from './transactions.ts';

/** A payment that a client wants executed, without its recipient. */
export type PaymentOrder = {
  readonly clientReference: string;
  readonly planId: string;
  readonly relayerId: string;
  readonly corridorId: string;
  /** What is paid with. */
  readonly tokenIn: string;
  readonly amountIn: bigint;
  /** The least that may arrive, where tokens are swapped. */
  readonly minAmountOut?: bigint;
  readonly validUntilMs?: number;
};

/** A payment as it is kept, with everything that was executed for it, the oldest first. */
export type KeptPayment = PaymentOrder & {
  readonly paymentId: string;
  readonly isReserved: boolean;
  readonly refusal?: Refusal;
  readonly ended?: 'PAID' | 'NOT_PAID';
  readonly executions: readonly KeptExecution[];
};

/** The id of a payment. It is made of the reference alone, so that it is the same after a restore. */
export function paymentIdOf(clientReference: string): string {
  return `pay_${createHash('sha256').update(clientReference).digest('hex').slice(0, 40)}`;
}

/** Keeps a payment once. OTHER: its reference is of another one. PLAN_TAKEN: its plan is. */
export async function keepPayment(
  database: Database,
  order: PaymentOrder,
): Promise<'ACCEPTED' | 'KNOWN' | 'OTHER' | 'PLAN_TAKEN'> {
  const paymentId = paymentIdOf(order.clientReference);
  const { numInsertedOrUpdatedRows: inserted = 0n } = await database
    .insertInto('payments')
    .values({
      payment_id: paymentId,
      client_reference: order.clientReference,
      plan_id: order.planId,
      relayer_id: order.relayerId,
      corridor_id: order.corridorId,
      token_in: order.tokenIn,
      amount_in: String(order.amountIn),
      min_amount_out: order.minAmountOut === undefined ? null : String(order.minAmountOut),
      valid_until: order.validUntilMs === undefined ? null : new Date(order.validUntilMs),
      refusal: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted > 0n) return 'ACCEPTED';
  const kept = await findPayment(database, paymentId);
  if (kept === undefined) return 'PLAN_TAKEN';
  return isSame(kept, order) ? 'KNOWN' : 'OTHER';
}

function isSame(kept: PaymentOrder, order: PaymentOrder): boolean {
  const names = ['planId', 'corridorId', 'amountIn', 'minAmountOut', 'validUntilMs'] as const;
  return names.every((name) => kept[name] === order[name]);
}

/** The payment with an id; undefined when there is none. */
export async function findPayment(database: Database, paymentId: string): Promise<KeptPayment | undefined> {
  const row = await database
    .selectFrom('payments')
    .where('payment_id', '=', paymentId)
    .selectAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const found = await database
    .selectFrom('executions')
    .where('execution_id', 'like', `${paymentId.replace('_', '\\_')}\\_%`)
    .orderBy('accepted')
    .select('execution_id')
    .execute();
  const executions: KeptExecution[] = [];
  for (const { execution_id: id } of found) {
    const execution = await findExecution(database, id);
    if (execution !== undefined) executions.push(execution);
  }
  return {
    ...{ paymentId, executions, clientReference: row.client_reference, planId: row.plan_id },
    ...{ relayerId: row.relayer_id, corridorId: row.corridor_id, tokenIn: row.token_in },
    ...{ amountIn: BigInt(row.amount_in), isReserved: row.is_reserved },
    ...(row.min_amount_out !== null && { minAmountOut: BigInt(row.min_amount_out) }),
    ...(row.valid_until !== null && { validUntilMs: row.valid_until.getTime() }),
    ...(row.refusal !== null && { refusal: row.refusal }),
    ...(row.ended !== null && { ended: row.ended }),
  };
}

/** The payment that executes a plan; undefined when there is none. */
export async function findPaymentOfPlan(
  database: Database,
  planId: string,
): Promise<KeptPayment | undefined> {
  const row = await database
    .selectFrom('payments')
    .where('plan_id', '=', planId)
    .select('payment_id')
    .executeTakeFirst();
  return row && findPayment(database, row.payment_id);
}

/** The ids of payments of a relayer that have not ended, the oldest first. */
export async function openPayments(database: Database, relayerId: string): Promise<readonly string[]> {
  const rows = await database
    .selectFrom('payments')
    .where('relayer_id', '=', relayerId)
    .where('ended', 'is', null)
    .orderBy('accepted')
    .select('payment_id')
    .execute();
  return rows.map(({ payment_id: id }) => id);
}

/** Writes down why the calls of a payment are not signed now; undefined: nothing is against them. */
export async function notePayment(
  database: Database,
  paymentId: string,
  refusal: Refusal | undefined,
): Promise<void> {
  await database
    .updateTable('payments')
    .where('payment_id', '=', paymentId)
    .where('ended', 'is', null)
    .set({ refusal: refusal === undefined ? null : JSON.stringify(refusal) })
    .execute();
}

/** Ends a payment, and frees what was set aside for it. */
export async function endPayment(
  database: Database,
  paymentId: string,
  ended: 'PAID' | 'NOT_PAID',
  refusal?: Refusal,
): Promise<void> {
  await database
    .updateTable('payments')
    .where('payment_id', '=', paymentId)
    .set({ ended, is_reserved: false, refusal: refusal === undefined ? null : JSON.stringify(refusal) })
    .execute();
}

/** What is set aside of a relayer's token. */
export type SetAside = {
  readonly amount: bigint;
  /** The plans that hold it, the oldest first. */
  readonly planIds: readonly string[];
};

/** What is set aside of a token for all payments of a relayer but one. */
export async function readSetAside(
  database: Database,
  { relayerId, tokenIn, paymentId }: Pick<KeptPayment, 'relayerId' | 'tokenIn'> & { paymentId?: string },
): Promise<SetAside> {
  const rows = await database
    .selectFrom('payments')
    .where('relayer_id', '=', relayerId)
    .where('token_in', '=', tokenIn)
    .where('is_reserved', '=', true)
    .where('payment_id', '<>', paymentId ?? '')
    .orderBy('accepted')
    .select(['plan_id', 'amount_in'])
    .execute();
  return {
    amount: rows.reduce((sum, each) => sum + BigInt(each.amount_in), 0n),
    planIds: rows.map((each) => each.plan_id),
  };
}

/**
 * Sets the amount of a payment aside, of what is the relayer's own of the token. Where that is too little with what is set
 * aside for others, it gives the plans of these others.
 */
export async function reserve(
  database: Database,
  { paymentId, relayerId, tokenIn, amountIn }: KeptPayment,
  ownBalance: bigint,
): Promise<{ readonly isEnough: true } | { readonly isEnough: false; readonly planIds: readonly string[] }> {
  return database.transaction().execute(async (transaction) => {
    await lockRelayer(transaction, relayerId);
    const { amount, planIds } = await readSetAside(transaction, { relayerId, tokenIn, paymentId });
    if (amount + amountIn > ownBalance) return { isEnough: false, planIds };
    await transaction
      .updateTable('payments')
      .where('payment_id', '=', paymentId)
      .where('ended', 'is', null)
      .set({ is_reserved: true })
      .execute();
    return { isEnough: true };
  });
}

async function lockRelayer(transaction: Database, relayerId: string): Promise<void> {
  await transaction
    .selectFrom('relayers')
    .where('relayer_id', '=', relayerId)
    .select('relayer_id')
    .forUpdate()
    .execute();
}

/** The calls that a plan gave out for its swap. */
export type PlanAttempt = {
  readonly attemptId: string;
  readonly stepId: string;
  readonly grounds: Grounds;
  readonly calls: readonly Call[];
  readonly takes: Taking;
};

/** What stands in the way: an earlier execution that may still pay or has paid, or a limit. */
export type NotTaken = { readonly taken: false; readonly refusal?: PolicyRefusal };

/**
 * Takes the calls of a plan on, where nothing that was taken on before can still pay. One transaction, which locks the
 * payment: whoever comes second sees the first.
 */
export async function takeAttempt(
  database: Database,
  { paymentId, relayerId, validUntilMs }: KeptPayment,
  { attemptId, stepId, grounds, calls, takes }: PlanAttempt,
): Promise<{ readonly taken: true } | NotTaken> {
  class Refused extends Error {
    readonly refusal: PolicyRefusal;
    constructor(refusal: PolicyRefusal) {
      super();
      this.refusal = refusal;
    }
  }
  try {
    return await database.transaction().execute(async (transaction): Promise<{ taken: true } | NotTaken> => {
      await transaction
        .selectFrom('payments')
        .where('payment_id', '=', paymentId)
        .select('payment_id')
        .forUpdate()
        .executeTakeFirstOrThrow();
      const kept = await findPayment(transaction, paymentId);
      if (kept === undefined || kept.ended !== undefined || !mayTake(kept, attemptId))
        return { taken: false };
      const executionId = nextExecutionId(kept);
      await transaction
        .insertInto('executions')
        .values({
          ...{ execution_id: executionId, key: null, body_fingerprint: null, plan: null },
          ...{ grounds: JSON.stringify(groundsDocument(grounds)), attempt_id: attemptId, step_id: stepId },
        })
        .execute();
      await insertInstructions(transaction, executionId, {
        ...{ calls, relayerId },
        ...(validUntilMs !== undefined && { validUntilMs }),
      });
      const last = relayTransactionIdOf(executionId, calls.length - 1);
      const [refusal] = await takeSpending(transaction, last, takes);
      if (refusal !== undefined) throw new Refused(refusal);
      await transaction
        .updateTable('payments')
        .where('payment_id', '=', paymentId)
        .set({ refusal: null })
        .execute();
      return { taken: true };
    });
  } catch (error) {
    if (error instanceof Refused) return { taken: false, refusal: error.refusal };
    throw error;
  }
}

/** After a restore the journal may know a later execution, and none of those before. */
function nextExecutionId({ paymentId, executions }: KeptPayment): string {
  const numbers = executions.map(({ executionId }) => Number(executionId.slice(paymentId.length + 1)));
  return `${paymentId}_${Math.max(-1, ...numbers) + 1}`;
}

/** Nothing before can still pay. Calls that were reverted, or that the plan refused, are not tried again. */
function mayTake({ executions }: KeptPayment, attemptId: string): boolean {
  const transactions = executions.flatMap((each) => each.transactions);
  const isOver = transactions.every(({ outcome }) => outcome !== undefined);
  const hasPaid = executions.some((each) => paying(each).some(({ outcome }) => outcome?.as === 'CONFIRMED'));
  const hasFailed = executions.some(
    (each) => each.attemptId === attemptId && each.transactions.some(isFailed),
  );
  return isOver && !hasPaid && !hasFailed;
}

function isFailed({ outcome, refusal }: KeptTransaction): boolean {
  return outcome?.as === 'REVERTED' || refusal?.code === PLAN_REFUSED;
}

/** The plan did not take the report of a transaction, so that it was never sent. Its nonce was cancelled. */
export const PLAN_REFUSED = 'PLAN_REFUSED';

/** `approve(address,uint256)` */
const APPROVE = '0x095ea7b3';

/** Whether a call only lets the router take what the swap can take. */
export function isApproval({ data }: Pick<Call, 'data'>): boolean {
  return data.startsWith(APPROVE);
}

/** The transactions of an execution that pay: all but approvals. */
export function paying({ transactions }: KeptExecution): readonly KeptTransaction[] {
  return transactions.filter(({ call }) => !isApproval(call));
}
