import type { RpcCall } from './endpoint.ts';
import { revertData, type RpcAnswerError } from './errors.ts';

/**
 * What a node means with an error.
 * BUSY: it would answer later; it limits how often it may be asked.
 * FORM_UNKNOWN: it offers no such method, or not in this form; another node may.
 * BLOCK_UNKNOWN: it does not have the block, or not the state of the block; another node may.
 * TOO_LARGE: it answers smaller questions of this kind.
 * FINAL: the chain's own answer; every node would say it.
 * OTHER: not known; another node may answer.
 */
export type Refusal = 'BUSY' | 'FORM_UNKNOWN' | 'BLOCK_UNKNOWN' | 'TOO_LARGE' | 'FINAL' | 'OTHER';

const METHOD_MISSING = -32_601;
const FORM_CODES = new Set([METHOD_MISSING, -32_602, -32_004]);
/** EIP-1474's "resource not found" and "resource unavailable", as reth and Nethermind say of blocks and states. */
const BLOCK_CODES = new Set([-32_001, -32_002]);
const LIMIT_EXCEEDED = -32_005;
/** Limit codes: of Alchemy, EIP-1474, QuickNode, Base, Ankr, Blast, and dRPC (15 and 19). */
const BUSY_CODES = new Set([429, LIMIT_EXCEEDED, -32_007, -32_016, -32_090, -32_097, 15, 19]);

// Each maker of nodes and each provider has words of its own; `refusal.test.ts` lists them with their origin.
const FINAL =
  /revert|vm execution error|vm exception|nonce too|insufficient funds|already known|replacement transaction|underpriced|intrinsic gas|invalid (?:opcode|jump)|stack (?:under|over)flow|gas required exceeds|max fee per gas/i;
const TOO_LARGE =
  /\brange\b|more than [\d,]+ (?:results|logs)|max results|response (?:size|is too|too)|(?:body|entity|content length|payload) too large|less number of address|exceed(?:s|ed)? max (?:addresses|topics)|too many (?:addresses|topics|blocks|logs)|time(?:d )?out|timeout|out of gas|\d+ blocks\b/i;
const BUSY =
  /rate.?limit|too many requests?|requests? limit|request count exceeded|(?:rps|capacity|quota|throughput) limit|(?:exceeded|reached) (?:its|your|the) .*(?:capacity|quota|limit|per second)|limit (?:reached|exceeded)|capacity exceeded|too much load|overloaded|temporar|unable to rent|retry (?:in|after|later)|try again/i;
const BLOCK_UNKNOWN =
  /missing trie node|no state (?:available|found)|unknown (?:block|header)|\b(?:block|header|state|historical)\b.*(?:not found|n't found|not be found|not available|unavailable|unknown|missing)|prun(?:ed|ing)|archive|proof window|requested block|block height/i;
const FORM_UNKNOWN =
  /method.*(?:not|n't|un)|(?:not|un)[ -]?supported|free ?tier|paid tier|your (?:current )?plan|(?:is|are) disabled|too many arguments|specify an address/i;

/** What a node means with an error that it answered a request with. */
export function refusalOf(error: RpcAnswerError, call?: RpcCall): Refusal {
  const { code, message } = error;
  if (revertData(error) !== undefined || FINAL.test(message)) return 'FINAL';
  if (code === METHOD_MISSING) return 'FORM_UNKNOWN';
  if (TOO_LARGE.test(message)) return 'TOO_LARGE';
  if (BUSY_CODES.has(code) || BUSY.test(message))
    // Public nodes of some chains say no more than this of a range of blocks that they find too long.
    return code === LIMIT_EXCEEDED && /^limit exceeded$/i.test(message) && isOfRange(call)
      ? 'TOO_LARGE'
      : 'BUSY';
  if (BLOCK_UNKNOWN.test(message)) return 'BLOCK_UNKNOWN';
  if (FORM_CODES.has(code) || FORM_UNKNOWN.test(message)) return 'FORM_UNKNOWN';
  return BLOCK_CODES.has(code) ? 'BLOCK_UNKNOWN' : 'OTHER';
}

function isOfRange(call: RpcCall | undefined): boolean {
  const [filter] = call?.params ?? [];
  return typeof filter === 'object' && filter !== null && 'fromBlock' in filter;
}

/** The longest pause that a node is granted: a mistaken or hostile one must not keep a URL away for good. */
const LONGEST_PAUSE_MS = 300_000;

/**
 * How long a node wants not to be asked, in milliseconds. It may say so by the header Retry-After (seconds or a
 * date), by the data of Infura's error, or in words. Undefined where it does not say.
 */
export function askedPauseMs(
  { message, data }: Pick<RpcAnswerError, 'message' | 'data'>,
  retryAfter: string | null,
  nowMs: number,
): number | undefined {
  const { rate } = (typeof data === 'object' && data !== null ? data : {}) as {
    readonly rate?: { readonly backoff_seconds?: unknown };
  };
  const [, number, unit] = /(?:retry|again) (?:in|after) ([\d.]+) ?(ms|s)/i.exec(message) ?? [];
  const candidates = [
    headerMs(retryAfter, nowMs),
    typeof rate?.backoff_seconds === 'number' ? rate.backoff_seconds * 1000 : undefined,
    number === undefined ? undefined : Number(number) * (unit?.toLowerCase() === 'ms' ? 1 : 1000),
  ];
  const asked = candidates.find((each) => each !== undefined && Number.isFinite(each) && each >= 0);
  return asked === undefined ? undefined : Math.min(asked, LONGEST_PAUSE_MS);
}

function headerMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = /^[a-z]{3,9},? .*GMT$/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
