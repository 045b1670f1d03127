import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/rpcErrors.ts';
import { fieldsOf, type Hash, listOf, toAccount, toBytes, toCount } from './nodeFields.ts';
import type { TokenTransfer } from './tokenTransfer.ts';

/** A call that a transaction made and that stood: neither it nor one around it was undone. */
export type StandingCall = {
  readonly to: Address;
  readonly input: `0x${string}`;
  /** The ERC-20 transfers that it made, itself or through further calls. */
  readonly transfers: readonly TokenTransfer[];
};

/** A transaction as it was read, as far as its calls are found by it. */
export type TracedTransaction = {
  readonly txHash: Hash;
  readonly transfers: readonly TokenTransfer[];
  /** How many logs it wrote, and the place of the first in its block. */
  readonly logCount: number;
  readonly firstLogIndex: number;
};

/**
 * The calls that a transaction made, in their order, as geth's callTracer tells them. UNTRACEABLE: the node offers no
 * traces, or not of so old a transaction, or tells them otherwise, or its trace is not of the transaction that was read.
 * @throws RpcUnreachableError
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
  // Logs are told apart by their order alone, so it has to be the receipt's.
  if (emitters.length !== logCount || transfers.some((transfer) => emitterOf(transfer) !== transfer.token))
    return 'UNTRACEABLE';
  return calls.map(({ to, input, firstLog, endLog }) => {
    const isMadeBy = ({ logIndex }: TokenTransfer) =>
      logIndex - firstLogIndex >= firstLog && logIndex - firstLogIndex < endLog;
    return { to, input, transfers: transfers.filter(isMadeBy) };
  });
}

type Trace = { readonly calls: readonly Frame[]; readonly emitters: readonly Address[] };

/** Nodes differ in what they tell of a trace; one that leaves out what is needed here is no worse than one without. */
function readTrace(trace: unknown): Trace | undefined {
  try {
    return standingCalls(trace);
  } catch {
    return undefined;
  }
}

/** A call, and which of the transaction's logs were written in it: from the first to before the end. */
type Frame = Pick<StandingCall, 'to' | 'input'> & { readonly firstLog: number; readonly endLog: number };

/** The calls of a trace, and which contract wrote each log, both in the order of execution. */
function standingCalls(trace: unknown): Trace {
  const calls: Frame[] = [];
  const emitters: Address[] = [];
  const visit = (call: unknown) => {
    const { type, to, input, error, calls: inner = [], logs = [] } = fieldsOf(call, 'call');
    // What it did is undone, and what it called with it.
    if (error !== undefined) return;
    const place = calls.length;
    const firstLog = emitters.length;
    const further = listOf(inner, 'list of calls');
    const written = listOf(logs, 'list of logs').map((log) => {
      const { address, position } = fieldsOf(log, 'log');
      return { address: toAccount(address), position: toCount(position) };
    });
    // A log's position is how many calls were made before it.
    for (let made = 0; made <= further.length; made += 1) {
      for (const { address, position } of written) if (position === made) emitters.push(address);
      if (made < further.length) visit(further[made]);
    }
    // Code that is borrowed (DELEGATECALL) is no call of the contract that lends it.
    if (type === 'CALL')
      calls.splice(place, 0, { to: toAccount(to), input: toBytes(input), firstLog, endLog: emitters.length });
  };
  visit(trace);
  return { calls, emitters };
}
