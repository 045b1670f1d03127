import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Outcome, refuse, tryLater } from '@fairway/api';
import type { Call, Hex } from '@fairway/relay';
import { limitOf, ProblemError, UnknownProblemError, UnsafeAnswerError } from '@fairway/sdk';
import { type CheckedCall, checkSwapPlan } from '@fairway/sdk/execution';
import type { SwapPlan, Swaps } from '@fairway/sdk/swaps';
import type { Problem } from '@fairway/wire';
import { acceptExecution, executionIdOf } from '../../platform/database/executions.ts';
import { createRelayStore } from '../../platform/database/relayStore.ts';
import type { Database } from '../../platform/database/schema.ts';
import { findExecution, type KeptExecution } from '../../platform/database/transactions.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import { readExecution, type Relayers } from './chainFacts.ts';
import { hasEnded } from './receipts.ts';
import { readSwapOrder, type SwapOrder } from './swapRequest.ts';

/** What executions work with. */
export type ExecutionParts = {
  readonly database: Database;
  readonly relayers: Relayers;
  /** The service: what it answers is checked before anything is signed. */
  readonly swaps: Swaps;
};

/** A request to execute a swap. */
export type ExecuteRequest = {
  readonly key: string | undefined;
  readonly body: Uint8Array;
  /** How long to wait for the end. */
  readonly waitMs: number;
  /** Aborts when the caller has gone. */
  readonly ended: AbortSignal;
};

/** Taken on: by now it is durable. */
type Taken = { readonly executionId: string; readonly isReplayed: boolean };

/** The service has refused the request. Its problem is answered as it came. */
export type Passed = { readonly ok: false; readonly passed: Problem & { readonly status: number } };

const KEY = /^[\x20-\x7e]{1,128}$/;
/** How often it is looked whether an execution has ended that a caller waits for. */
const LOOK_MS = 200;
/** How long a swap can be executed where the request names no deadline. */
const LIFE_MS = 20 * 60_000;

/** Takes a swap on, once for its key. The same key again is the same execution. */
export async function takeSwap(
  parts: ExecutionParts,
  { key, body }: Pick<ExecuteRequest, 'key' | 'body'>,
): Promise<Outcome<Taken> | Passed> {
  if (key === undefined || !KEY.test(key)) {
    const detail = 'Send an Idempotency-Key of 1 to 128 printable ASCII characters.';
    return refuse({ code: 'idempotency-key-required', detail });
  }
  const order = readSwapOrder(body, [...parts.relayers.values()]);
  if (!order.ok) return order;
  const executionId = executionIdOf(key);
  const known = await findExecution(parts.database, executionId);
  if (known !== undefined) return replayed(known, order.value, key);
  const disabled = await disabledProblem(parts.database, order.value.relayer);
  if (disabled !== undefined) return disabled;
  return planAndAccept(parts, key, order.value);
}

/** What is known of a key is answered, and nothing is planned anew. */
function replayed(
  { executionId, bodyFingerprint }: KeptExecution,
  order: SwapOrder,
  key: string,
): Outcome<Taken> {
  if (bodyFingerprint === undefined) {
    const detail = `Execution ${executionId} of this key is known from the journal alone; GET /relay/executions/${executionId} says what became of it.`;
    return refuse({ code: 'reconcile-first', detail });
  }
  if (bodyFingerprint.equals(order.fingerprint))
    return { ok: true, value: { executionId, isReplayed: true } };
  const detail = `The key ${key} is of execution ${executionId}, whose request was another one. Nothing was executed for this one.`;
  return refuse({ code: 'idempotency-key-reused', detail });
}

async function disabledProblem(database: Database, { relayerId }: Relayer) {
  const { relayer } = await createRelayStore(database).read(relayerId);
  if (relayer.disabled === undefined) return undefined;
  const detail = `Relayer ${relayerId} is disabled (${relayer.disabled}). Nothing is executed until an operator has reconciled it.`;
  return refuse({ code: 'reconcile-first', detail });
}

async function planAndAccept(
  { database, swaps }: ExecutionParts,
  key: string,
  order: SwapOrder,
): Promise<Outcome<Taken> | Passed> {
  const planned = await planSwap(swaps, order);
  if (!planned.ok) return planned;
  const { plan, calls } = planned;
  const { relayer, fingerprint } = order;
  const execution = { key, bodyFingerprint: fingerprint, relayerId: relayer.relayerId, plan, calls };
  const accepted = await acceptExecution(database, execution);
  relayer.wake();
  if (accepted.state !== 'KEY_REUSED')
    return {
      ok: true,
      value: { executionId: accepted.executionId, isReplayed: accepted.state === 'KNOWN' },
    };
  // Another request with the key was faster.
  const known = await findExecution(database, accepted.executionId);
  if (known === undefined) throw new Error(`Execution ${accepted.executionId} is gone.`);
  return replayed(known, order, key);
}

type Planned = { readonly ok: true; readonly plan: SwapPlan; readonly calls: readonly Call[] };

/** Asks the service, and checks its answer against the request. */
async function planSwap(
  swaps: Swaps,
  order: SwapOrder,
): Promise<Planned | Extract<Outcome<never>, { ok: false }> | Passed> {
  try {
    const plan = await swaps.plan(order.trade);
    const calls = await checkedCalls(plan, order);
    return { ok: true, plan, calls: calls.map((call, index) => callOf(call, plan, order, index)) };
  } catch (error) {
    if (error instanceof ProblemError || error instanceof UnknownProblemError)
      return { ok: false, passed: { ...error.problem, status: error.status } };
    if (error instanceof UnsafeAnswerError) {
      const detail = `${error.reason}: ${error.message}`;
      return refuse({ code: 'unsafe-answer', detail });
    }
    if (error instanceof Error && SERVICE_AWAY.has(error.name))
      return refuse(tryLater('upstream-unavailable', 'The service does not answer at the moment.', 2));
    throw error;
  }
}

/** The errors of the SDK where there is no answer, or none that can be read. */
const SERVICE_AWAY: ReadonlySet<string> = new Set(['ConnectionError', 'TimeoutError', 'AnswerError']);

function checkedCalls(plan: SwapPlan, { relayer, trade, bound }: SwapOrder): Promise<readonly CheckedCall[]> {
  const quoted = limitOf({ ...plan.quote, tradeType: trade.tradeType }, trade.slippageBps);
  const given = trade.tradeType === 'EXACT_IN' ? 'minAmountOut' : 'maxAmountIn';
  const limit = bound === undefined ? quoted : ({ [given]: bound } as typeof quoted);
  return checkSwapPlan(checkerOf(relayer), plan, { trade, limit, router: relayer.router });
}

/** The relayer as the check sees it: its address, and the node's own view of the chain. */
function checkerOf({ address, request }: Relayer) {
  return {
    address,
    async latestSeconds() {
      const block = await request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
      const seconds = BigInt((block as { readonly timestamp: string }).timestamp);
      // A chain without new blocks stands still, and the deadline does not.
      const now = BigInt(Math.floor(Date.now() / 1000));
      return seconds > now ? seconds : now;
    },
    async read(to: string, data: string) {
      return (await request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as string;
    },
  };
}

function callOf(
  { to, data, value }: CheckedCall,
  { instructions = [] }: SwapPlan,
  { relayer, deadlineMs }: SwapOrder,
  index: number,
): Call {
  const said = Date.parse(instructions[index]?.constraints.notAfter ?? '');
  const notAfterMs = deadlineMs ?? (Number.isNaN(said) ? Date.now() + LIFE_MS : said);
  return {
    ...{ chainId: relayer.chainId, sender: relayer.address, data, valueWei: value, notAfterMs },
    to: to.toLowerCase() as Hex,
  };
}

/** The answer of an execution, once it has ended or the time is over. */
export async function answerOf(
  { database, relayers }: ExecutionParts,
  { executionId, isReplayed }: Taken,
  { waitMs, ended }: Pick<ExecuteRequest, 'waitMs' | 'ended'>,
): Promise<Answer<object>> {
  const untilMs = performance.now() + waitMs;
  for (;;) {
    const kept = await findExecution(database, executionId);
    if (kept === undefined) throw new Error(`Execution ${executionId} is gone.`);
    if (hasEnded(kept) || ended.aborted || performance.now() >= untilMs) {
      const body = { ...kept.plan, ...(await readExecution(relayers, kept)) };
      return { ok: true, body, ...(isReplayed && { headers: { 'idempotent-replayed': 'true' } }) };
    }
    await sleep(LOOK_MS);
  }
}
