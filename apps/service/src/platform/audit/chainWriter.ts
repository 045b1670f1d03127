import { randomBytes } from 'node:crypto';
import { type AuditFile, openAuditFile } from './file.ts';
import type { AuditKey } from './key.ts';
import { type ChainEnd, type ChainedLine, chainedLine, headNumber, readLine } from './line.ts';

/** What a line says, apart from its place in the chain. */
export type LineContent = { readonly event: string } & Readonly<Record<string, unknown>>;

/** How far the log is. `head` is the code of the last written line as a number. */
export type AuditStatus = {
  readonly chain: string;
  readonly lines: number;
  readonly head: number;
  /** How many facts wait, how many were lost because too many waited, and how many writes failed. */
  readonly waiting: number;
  readonly lost: number;
  readonly failures: number;
};

/** What a chain is written with. `onFault` is called once when writing begins to fail, and once when it works again. */
export type ChainOptions = {
  readonly file: string;
  readonly key: AuditKey;
  /** The command that the process runs, for example `start` or `credentials create`. */
  readonly command: string;
  readonly onFault: (detail: string | undefined) => void;
};

/** Writes the lines of one process in their order. Lines that cannot be written wait. */
export type ChainWriter = {
  /** Opens the file and writes the first line. Throws the errors of the file system. */
  open(): Promise<void>;
  add(content: LineContent): void;
  /** Writes everything that waits. Resolves to whether that succeeded. */
  write(): Promise<boolean>;
  /** Closes the file. Nothing may be written afterwards. */
  close(): Promise<void>;
  status(): AuditStatus;
};

type State = ChainOptions & {
  end: ChainEnd;
  opened: AuditFile | undefined;
  waiting: { readonly at: string; readonly content: LineContent }[];
  lost: number;
  /** How many lost facts are not counted in any line yet. */
  lostUnsaid: number;
  failures: number;
  isFaulty: boolean;
  isEnding: boolean;
  /** The ends of other chains, by chain, that no written line of this chain names yet. */
  readonly seen: Map<string, string>;
  mustWitness: boolean;
};

/** How many facts wait while the file cannot be written. More are counted as lost. */
const MOST_WAITING = 10_000;
const LINES_AT_ONCE = 500;

/** Makes the writer of a new chain. */
export function createChainWriter(options: ChainOptions): ChainWriter {
  const state: State = {
    ...options,
    end: { chain: randomBytes(8).toString('hex'), seq: 0, mac: '' },
    ...{ opened: undefined, waiting: [], lost: 0, lostUnsaid: 0, failures: 0 },
    ...{ isFaulty: false, isEnding: false, seen: new Map(), mustWitness: false },
  };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    async open() {
      state.opened = await openAuditFile(state.file);
      add(state, startOf(state, 'OPENED'));
      try {
        await writeBatch(state);
      } catch (error) {
        await state.opened.close();
        throw error;
      }
    },
    add: (content) => add(state, content),
    write() {
      const mine = turn.then(() => writeAll(state));
      turn = mine;
      return mine;
    },
    async close() {
      await turn;
      await state.opened?.close();
    },
    status: () => ({
      chain: state.end.chain,
      lines: state.end.seq,
      head: headNumber(state.end.mac),
      waiting: state.waiting.length,
      lost: state.lost,
      failures: state.failures,
    }),
  };
}

function startOf({ key, command }: State, event: 'OPENED' | 'CONTINUED'): LineContent {
  return { event, key: key.id, command };
}

function add(state: State, content: LineContent): void {
  // Nothing follows the line that ends a chain.
  if (state.isEnding) return;
  state.isEnding = content.event === 'CLOSED';
  if (state.waiting.length < MOST_WAITING || state.isEnding) {
    state.waiting.push({ at: new Date().toISOString(), content });
    return;
  }
  state.lost += 1;
  state.lostUnsaid += 1;
}

async function writeAll(state: State): Promise<boolean> {
  try {
    do await writeBatch(state);
    while (state.waiting.length > 0);
    if (state.isFaulty) state.onFault(undefined);
    state.isFaulty = false;
    return true;
  } catch (error) {
    state.failures += 1;
    if (!state.isFaulty) state.onFault((error as Error).message);
    state.isFaulty = true;
    return false;
  }
}

async function writeBatch(state: State): Promise<void> {
  const opened = await currentFile(state);
  const endsTorn = await lookAtOthers(state, opened);
  if (state.lostUnsaid > 0 && state.waiting.length < MOST_WAITING) {
    add(state, { event: 'LOST', count: state.lostUnsaid });
    state.lostUnsaid = 0;
  }
  if (state.waiting.length === 0 && state.mustWitness) add(state, { event: 'WITNESSED' });
  const lines = nextLines(state);
  if (lines.length === 0) return;
  // A process that was killed while it wrote may have left a torn line. The next one begins on a line of its own.
  const newline = endsTorn ? '\n' : '';
  const bytes = Buffer.from(newline + lines.map(({ text }) => `${text}\n`).join(''));
  const written = await opened.append(bytes);
  const whole = bytes.subarray(newline.length, written).toString('latin1').split('\n').length - 1;
  const last = lines[whole - 1];
  state.waiting.splice(0, whole);
  if (last !== undefined) {
    state.end = { ...state.end, seq: last.seq, mac: last.mac };
    state.seen.clear();
    state.mustWitness = false;
  }
  if (written < bytes.length) throw new Error('the disk is full');
}

/**
 * The file that is at the path now. After a rotation, this process begins its part of the new file with a line that
 * says so.
 */
async function currentFile(state: State): Promise<AuditFile> {
  if (state.opened !== undefined && (await state.opened.isReplaced())) {
    await lookAtOthers(state, state.opened);
    await state.opened.close();
    state.opened = undefined;
    if (state.waiting[0]?.content.event !== 'CONTINUED')
      state.waiting.unshift({ at: new Date().toISOString(), content: startOf(state, 'CONTINUED') });
  }
  return (state.opened ??= await openAuditFile(state.file));
}

/**
 * Reads the new lines of other processes, and remembers the ends of their chains. Returns whether the file ends within
 * a line.
 */
async function lookAtOthers(state: State, opened: AuditFile): Promise<boolean> {
  const { end, seen } = state;
  const { lines, endsTorn } = await opened.readNew();
  for (const text of lines.filter((each) => !each.startsWith(`{"chain":"${end.chain}"`))) {
    const line = readLine(text);
    if (line === undefined) continue;
    // Naming this line is enough: the ends that the line itself names need not be named again.
    for (const named of line.seen) {
      const [chain = ''] = named.split(':');
      if (seen.get(chain) === named) seen.delete(chain);
    }
    seen.set(line.chain, `${line.chain}:${line.seq}:${line.mac}`);
    // A WITNESSED line only names other chains, so nobody has to name it. Else two processes would name each other for
    // ever.
    if (line.event !== 'WITNESSED') state.mustWitness = true;
  }
  return endsTorn;
}

/** The next lines. The first one names the ends of other chains, so that nobody can remove one of them unnoticed. */
function nextLines({ key, end, waiting, seen }: State): ChainedLine[] {
  const lines: ChainedLine[] = [];
  let before = end;
  for (const [index, { at, content }] of waiting.slice(0, LINES_AT_ONCE).entries()) {
    const named = index === 0 && seen.size > 0 ? { seen: [...seen.values()] } : {};
    const next = chainedLine(key, before, { at, ...content, ...named });
    lines.push(next);
    before = { ...before, seq: next.seq, mac: next.mac };
  }
  return lines;
}
