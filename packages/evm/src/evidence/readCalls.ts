import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { AnswerTooLongError, NodeNonsenseError, RpcAnswerError } from '../rpc/errors.ts';
import type { Hash } from './nodeFields.ts';
import { standingCalls, type Trace } from './standingCalls.ts';
import type { TokenTransfer } from './tokenTransfer.ts';

/** A call of a transaction that took effect: neither the call nor one around it was reverted. */
export type StandingCall = {
  readonly to: Address;
  readonly input: `0x${string}`;
  /** The ERC-20 transfers made in the call, directly or through further calls. */
  readonly transfers: readonly TokenTransfer[];
};

/** What must be known of a transaction to find its calls. */
export type TracedTransaction = {
  readonly txHash: Hash;
  readonly transfers: readonly TokenTransfer[];
  /** How many logs it wrote, and the index of the first in its block. */
  readonly logCount: number;
  readonly firstLogIndex: number;
};

/** An answer about a trace that stays the same when it is asked for again. */
const UNTRACEABLE = [RpcAnswerError, NodeNonsenseError, AnswerTooLongError];

/**
 * The calls of a transaction in their order, from geth's callTracer. UNTRACEABLE: the node offers no traces, none of
 * so old a transaction, or another format. Or the trace is too long to be read, or does not fit the transaction that
 * was read.
 * @throws RpcUnreachableError, NodesDisagreeError
 *
 * @example
 * ```ts
 * import { readCalls, readTransaction, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const txHash: `0x${string}`;
 *
 * const transaction = await readTransaction(request, txHash);
 * if (transaction.found === 'MINED') {
 *   const calls = await readCalls(request, transaction);
 *   if (calls !== 'UNTRACEABLE') console.log(calls.map(({ to, input }) => [to, input]));
 * }
 * ```
 */
export async function readCalls(
  request: RpcRequest,
  transaction: TracedTransaction,
): Promise<readonly StandingCall[] | 'UNTRACEABLE'> {
  const params = [transaction.txHash, CALL_TRACER];
  const trace = await request({ method: 'debug_traceTransaction', params }).catch((cause: unknown) => {
    if (UNTRACEABLE.some((kind) => cause instanceof kind)) return undefined;
    throw cause;
  });
  return callsIn(trace, transaction);
}

/** How calls are asked for, each with its logs. */
export const CALL_TRACER = { tracer: 'callTracer', tracerConfig: { withLog: true } };

/** The calls that a trace shows. UNTRACEABLE: it cannot be read, or does not fit the transaction. */
export function callsIn(
  trace: unknown,
  { transfers, logCount, firstLogIndex }: Omit<TracedTransaction, 'txHash'>,
): readonly StandingCall[] | 'UNTRACEABLE' {
  const read = readTrace(trace);
  if (read === undefined) return 'UNTRACEABLE';
  const { calls, emitters } = read;
  const emitterOf = ({ logIndex }: TokenTransfer) => emitters[logIndex - firstLogIndex];
  // Logs of a trace are identified by their order alone, so it has to be the order of the receipt.
  if (emitters.length !== logCount || transfers.some((transfer) => emitterOf(transfer) !== transfer.token))
    return 'UNTRACEABLE';
  return calls.map(({ to, input, firstLog, endLog }) => {
    const isMadeBy = ({ logIndex }: TokenTransfer) =>
      logIndex - firstLogIndex >= firstLog && logIndex - firstLogIndex < endLog;
    return { to, input, transfers: transfers.filter(isMadeBy) };
  });
}

/** Undefined for a trace that leaves out what is needed here: such a node is treated like one without traces. */
function readTrace(trace: unknown): Trace | undefined {
  try {
    return standingCalls(trace);
  } catch {
    return undefined;
  }
}
