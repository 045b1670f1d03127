import { createHmac } from 'node:crypto';
import type { AuditKey } from './key.ts';

/** A line that follows another one of its chain. `mac` covers everything before it, `prev` included. */
export type ChainedLine = { readonly text: string; readonly seq: number; readonly mac: string };

/** The last line of a chain as far as it was written; `seq` 0 and an empty `mac` before the first one. */
export type ChainEnd = { readonly chain: string; readonly seq: number; readonly mac: string };

/** A line as it was read. `signed` is the text that `mac` covers. */
export type ReadLine = {
  readonly signed: string;
  readonly mac: string;
  readonly chain: string;
  readonly seq: number;
  readonly prev: string;
  readonly event: string;
  /** The id of the chain's key, in OPENED and CONTINUED. */
  readonly key?: string;
  /** Ends of other chains that the writer saw in the file, each as CHAIN:SEQ:MAC. */
  readonly seen: readonly string[];
};

/** Writes the line after `end`. */
export function chainedLine(key: AuditKey, end: ChainEnd, content: object): ChainedLine {
  const seq = end.seq + 1;
  const open = JSON.stringify({ chain: end.chain, seq, ...content, prev: end.mac });
  const signed = open.slice(0, -1);
  const mac = macOf(key, signed);
  return { text: `${signed},"mac":"${mac}"}`, seq, mac };
}

/** The code of a line's signed text, as base64url. */
export function macOf({ lines }: AuditKey, signed: string): string {
  return createHmac('sha256', lines).update(signed).digest('base64url');
}

const LINE = /^(\{.*),"mac":"([\w-]{43})"\}$/;

/** Reads a line; undefined when it is none, for example because its writer was killed. The code is not checked. */
export function readLine(text: string): ReadLine | undefined {
  const [, signed = '', mac = ''] = LINE.exec(text) ?? [];
  if (signed === '') return undefined;
  const value = parsed(`${signed}}`);
  const { chain, seq, prev, event, key, seen = [] } = value ?? {};
  if (typeof chain !== 'string' || typeof prev !== 'string' || typeof event !== 'string') return undefined;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || !Array.isArray(seen)) return undefined;
  const named = typeof key === 'string' ? { key } : {};
  return { signed, mac, chain, seq, prev, event, seen: seen.map(String), ...named };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** The first 48 bits of a line's code as a number, which a metric can hold exactly. */
export function headNumber(mac: string): number {
  return mac === '' ? 0 : Buffer.from(mac, 'base64url').readUIntBE(0, 6);
}
