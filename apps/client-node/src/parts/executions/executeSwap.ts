import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, invalidFields, type Outcome, refuse, timestampOf, tryLater } from '@fairway/api';
import type { Asked } from '@fairway/policies';
import type { Call, Hex } from '@fairway/relay';
import { ProblemError, UnknownProblemError } from '@fairway/sdk';
import type { CheckedCall, GivenCall } from '@fairway/sdk/checks';
import type { SwapPlan, SwapRequest, Swaps } from '@fairway/sdk/swaps';
import type { Problem } from '@fairway/wire';
import { areNodesAway } from '../../platform/chains/connectChain.ts';
import { acceptExecution, executionIdOf } from '../../platform/database/executions.ts';
import { readSetAside } from '../../platform/database/payments.ts';
import type { Database } from '../../platform/database/schema.ts';
import { findExecution, type KeptExecution } from '../../platform/database/transactions.ts';
import { balanceShort } from '../../platform/relaying/balanceShort.ts';
import { latestSeconds, tokenBalanceOf } from '../../platform/relaying/callFacts.ts';
import type { Relayer } from '../../platform/relaying/relayer.ts';
import { readExecution, type Relayers } from './chainFacts.ts';
import { hasEnded } from '../../platform/database/receipts.ts';
import { withServiceHints } from './serviceHints.ts';
import { callsIn, limitProblem, refusalProblem, saidOf, UNREADABLE } from './swapAnswer.ts';
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
  /** The keys that it was sent with: it must be one. */
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  /** How long to wait for the end. */
  readonly waitMs: number;
  /** Aborts when the caller has gone. */
  readonly ended: AbortSignal;
};

/** The chain cannot be asked now. Nothing was taken on. */
export const NODES_AWAY = refuse(
  tryLater('upstream-unavailable', 'The nodes of the chain do not answer alike now.', 2),
);

/** Taken on: by now it is durable. */
type Taken = { readonly executionId: string; readonly isReplayed: boolean };

/** The service has refused the request. Its problem is answered as it came. */
export type Passed = { readonly ok: false; readonly passed: Problem & { readonly status: number } };

const KEY = /^[\x20-\x7e]{1,128}$/;
/** How often it is looked whether an execution has ended that a caller waits for. */
const LOOK_MS = 200;
/** How long a swap can be executed where the request names no deadline. */
const LIFE_SECONDS = 20 * 60;

/** Takes a swap on, once for its key. The same key again is the same execution. */
export async function takeSwap(
  parts: ExecutionParts,
  { keys: [key, ...others], body }: Pick<ExecuteRequest, 'keys' | 'body'>,
): Promise<Outcome<Taken> | Passed> {
  if (key === undefined || others.length > 0 || !KEY.test(key)) {
    const detail = 'Send one Idempotency-Key of 1 to 128 printable ASCII characters.';
    return refuse({ code: 'idempotency-key-required', detail });
  }
  const order = readSwapOrder(body, [...parts.relayers.values()]);
  if (!order.ok) return withServiceHints(parts.swaps, body, order);
  const executionId = executionIdOf(key);
  const known = await findExecution(parts.database, executionId);
  if (known !== undefined) return replayed(known, order.value, key);
  if (order.value.relayer.state() === 'STARTING') return NODES_AWAY;
  const disabled = await disabledProblem(parts.database, order.value.relayer);
  if (disabled !== undefined) return disabled;
  try {
    return await planAndAccept(parts, key, order.value);
  } catch (error) {
    if (!areNodesAway(error)) throw error;
    return NODES_AWAY;
  }
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
  const { disabled } = await database
    .selectFrom('relayers')
    .where('relayer_id', '=', relayerId)
    .select('disabled')
    .executeTakeFirstOrThrow();
  if (disabled === null) return undefined;
  const detail = `Relayer ${relayerId} is disabled (${disabled}). Nothing is executed until an operator has reconciled it.`;
  return refuse({ code: 'reconcile-first', detail });
}

async function planAndAccept(
  { database, swaps }: ExecutionParts,
  key: string,
  order: SwapOrder,
): Promise<Outcome<Taken> | Passed> {
  const { relayer, fingerprint } = order;
  const timed = await withDeadline(order);
  if (!timed.ok) return timed;
  const planned = await planSwap(swaps, timed.value.trade);
  if (!planned.ok) return planned;
  const { plan, calls } = planned;
  const { asked } = timed.value;
  const grounds = { asked, said: saidOf(plan) };
  const judged = await relayer.judgeNew({ ...grounds, calls }, executionIdOf(key));
  if (!judged.allowed)
    return refuse(limitProblem(plan, asked, judged.refusals) ?? refusalProblem(judged.refusals));
  const short = await shortProblem(database, relayer, asked.tokenIn, judged.takes.spending.amount);
  if (short !== undefined) return short;
  const accepted = await acceptExecution(database, {
    ...{ key, bodyFingerprint: fingerprint, relayerId: relayer.relayerId, plan, grounds },
    calls: judged.calls.map((call) => callOf(call, asked)),
    takes: judged.takes,
  });
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

/** A swap does not take what is set aside for payments. */
async function shortProblem(database: Database, relayer: Relayer, token: string, needs: bigint) {
  const { relayerId, request, address } = relayer;
  const { amount, planIds } = await readSetAside(database, { relayerId, tokenIn: token });
  if (amount === 0n) return undefined;
  const balance = await tokenBalanceOf(request, token, address);
  if (amount + needs <= balance) return undefined;
  const { code, detail } = await balanceShort(relayer, { what: 'swap', token, balance, needs, planIds });
  return refuse({ code: 'policy-refused', detail: `${code}: ${detail} Nothing was signed.` });
}

/** An order with the time after which nothing of it can be executed any more. */
async function withDeadline({
  relayer,
  trade,
  asked,
  deadlineMs,
  validUntilMs,
}: SwapOrder): Promise<Outcome<Pick<SwapOrder, 'trade' | 'asked'>>> {
  const { request, chainId } = relayer;
  const { maxLifeSec } = relayer.chainPolicy;
  const nowSeconds = Number(await latestSeconds(request));
  const wanted = deadlineMs === undefined ? undefined : Math.floor(deadlineMs / 1000);
  if (wanted !== undefined && wanted > nowSeconds + maxLifeSec) {
    const detail = `deadline must be at most ${maxLifeSec} s from now: the rule chains.${chainId}.maxLifeSec of the node's policy says so.`;
    return refuse(invalidFields([{ pointer: '/deadline', detail }]));
  }
  const until = validUntilMs === undefined ? Infinity : Math.floor(validUntilMs / 1000);
  if (until <= nowSeconds)
    return refuse(invalidFields([{ pointer: '/validUntil', detail: 'validUntil must be in the future.' }]));
  const last = Math.min(wanted ?? nowSeconds + Math.min(LIFE_SECONDS, maxLifeSec), until);
  const value = {
    trade: { ...trade, deadline: timestampOf(last * 1000) },
    asked: { ...asked, notAfterSeconds: BigInt(last) },
  };
  return { ok: true, value };
}

type Planned = {
  readonly ok: true;
  readonly plan: SwapPlan;
  readonly calls: readonly GivenCall[];
};

/** Asks the service. Nothing of its answer is believed. */
async function planSwap(
  swaps: Swaps,
  trade: SwapRequest,
): Promise<Planned | Extract<Outcome<never>, { ok: false }> | Passed> {
  try {
    const plan = await swaps.plan(trade);
    const calls = callsIn(plan);
    return calls === undefined ? refuse(UNREADABLE) : { ok: true, plan, calls };
  } catch (error) {
    if (error instanceof ProblemError || error instanceof UnknownProblemError)
      return { ok: false, passed: { ...error.problem, status: error.status } };
    if (error instanceof Error && SERVICE_AWAY.has(error.name))
      return refuse(tryLater('upstream-unavailable', 'The service does not answer at the moment.', 2));
    throw error;
  }
}

/** The errors of the SDK where there is no answer, or none that can be read. */
const SERVICE_AWAY: ReadonlySet<string> = new Set(['ConnectionError', 'TimeoutError', 'AnswerError']);
function callOf({ to, data, value }: CheckedCall, { chainId, sender, notAfterSeconds }: Asked): Call {
  return {
    ...{ chainId, sender: sender as Hex, to: to.toLowerCase() as Hex, data, valueWei: value },
    ...(notAfterSeconds !== undefined && { notAfterMs: Number(notAfterSeconds) * 1000 }),
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
