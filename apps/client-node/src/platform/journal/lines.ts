import { closeSync, openSync, readSync } from 'node:fs';
import type { Attempt, BoundInstruction, Hex, Leaving } from '@fairway/relay';

/** A line of the journal: a transaction that left, or how far an address is known. */
export type Line =
  | Leaving
  | {
      readonly known: {
        readonly chainId: number;
        readonly sender: Hex;
        readonly from: number;
        readonly next: number;
      };
    };

type Written = {
  readonly about: Pick<BoundInstruction, 'relayTransactionId' | 'call' | 'nonce' | 'gasLimit'>;
  readonly attempt: Attempt;
};

/** Big integers are written as digits with an n, as in code. */
export function lineOf(line: Line): string {
  return JSON.stringify('known' in line ? line : writtenOf(line), (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

function writtenOf({ about, attempt }: Leaving): Written {
  const { relayTransactionId, call, nonce, gasLimit } = about;
  return { about: { relayTransactionId, call, nonce, gasLimit }, attempt };
}

/** Hands each whole line on. Says how long they are together, and whether a part of a line stands behind them. */
export function readLines(
  path: string,
  onLine: (line: Line, text: string) => void,
): { readonly length: number; readonly isTorn: boolean } {
  let [length, lines] = [0, 0];
  const rest = eachText(path, (text) => {
    lines += 1;
    onLine(parsed(text, path, lines), text);
    length += Buffer.byteLength(text) + 1;
  });
  return { length, isTorn: rest > 0 };
}

function parsed(text: string, path: string, lineNumber: number): Line {
  try {
    const line = JSON.parse(text, (_, value: unknown) =>
      typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
    ) as Exclude<Line, Leaving> | Written;
    return 'known' in line ? line : { ...line, about: { ...line.about, attempts: [], isCancelAsked: false } };
  } catch {
    throw new Error(`${path} is not a journal: line ${lineNumber} cannot be read. Do not start without it.`);
  }
}

const PIECE_BYTES = 1_048_576;
const NEW_LINE = 10;

/** In pieces: a file may be larger than a string can be. Gives how many bytes stand behind the last whole line. */
function eachText(path: string, onText: (text: string) => void): number {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    let held = Buffer.alloc(0);
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      held = Buffer.concat([held, piece.subarray(0, read)]);
      const end = held.lastIndexOf(NEW_LINE) + 1;
      if (end === 0) continue;
      held
        .toString('utf8', 0, end - 1)
        .split('\n')
        .forEach(onText);
      held = held.subarray(end);
    }
    return held.length;
  } finally {
    closeSync(file);
  }
}
