import type { Address } from '@fairway/engine';
import { fieldsOf, listOf, toAccount, toBytes, toCount } from './nodeFields.ts';

/** What a trace shows. `emitters` holds the contract of each log of the transaction. */
export type Trace = { readonly calls: readonly Frame[]; readonly emitters: readonly Address[] };

/** A call, and which of the transaction's logs were written in it: from `firstLog` up to, not including, `endLog`. */
export type Frame = {
  readonly to: Address;
  readonly input: `0x${string}`;
  readonly firstLog: number;
  readonly endLog: number;
};

/**
 * The calls of geth's callTracer that were not undone, and the contract that wrote each log, in the order of execution.
 * @throws for a trace that leaves out what is needed here.
 */
export function standingCalls(trace: unknown): Trace {
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
