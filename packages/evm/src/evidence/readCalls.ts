import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/rpcErrors.ts';
import { fieldsOf, type Hash, listOf, toAccount, toBytes, toCount } from './nodeFields.ts';
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

/**
 * The calls of a transaction in their order, from geth's callTracer. UNTRACEABLE: the node offers no traces, or none
 * of so old a transaction, or has another format, or its trace does not fit the transaction that was read.
 * @throws RpcUnreachableError
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
  const options = { tracer: 'callTracer', tracerConfig: { withLog: true } };
  const params = [transaction.txHash, options];
  const trace = await request({ method: 'debug_traceTransaction', params }).catch((cause: unknown) => {
    if (cause instanceof RpcAnswerError) return undefined;
    throw cause;
  });
  const read = readTrace(trace);
  if (read === undefined) return 'UNTRACEABLE';
  const { calls, emitters } = read;
  const { transfers, logCount, firstLogIndex } = transaction;
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

type Trace = { readonly calls: readonly Frame[]; readonly emitters: readonly Address[] };

/** Undefined for a trace that leaves out what is needed here: such a node is treated like one without traces. */
function readTrace(trace: unknown): Trace | undefined {
  try {
    return standingCalls(trace);
  } catch {
    return undefined;
  }
}

/** A call, and which of the transaction's logs were written in it: from `firstLog` up to, not including, `endLog`. */
type Frame = Pick<StandingCall, 'to' | 'input'> & { readonly firstLog: number; readonly endLog: number };

/** The calls of a trace, and the contract that wrote each log, in the order of execution. */
function standingCalls(trace: unknown): Trace {
  const calls: Frame[] = [];
  const emitters: Address[] = [];
  const visit = (call: unknown) => {
    const { type, to, input, error, calls: inner = [], logs = [] } = fieldsOf(call, 'call');
    // A failed call is undone, with all calls in it.
    if (error !== undefined) return;
    const place = calls.length;
    const firstLog = emitters.length;
    const further = listOf(inner, 'list of calls');
    const written = listOf(logs, 'list of logs').map((log) => {
      const { address, position } = fieldsOf(log, 'log');
      return { address: toAccount(address), position: toCount(position) };
    });
    // The position of a log is the number of calls made before it.
    for (let made = 0; made <= further.length; made += 1) {
      for (const { address, position } of written) if (position === made) emitters.push(address);
      if (made < further.length) visit(further[made]);
    }
    // A DELEGATECALL runs another contract's code in this contract's name: it is not a call of the other contract.
    if (type === 'CALL')
      calls.splice(place, 0, { to: toAccount(to), input: toBytes(input), firstLog, endLog: emitters.length });
  };
  visit(trace);
  return { calls, emitters };
}
