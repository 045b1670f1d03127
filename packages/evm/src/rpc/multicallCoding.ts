import { NodeNonsenseError } from './errors.ts';
// Coded by hand instead of by viem: a start reads tens of thousands of values, and viem's general coder took most of
// its time. Property tests compare both.

/** One read. */
export type Read = { readonly target: `0x${string}`; readonly callData: `0x${string}` };

/** `aggregate3((address,bool,bytes)[])` */
const SELECTOR = '0x82ad56cb';

/** Calldata of a function whose arguments are all words, such as addresses and numbers. */
export function encodeRead(selector: `0x${string}`, ...words: readonly `0x${string}`[]): `0x${string}` {
  return `${selector}${words.map((word) => word.slice(2).padStart(64, '0')).join('')}`;
}

/** Calldata that asks Multicall3 for some reads, any of which may fail. */
export function encodeAggregate(reads: readonly Read[]): `0x${string}` {
  const heads: string[] = [];
  const calls: string[] = [];
  let offset = 32 * reads.length;
  for (const { target, callData } of reads) {
    const digits = callData.slice(2);
    const words = Math.ceil(digits.length / 64);
    heads.push(wordOf(offset));
    calls.push(target.slice(2).padStart(64, '0'), wordOf(1), wordOf(96), wordOf(digits.length / 2));
    calls.push(digits.padEnd(64 * words, '0'));
    offset += 32 * (4 + words);
  }
  return `${SELECTOR}${wordOf(32)}${wordOf(reads.length)}${heads.join('')}${calls.join('')}`;
}

function wordOf(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/**
 * What the reads returned, `0x` where a target has no code; undefined where a read failed. `least`: how many of the first
 * reads must be answered. Multicall3 answers all. The lens (our own code, which a state override puts in its place) may
 * stop before the end.
 * @throws when the answer does not fit the number of reads.
 */
export function decodeAggregate(
  answer: unknown,
  count: number,
  least = count,
): (`0x${string}` | undefined)[] {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]*$/i.test(answer)) throw notAnAnswer();
  const digits = answer.slice(2);
  const list = numberAt(digits, 0);
  const answered = numberAt(digits, list);
  if (answered > count || answered < least) throw notAnAnswer();
  const first = list + 32;
  return Array.from({ length: answered }, (_, index): `0x${string}` | undefined => {
    const result = first + numberAt(digits, first + 32 * index);
    const bytes = result + numberAt(digits, result + 32);
    const length = numberAt(digits, bytes);
    const start = 2 * (bytes + 32);
    if (start + 2 * length > digits.length) throw notAnAnswer();
    if (numberAt(digits, result) === 0) return undefined;
    return `0x${digits.slice(start, start + 2 * length)}`;
  });
}

/** The number in the word at a byte offset. Offsets and lengths in real answers are small. */
function numberAt(digits: string, byte: number): number {
  const word = digits.slice(2 * byte, 2 * byte + 64);
  const value = word.length === 64 ? Number.parseInt(word, 16) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw notAnAnswer();
  return value;
}

function notAnAnswer(): NodeNonsenseError {
  return new NodeNonsenseError('The node sent something that is no answer of Multicall3');
}
