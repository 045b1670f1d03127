import { closeSync, fdatasync, ftruncate, mkdirSync, openSync, writeFile } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { lockDirectory } from '@fairway/processes';
import type { Hex, Leaving } from '@fairway/relay';
import { keepNewest, syncFolder } from './keepNewest.ts';
import { type Line, lineOf, readLines } from './lines.ts';

/**
 * Every transaction that left, in a file beside the database. A database that is put back from a backup does not know what
 * was sent since. The journal does, so that nothing of it is executed a second time.
 */
export type Journal = {
  /** Writes to the disk. Transactions that are written here may leave. */
  write(leaving: readonly Leaving[]): Promise<void>;
  /** Notes the nonce that the database gives next. From the first time on, the journal knows the address. */
  know(chainId: number, sender: Hex, nextNonce: number): Promise<void>;
  /**
   * The nonce from which on the journal has what left from an address on a chain. Undefined: it does not know the address,
   * so that it says nothing of what left.
   */
  knownFrom(chainId: number, sender: Hex): number | undefined;
  /** The highest nonce that was bound to an address on a chain, as far as the journal knows; -1 for none. */
  sentUpTo(chainId: number, sender: Hex): number;
  /** What left, oldest first. */
  entries(): readonly Leaving[];
  close(): void;
};

/**
 * At so many lines the oldest half is dropped when the journal is opened. A database so old that it needs them is found
 * to be incomplete, and its relayers bind nothing.
 */
const MOST_LINES = 40_000;

const syncFile = promisify(fdatasync);
const truncateFile = promisify(ftruncate);
const appendText = promisify(writeFile);

/**
 * Opens the journal in a folder, which no other process may use until it is closed or this process ends. Throws for a
 * folder that is in use, and for a file that is not a journal.
 */
export function openJournal(folder: string, mostLines = MOST_LINES): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const locked = lockDirectory(folder);
  if (!locked.ok) throw new Error(locked.detail);
  try {
    return open(folder, mostLines, locked.lock.release);
  } catch (error) {
    locked.lock.release();
    throw error;
  }
}

function open(folder: string, mostLines: number, release: () => void): Journal {
  const path = join(folder, 'journal');
  const file = openSync(path, 'a+', 0o600);
  // A file that was made is found after a power cut only when the folders that name it were written, too.
  for (const each of [folder, dirname(folder)]) syncFolder(each);
  const marks = createMarks();
  let count = 0;
  // What stands behind the last whole line was cut off by an end of the process or a full disk.
  let { length, isTorn } = readLines(path, (line) => {
    marks.add(line);
    count += 1;
  });
  if (count <= mostLines) return journalOf(path, file, { length, isTorn }, marks, release);
  closeSync(file);
  length = keepNewest(path, { firstKept: count - (mostLines >> 1), marks: marks.lines() });
  isTorn = false;
  return journalOf(path, openSync(path, 'a+', 0o600), { length, isTorn }, marks, release);
}

type Marks = ReturnType<typeof createMarks>;

function journalOf(
  path: string,
  file: number,
  end: { length: number; isTorn: boolean },
  marks: Marks,
  release: () => void,
): Journal {
  let queue: Promise<unknown> = Promise.resolve();

  async function append(lines: readonly Line[]): Promise<void> {
    const text = lines.map((each) => `${lineOf(each)}\n`).join('');
    if (end.isTorn) await truncateFile(file, end.length);
    end.isTorn = true;
    await appendText(file, text);
    await syncFile(file);
    end.isTorn = false;
    end.length += Buffer.byteLength(text);
    lines.forEach(marks.add);
  }

  function inTurn(lines: readonly Line[]): Promise<void> {
    const written = queue.then(() => append(lines));
    queue = written.catch(() => undefined);
    return written;
  }

  const knownFrom: Journal['knownFrom'] = (chainId, sender) => marks.of(chainId, sender)?.from;
  const sentUpTo: Journal['sentUpTo'] = (chainId, sender) => (marks.of(chainId, sender)?.next ?? 0) - 1;
  return {
    write: (leaving) => inTurn(leaving),
    async know(chainId, sender, nextNonce) {
      const isKnown = knownFrom(chainId, sender) !== undefined && sentUpTo(chainId, sender) >= nextNonce - 1;
      if (!isKnown) await inTurn([{ known: { chainId, sender, from: nextNonce, next: nextNonce } }]);
    },
    knownFrom,
    sentUpTo,
    entries() {
      const entries: Leaving[] = [];
      readLines(path, (line) => {
        if ('attempt' in line) entries.push(line);
      });
      return entries;
    },
    close() {
      closeSync(file);
      release();
    },
  };
}

type Mark = { readonly from: number | undefined; readonly next: number };

/** Keeps from which nonce on each address of a chain is known, and how far. */
function createMarks() {
  const marks = new Map<string, Mark>();
  const keyOf = (chainId: number, sender: Hex) => `${chainId} ${sender}`;
  return {
    add(line: Line): void {
      const { chainId, sender, from, next } =
        'known' in line ? line.known : { ...line.about.call, from: undefined, next: line.about.nonce + 1 };
      const key = keyOf(chainId, sender);
      const mark = marks.get(key);
      marks.set(key, { from: mark?.from ?? from, next: Math.max(mark?.next ?? 0, next) });
    },
    of: (chainId: number, sender: Hex): Mark | undefined => marks.get(keyOf(chainId, sender)),
    lines: (): readonly Line[] =>
      [...marks].flatMap(([key, { from, next }]): Line[] => {
        const [chainId, sender] = key.split(' ');
        return from === undefined
          ? []
          : [{ known: { chainId: Number(chainId), sender: sender as Hex, from, next } }];
      }),
  };
}
