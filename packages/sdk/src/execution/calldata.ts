/** Reads calldata word by word, and accepts the one canonical encoding alone: contracts tolerate much else. */
export type Words = {
  /** How many whole words there are. */
  readonly length: number;
  uint(index: number): bigint;
  /** An address in lower case; undefined where the word has dirt before it. */
  address(index: number): string | undefined;
  /** Hex digits of the bytes that begin with their length at a word; undefined where they are not canonical. */
  bytes(index: number): string | undefined;
  /** How many words the bytes at a word take with their length. */
  span(index: number): number;
};

const WORD = 64;
const ADDRESS = 40;

/** The function and the arguments of calldata; undefined for what has no whole words. */
export function readCalldata(data: string): { selector: string; words: Words } | undefined {
  const [, selector, body] = /^0x([0-9a-f]{8})((?:[0-9a-f]{64})*)$/.exec(data.toLowerCase()) ?? [];
  return selector === undefined || body === undefined ? undefined : { selector, words: wordsOf(body) };
}

function wordsOf(body: string): Words {
  const word = (index: number) => body.slice(index * WORD, (index + 1) * WORD).padEnd(WORD, '0');
  const uint = (index: number) => BigInt(`0x${word(index)}`);
  // A length beyond the calldata reads as beyond every check below.
  const sizeOf = (index: number) => Number(uint(index));
  const span = (index: number) => 1 + Math.ceil(sizeOf(index) / 32);
  return {
    length: body.length / WORD,
    uint,
    address(index) {
      const text = word(index);
      return /^0{24}/.test(text) ? `0x${text.slice(-ADDRESS)}` : undefined;
    },
    span,
    bytes(index) {
      const size = sizeOf(index);
      if (index + span(index) > body.length / WORD) return undefined;
      const padded = body.slice((index + 1) * WORD, (index + span(index)) * WORD);
      return /^0*$/.test(padded.slice(size * 2)) ? padded.slice(0, size * 2) : undefined;
    },
  };
}
