import type { AuditKey } from './key.ts';
import { auditLines } from './lines.ts';
import { READ_FAULTS } from '../config/readFaults.ts';
import { headNumber, macOf, type ReadLine, readLine } from './line.ts';

/** The end of a chain as a metric told it: `lines` lines, the last of them with this number. */
export type KnownHead = { readonly chain: string; readonly lines: number; readonly head: number };

/** Something that cannot be if nobody changed the files. */
export type AuditFault = {
  readonly kind:
    | 'FILE_UNREADABLE'
    | 'FILE_WITHOUT_LINES'
    | 'LINE_CHANGED'
    | 'LINES_MISSING'
    | 'BEGINNING_MISSING'
    | 'EARLIER_FILE_MISSING'
    | 'END_MISSING'
    | 'CHAIN_MISSING'
    | 'LINE_AFTER_END'
    | 'KEY_UNKNOWN';
  /** File and line where it shows; for END_MISSING, the chain. */
  readonly at: string;
  readonly detail: string;
};

/** A chain of lines of one process, as far as the files hold it. */
export type FoundChain = {
  readonly chain: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly head: number;
  readonly isClosed: boolean;
};

/** What a verification found. `notes` are of things that happen without an attack. */
export type AuditFindings = {
  readonly lines: number;
  readonly chains: readonly FoundChain[];
  readonly faults: readonly AuditFault[];
  readonly notes: readonly string[];
};

type ChainState = {
  readonly key: AuditKey | undefined;
  readonly firstLine: number;
  seq: number;
  mac: string;
  isClosed: boolean;
};

/** The beginning of line `seq` of a chain: its process was killed, or the disk was full. */
type TornLine = { readonly seq: number; readonly at: string };

type Verification = {
  readonly heads: readonly KnownHead[];
  readonly keys: readonly AuditKey[];
  readonly chains: Map<string, ChainState>;
  /** By chain, the torn lines that no later line of the chain has been compared with. */
  readonly torn: Map<string, TornLine>;
  /** Every line so far, as other lines name it, with its code as a number. */
  readonly codes: Map<string, number>;
  readonly faults: AuditFault[];
  readonly notes: string[];
  lines: number;
};

/** Reads files in their order, the oldest first, and finds lines that are missing, changed or from somebody else. */
export async function verifyAuditLog(
  files: readonly string[],
  keys: readonly AuditKey[],
  heads: readonly KnownHead[],
): Promise<AuditFindings> {
  const all: Verification = {
    heads,
    keys,
    chains: new Map(),
    torn: new Map(),
    codes: new Map(),
    faults: [],
    notes: [],
    lines: 0,
  };
  for (const file of files) await addFile(all, file);
  for (const head of heads) checkHead(all, head);
  const { chains, faults, notes, lines } = all;
  for (const [chain, { seq, mac, isClosed }] of chains)
    if (!isClosed)
      notes.push(
        `chain ${chain} has no end: its process runs, was killed, or lines after ${seq} were cut off; ` +
          `if it goes on in a later file, verify that one with --head ${chain}:${seq}:${headNumber(mac)}`,
      );
  const found = [...chains].map(([chain, { firstLine, seq, mac, isClosed }]) => ({
    ...{ chain, firstLine, lastLine: seq, head: headNumber(mac), isClosed },
  }));
  return { lines, chains: found, faults, notes };
}

/** Reads one file. A file that holds no line of a log was not the right one, or was emptied. */
async function addFile(all: Verification, file: string): Promise<void> {
  const before = { lines: all.lines, faults: all.faults.length, notes: all.notes.length };
  let number = 0;
  try {
    for await (const text of auditLines(file)) {
      number += 1;
      if (text !== '') addLine(all, text, `${file}, line ${number}`);
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    all.faults.push({ kind: 'FILE_UNREADABLE', at: file, detail: READ_FAULTS[code] ?? message });
    return;
  }
  if (all.lines > before.lines) return;
  // Other findings about its lines would help nobody.
  all.notes.length = before.notes;
  all.faults.length = before.faults;
  all.faults.push({ kind: 'FILE_WITHOUT_LINES', at: file, detail: 'it has no line of an audit log' });
}

function addLine(all: Verification, text: string, at: string): void {
  const line = readLine(text);
  if (line === undefined) {
    addTornLine(all, text, at);
    return;
  }
  all.lines += 1;
  const { chain, seq, mac } = line;
  checkTornLine(all, chain, seq);
  const known = all.chains.get(chain);
  const state = known ?? beginChain(all, line, at);
  if (state.key !== undefined && !isSigned(state.key, line))
    all.faults.push({
      kind: 'LINE_CHANGED',
      at,
      detail: `line ${seq} of chain ${chain} is not as it was written`,
    });
  all.faults.push(...placeFaults(line, state, at));
  checkSeen(all, line, known === undefined, at);
  Object.assign(state, { seq, mac, isClosed: line.event === 'CLOSED' });
  all.codes.set(`${chain}:${seq}:${mac}`, headNumber(mac));
}

const LINE_START = '{"chain":"0000000000000000","seq":';
/** How every line begins that a process writes, and how much of it tells the place of the line. */
const LINE_SHAPE = /^\{"chain":"[0-9a-f]{16}","seq":\d*(,|$)/;
const LINE_PLACE = /^\{"chain":"([0-9a-f]{16})","seq":(\d+),/;

/** Takes a line that is not whole. Only the next line of a chain can be torn: its process wrote no more before it ended. */
function addTornLine({ chains, torn, faults, notes }: Verification, text: string, at: string): void {
  const [, chain = '', digits = ''] = LINE_PLACE.exec(text) ?? [];
  const seq = Number(digits);
  const state = chains.get(chain);
  const isNext = state === undefined || (!state.isClosed && seq === state.seq + 1);
  const isAgain = (torn.get(chain)?.seq ?? seq) === seq;
  if (!isNext || !isAgain || !LINE_SHAPE.test(text + LINE_START.slice(text.length))) {
    faults.push({ kind: 'LINE_CHANGED', at, detail: 'it is no line that a process wrote' });
    return;
  }
  if (chain !== '') torn.set(chain, { seq, at });
  notes.push(`${at}: is not a whole line; a process ended while it wrote, or the disk was full`);
}

/** After a torn line its process writes the same line again, when the disk has room, or no line. */
function checkTornLine({ torn, faults }: Verification, chain: string, seq: number): void {
  const before = torn.get(chain);
  torn.delete(chain);
  if (before !== undefined && before.seq !== seq)
    faults.push({
      ...{ kind: 'LINE_CHANGED', at: before.at },
      detail: `it is torn, and chain ${chain} goes on after it`,
    });
}

function beginChain(all: Verification, line: ReadLine, at: string): ChainState {
  const { keys, chains, faults } = all;
  const { chain, seq, event } = line;
  const key = keys.find(({ id }) => id === line.key) ?? keys.find((each) => isSigned(each, line));
  if (key === undefined)
    faults.push({
      kind: 'KEY_UNKNOWN',
      at,
      detail:
        `chain ${chain} was written with a key that is not given: give it behind the others in FAIRWAY_AUDIT_KEY or, ` +
        'where it was derived from a sealing key, that key behind the others in FAIRWAY_SEALING_KEYS, for this command alone',
    });
  if (event === 'CONTINUED') beginContinued(all, line, at);
  else if (seq !== 1 || event !== 'OPENED')
    faults.push({ kind: 'BEGINNING_MISSING', at, detail: `chain ${chain} begins at line ${seq}` });
  const state = { key, firstLine: seq, seq: seq - 1, mac: line.prev, isClosed: false };
  chains.set(chain, state);
  return state;
}

/**
 * A chain that began in a file that was not given. That file can have been archived or removed, so its end must be
 * known: then the lines here follow it.
 */
function beginContinued({ heads, codes, faults, notes }: Verification, line: ReadLine, at: string): void {
  const { chain, seq, prev } = line;
  const end = { chain, lines: seq - 1, head: headNumber(prev) };
  const isKnown = heads.some(
    (head) => head.chain === chain && head.lines === end.lines && head.head === end.head,
  );
  if (isKnown) {
    codes.set(`${chain}:${end.lines}:${prev}`, end.head);
    notes.push(`${at}: lines 1 to ${end.lines} of chain ${chain} are in an earlier file, whose end is known`);
    return;
  }
  faults.push({
    ...{ kind: 'EARLIER_FILE_MISSING', at },
    detail:
      `lines 1 to ${end.lines} of chain ${chain} are in an earlier file, or the log was removed while its process ran; ` +
      `give that file first, or its end as --head ${chain}:${end.lines}:HEAD`,
  });
}

function placeFaults({ chain, seq, prev }: ReadLine, state: ChainState, at: string): AuditFault[] {
  const faults: AuditFault[] = [];
  if (state.isClosed) faults.push({ kind: 'LINE_AFTER_END', at, detail: `chain ${chain} had ended before` });
  if (seq > state.seq + 1)
    faults.push({
      kind: 'LINES_MISSING',
      at,
      detail: `lines ${state.seq + 1} to ${seq - 1} of chain ${chain}`,
    });
  else if (seq <= state.seq)
    faults.push({ kind: 'LINE_CHANGED', at, detail: `chain ${chain} had line ${seq} before` });
  else if (prev !== state.mac)
    faults.push({
      kind: 'LINE_CHANGED',
      at,
      detail: `it does not follow line ${state.seq} of chain ${chain}`,
    });
  return faults;
}

function checkSeen(
  { codes, faults, notes }: Verification,
  line: ReadLine,
  isFirst: boolean,
  at: string,
): void {
  for (const end of line.seen) {
    if (codes.has(end)) continue;
    const [chain = '', seq = ''] = end.split(':');
    // A line that is named at the beginning of a file can be in an earlier file that was not given.
    if (line.event === 'CONTINUED' && isFirst)
      notes.push(`${at}: line ${seq} of chain ${chain} is in an earlier file`);
    else
      faults.push({
        ...{ kind: 'CHAIN_MISSING', at },
        detail: `it names line ${seq} of chain ${chain}, which is not there before it`,
      });
  }
}

function checkHead({ codes, faults }: Verification, { chain, lines, head }: KnownHead): void {
  const found = [...codes].filter(([name]) => name.startsWith(`${chain}:${lines}:`));
  if (found.length === 0)
    faults.push({ kind: 'END_MISSING', at: chain, detail: `line ${lines} was written, and is not there` });
  else if (!found.some(([, number]) => number === head))
    faults.push({
      kind: 'LINE_CHANGED',
      at: chain,
      detail: `line ${lines} has another code than the one given`,
    });
}

function isSigned(key: AuditKey, { signed, mac }: ReadLine): boolean {
  return macOf(key, signed) === mac;
}
