import { cutText } from '@fairway/values';
import { TOO_LONG } from './longestAnswer.ts';

/** How much of a node's words is kept: longer ones are no explanation, and what reads them takes its time. */
const LONGEST_MESSAGE = 1_000;

/** The node answered, with a JSON-RPC error. `data` is the revert data of a failed call. */
export class RpcAnswerError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data: unknown) {
    super(cutText(String(message), LONGEST_MESSAGE));
    this.name = 'RpcAnswerError';
    this.code = code;
    this.data = data;
  }
}

/** The error code of a reverted call; some nodes use others, but then send the revert's data. */
const REVERTED = 3;

/**
 * What a reverted call returned, `0x` when nothing is known of it. Undefined when the error is no revert: some nodes
 * explain other errors in words in this place.
 */
export function revertData({ code, data }: RpcAnswerError): string | undefined {
  if (typeof data === 'string') {
    const [hex] = /0x(?:[0-9a-f]{2})+$/i.exec(data) ?? [];
    // Nethermind and OpenEthereum write a word before it.
    if (hex !== undefined && /^(?:Reverted )?$/.test(data.slice(0, -hex.length))) return hex;
  }
  return code === REVERTED ? '0x' : undefined;
}

/**
 * The node gave no answer. The message is for the operator's log: it names the kind of failure, never a URL (it may hold
 * a key).
 */
export class RpcUnreachableError extends Error {
  constructor(reason: string) {
    super(
      `The node gives no answer (${reason}). Check that it runs, and that this machine reaches it under its configured URL.`,
    );
    this.name = 'RpcUnreachableError';
  }
}

/**
 * The node limits how often it may be asked, and it was asked for as long as there was time. `limit`: how it said so, such
 * as "HTTP 429". `pauseMs`: how long it wants not to be asked, where it said that.
 */
export class RpcBusyError extends RpcUnreachableError {
  readonly pauseMs: number | undefined;
  constructor(limit: string, pauseMs?: number) {
    super('');
    this.name = 'RpcBusyError';
    this.pauseMs = pauseMs;
    this.message = `The node limits how often it is asked (${limit}). It is asked again as often as it bears; a plan with a higher limit, or another URL of it, makes this quicker.`;
  }
}

/** The node's answer was too long to be read, and would be the next time. */
export class AnswerTooLongError extends RpcUnreachableError {
  constructor() {
    super(TOO_LONG);
    this.name = 'AnswerTooLongError';
  }
}

/** Fewer nodes answered than must say the same. The message names those without an answer, for the operator's log. */
export class TooFewNodesError extends RpcUnreachableError {
  constructor(agreement: number, silent: readonly string[], busy: readonly string[] = []) {
    super('');
    this.name = 'TooFewNodesError';
    const reasons = [
      silent.length === 0
        ? ''
        : ` No answer came from: ${silent.join(', ')}. Check that each of them runs, and that this machine reaches it.`,
      busy.length === 0 ? '' : ` These limit how often they are asked: ${busy.join(', ')}.`,
    ];
    this.message = `Fewer than ${agreement} nodes answer, and ${agreement} must say the same.${reasons.join('')}`;
  }
}

/** The node no longer knows a block that it has named: a reorg is under way, and the next head shows its outcome. */
export class BlockGoneError extends Error {
  constructor() {
    super('the node has dropped a block it named before');
    this.name = 'BlockGoneError';
  }
}

/** A node answered what cannot be true or cannot be read, such as a log of another block. */
export class NodeNonsenseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeNonsenseError';
  }
}

/** What one node said, by the node's configured name. `said` is a short text without URL. */
export type NodeSaid = { readonly node: string; readonly said: string };

/**
 * The nodes contradict each other, and too few say the same. The message is for callers and names no node; `said`
 * is for the operator.
 */
export class NodesDisagreeError extends Error {
  readonly method: string;
  readonly said: readonly NodeSaid[];
  constructor(method: string, said: readonly NodeSaid[]) {
    super('The nodes of this chain contradict each other');
    this.name = 'NodesDisagreeError';
    this.method = method;
    this.said = said;
  }
}
