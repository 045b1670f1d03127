import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Outcome, referenceReused, refuse, tryLater } from '@fairway/api';
import { isFairwayError, ProblemError, UnknownProblemError } from '@fairway/sdk';
import type { PaymentPlan, Payments } from '@fairway/sdk/payments';
import type { ExecutionReading } from '@fairway/wire';
import {
  findPayment,
  findPaymentOfPlan,
  keepPayment,
  paymentIdOf,
} from '../../platform/database/payments.ts';
import type { Database } from '../../platform/database/schema.ts';
import {
  type ExecuteRequest,
  NODES_AWAY,
  type Passed,
  readPayment,
  type Relayers,
} from '../executions/index.ts';
import { type ReadPayment, readPaymentOrder } from './paymentRequest.ts';

/** What payments work with. */
export type PaymentParts = {
  readonly database: Database;
  readonly relayers: Relayers;
  readonly payments: Payments;
  /** Says that a relayer has something to do. */
  wake(relayerId: string): void;
};

/** Taken on: by now it is durable. */
type TakenPayment = {
  readonly paymentId: string;
  readonly plan: PaymentPlan;
  readonly isReplayed: boolean;
};

const LOOK_MS = 200;
/** An id that can be kept, and be part of a path. */
const PLAN_ID = /^[\w-]{1,128}$/;

/**
 * Has the service make a plan, and takes its execution on, once for its clientReference. The same request again is the
 * same plan and the same execution. The service compares the requests, the recipient included.
 */
export async function takePayment(
  { database, relayers, payments, wake }: PaymentParts,
  { body }: Pick<ExecuteRequest, 'body'>,
): Promise<Outcome<TakenPayment> | Passed> {
  const all = [...relayers.values()];
  let read = readPaymentOrder(body, all);
  if (!read.ok) return read;
  const known = await findPayment(database, paymentIdOf(read.value.order.clientReference));
  const first = known && relayers.get(known.relayerId);
  // Who asked before meets the relayer of then, also where the configuration has another first one by now.
  if (first !== undefined) read = readPaymentOrder(body, [first, ...all.filter((each) => each !== first)]);
  if (!read.ok) return read;
  const { order, request } = read.value;
  if (relayers.get(order.relayerId)?.state() === 'STARTING') return NODES_AWAY;
  let plan: PaymentPlan;
  try {
    plan = await payments.create(request);
  } catch (error) {
    const isReused = error instanceof ProblemError && error.code === 'client-reference-reused';
    const reused = isReused ? await reusedProblem(payments, read.value, known?.planId) : undefined;
    if (reused !== undefined) return reused;
    if (error instanceof ProblemError || error instanceof UnknownProblemError)
      return { ok: false, passed: { ...error.problem, status: error.status } };
    if (!isFairwayError(error)) throw error;
    return refuse(tryLater('upstream-unavailable', 'The service does not answer at the moment.', 2));
  }
  const { planId } = Object(plan) as { planId?: unknown };
  if (typeof planId !== 'string' || !PLAN_ID.test(planId))
    return refuse({ code: 'unsafe-answer', detail: 'ANSWER_CALLDATA: the answer has no plan.' });
  const state = await keepPayment(database, { ...order, planId });
  if (state === 'PLAN_TAKEN') {
    const detail =
      'ANSWER_CALLDATA: the answer has the plan of another payment. Nothing was executed for this one.';
    return refuse({ code: 'unsafe-answer', detail });
  }
  if (state === 'OTHER') {
    const detail = `The clientReference ${order.clientReference} is of a payment whose request was another one. Nothing was executed for this one.`;
    return refuse({ code: 'idempotency-key-reused', detail });
  }
  wake(order.relayerId);
  const paymentId = paymentIdOf(order.clientReference);
  return { ok: true, value: { paymentId, plan, isReplayed: state === 'KNOWN' } };
}

/**
 * Names the plan that has a reference, and what can be done. Undefined where it cannot be found. `executedPlanId`: the
 * plan that the node executes for it.
 */
async function reusedProblem(
  payments: Pick<Payments, 'list'>,
  { order: { clientReference }, request }: ReadPayment,
  executedPlanId: string | undefined,
): Promise<ReturnType<typeof referenceReused> | undefined> {
  const name = JSON.stringify(clientReference);
  if (executedPlanId !== undefined)
    return referenceReused(
      `clientReference ${name} is of plan ${executedPlanId}, which is executed for another request. Send its body again to see it, and this one under a reference of its own.`,
    );
  try {
    for await (const { planId } of payments.list({ clientReference }))
      return referenceReused(
        `clientReference ${name} made plan ${planId} by another request, so that the plan is not executed. An execution names options.sender, here ${request.options.sender}. End that plan (POST /v1/payments/${planId}/end), and send this request under a new reference. A plan whose options.sender was this relayer is executed by the same body.`,
      );
  } catch (error) {
    if (!isFairwayError(error)) throw error;
  }
  return undefined;
}

/** The answer of a payment, once the node's part has ended or the time is over. */
export async function paymentAnswer(
  { database, relayers, payments }: PaymentParts,
  { paymentId, plan, isReplayed }: TakenPayment,
  { waitMs, ended }: Pick<ExecuteRequest, 'waitMs' | 'ended'>,
): Promise<Answer<object>> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const kept = await findPayment(database, paymentId);
    if (kept === undefined) throw new Error(`Payment ${paymentId} is gone.`);
    const isOver = kept.ended !== undefined || ended.aborted || performance.now() >= untilMs;
    if (isOver) {
      const now = waitMs > 0 ? await planNow(payments, plan) : plan;
      const body = { ...now, ...(await readPayment(relayers, kept)) };
      return { ok: true, body, ...(isReplayed && { headers: { 'idempotent-replayed': 'true' } }) };
    }
    await sleep(LOOK_MS);
  }
}

/** What was executed for a plan; undefined where the node does not execute it. */
export async function readingOfPlan(
  { database, relayers }: Pick<PaymentParts, 'database' | 'relayers'>,
  planId: string,
): Promise<ExecutionReading | undefined> {
  const kept = await findPaymentOfPlan(database, planId);
  return kept && readPayment(relayers, kept);
}

/** The plan as it is by now; as it was where the service is away. */
function planNow(payments: Payments, plan: PaymentPlan): Promise<PaymentPlan> {
  return payments.get(plan.planId).catch(() => plan);
}
