import { createHash, type Hash } from 'node:crypto';
import sax from 'sax';
import { assertBalanced } from './balance.ts';
import {
  balanceOf,
  type CamtEntry,
  first,
  isBooked,
  KEPT_PATHS,
  type Leaf,
  type Leaves,
  unitsOf,
} from './camtEntry.ts';
import {
  comparableAccount,
  FaultError,
  FILE_LIMITS,
  faultOf,
  type ReadStatements,
  type StatementSection,
  type StatementUnit,
} from './statement.ts';
import { createTurns, type Turns } from './turns.ts';

const CAMT_NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.(0[2-9]|1[0-3])$/;
/** `strictEntities`: only the five entities of XML itself; the types of the library do not have it. */
const OPTIONS = { xmlns: true, position: true, strictEntities: true } as sax.SAXOptions;
/** How much text the library is given at once. Between two parts, a tag that does not end is noticed. */
const PART_LENGTH = 4_096;
/** The elements whose texts are kept, each below the one before it. */
const PARENTS = {
  Stmt: ['Document', 'BkToCstmrStmt'],
  Bal: ['Document', 'BkToCstmrStmt', 'Stmt'],
  Ntry: ['Document', 'BkToCstmrStmt', 'Stmt'],
  TxDtls: ['Document', 'BkToCstmrStmt', 'Stmt', 'Ntry', 'NtryDtls'],
} as const;
type Kind = keyof typeof PARENTS;
/** How many steps the reading of a part takes. */
const PART_STEPS = 250;

/**
 * Reads a camt.053 of .001.02 to .001.13 from its text, which may come in parts: its booked entries alone. Refuses
 * DTDs and entities of a document's own, and what is not well-formed. Also refuses amounts that are no decimals of
 * the account's currency, a statement that does not add up, and a file without booked entries.
 *
 * @example
 * ```ts
 * import { readCamt } from '@fairway/statements';
 *
 * declare const parts: AsyncIterable<string>;
 * const read = await readCamt(parts);
 * if (read.ok) console.log(read.sections[0]?.closing?.minor); // 1250000n: 12,500.00 EUR
 * ```
 */
export async function readCamt(parts: AsyncIterable<string> | Iterable<string>): Promise<ReadStatements> {
  const reader = createReader(createTurns());
  try {
    for await (const part of parts) await reader.write(part);
    return { ok: true, sections: await reader.end() };
  } catch (error) {
    return faultOf(error);
  }
}

/** An element that is open, whose texts are kept. */
type Frame = { readonly kind: Kind; readonly depth: number; readonly texts: Map<string, Leaf[]> };

/** The parts of a file that are kept while it is read. */
type Collector = {
  begin(kind: Kind): void;
  /** `statement`: what is known of the statement so far. */
  end(kind: Kind, leaves: Leaves, statement: Leaves): void;
  /** Reads the entries and the statements that have ended. An entry may have all payments of a file, so that others have the thread meanwhile. */
  settle(turns: Turns): Promise<void>;
  readonly sections: StatementSection[];
};

/** A statement that is open. `digest`: of its units. */
type OpenStatement = {
  readonly balances: Leaves[];
  readonly units: StatementUnit[];
  readonly digest: Hash;
  /** How many entries are not booked. */
  passedOver: number;
};

function openStatement(): OpenStatement {
  return { balances: [], units: [], digest: createHash('sha256'), passedOver: 0 };
}

/** An entry that has ended, or the statement itself. */
type Ended =
  | { readonly of: OpenStatement; readonly entry: CamtEntry; readonly ofStatement: Leaves }
  | { readonly of: OpenStatement; readonly leaves: Leaves };

function createCollector(): Collector {
  const sections: StatementSection[] = [];
  const kept = new Set<string>();
  const ended: Ended[] = [];
  let statement = openStatement();
  let details: Leaves[] = [];
  let count = 0;
  return {
    sections,
    begin(kind) {
      if (kind === 'Stmt') statement = openStatement();
      if (kind === 'Ntry') details = [];
    },
    end(kind, leaves, ofStatement) {
      if (kind === 'Bal' && statement.balances.push(leaves) > FILE_LIMITS.balances)
        throw new FaultError(`line ${leaves.line}: a statement may have ${FILE_LIMITS.balances} balances.`);
      if (kind === 'TxDtls') details.push(leaves);
      if (kind === 'Ntry') ended.push({ of: statement, entry: { leaves, details }, ofStatement });
      if (kind === 'Stmt') ended.push({ of: statement, leaves });
      count += 1;
      if (count > 2 * FILE_LIMITS.units) throw tooMany();
    },
    async settle(turns) {
      for (const each of ended.splice(0))
        if ('entry' in each) await readEntry(each, turns);
        else {
          const section = sectionOf(each.leaves, each.of);
          const { units: _, ...head } = section;
          const digest = each.of.digest.update(textOf([first(each.leaves, 'Id'), head])).digest('hex');
          // Some banks put a statement and its copy into one file.
          if (!kept.has(digest) && sections.push(section) > FILE_LIMITS.sections) throw tooMany();
          kept.add(digest);
        }
    },
  };
}

async function readEntry(
  { of, entry, ofStatement }: Extract<Ended, { readonly entry: CamtEntry }>,
  turns: Turns,
): Promise<void> {
  // Balances come before entries.
  for (const unit of unitsOf(entry, currencyOf(ofStatement, of))) {
    of.units.push(unit);
    of.digest.update(textOf(unit));
    await turns.step(UNIT_STEPS);
  }
  if (!isBooked(entry.leaves)) of.passedOver += 1;
  await turns.step();
}

/** How many steps the reading of a unit takes. */
const UNIT_STEPS = 5;

function tooMany(): FaultError {
  return new FaultError(
    `A file may have ${FILE_LIMITS.units} entries and ${FILE_LIMITS.sections} statements. Send it in parts.`,
  );
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}

function createReader(turns: Turns): {
  write(text: string): Promise<void>;
  end(): Promise<readonly StatementSection[]>;
} {
  const parser = sax.parser(true, OPTIONS);
  const refuse = (detail: string): never => {
    throw new FaultError(`line ${parser.line + 1}: ${detail}`);
  };
  const collector = createCollector();
  refuseForeign(parser, refuse);
  const isTagTooLong = readElements(parser, collector, refuse);
  return {
    async write(text) {
      for (let index = 0; index < text.length; index += PART_LENGTH) {
        parser.write(text.slice(index, index + PART_LENGTH));
        if (isTagTooLong()) refuse('a tag is too long.');
        await collector.settle(turns);
        await turns.step(PART_STEPS);
      }
    },
    async end() {
      parser.close();
      await collector.settle(turns);
      return checked(collector.sections);
    },
  };
}

/** Refuses what is no XML, and everything that can lead out of the file or make it larger than it is. */
function refuseForeign(parser: sax.SAXParser, refuse: (detail: string) => never): void {
  parser.onerror = (error) => {
    // The message quotes the character at the place, and no more of the file.
    const [reason = 'not well-formed'] = error.message.split('\n');
    refuse(`the XML is not well-formed (${reason.slice(0, 60).replaceAll(/[^\w .,:]/g, '')}).`);
  };
  parser.ondoctype = () => refuse('a document type (DTD) is not accepted. Send the file without it.');
  parser.onprocessinginstruction = ({ name, body }) => {
    const encoding = name === 'xml' ? /encoding\s*=\s*["']([^"']*)["']/.exec(body)?.[1] : undefined;
    if (encoding !== undefined && !/^(utf-?8|us-ascii)$/i.test(encoding))
      refuse('the XML declares another encoding than UTF-8. Send it in UTF-8.');
  };
}

/**
 * Has the elements of a camt.053 collected whose texts are kept. Answers how to ask whether a tag has begun that does
 * not end. For each attribute the library goes through all that the tag had before. It tells of no attribute before
 * the end of the tag.
 */
function readElements(
  parser: sax.SAXParser,
  collector: Collector,
  refuse: (detail: string) => never,
): () => boolean {
  const open: string[] = [];
  // The place of each open element among what is kept. The element's own path could be as long as the file is deep.
  const paths: (KeptPath | undefined)[] = [];
  const frames: Frame[] = [];
  let namespace: string | undefined;
  let text = '';
  let currency: string | undefined;
  let tagBegin: number | undefined;

  parser.onopentagstart = () => {
    tagBegin = parser.position;
  };
  parser.onopentag = (tag) => {
    tagBegin = undefined;
    const { local, uri, attributes } = tag as sax.QualifiedTag;
    if (Object.keys(attributes).length > FILE_LIMITS.attributes)
      refuse(`an element has more than ${FILE_LIMITS.attributes} attributes.`);
    if (open.length === 0) {
      if (namespace !== undefined) refuse('there is more than one document.');
      if (local !== 'Document' || !CAMT_NAMESPACE.test(uri))
        refuse('the document is no camt.053.001.02 to camt.053.001.13 (Document and its namespace).');
      namespace = uri;
    }
    if (open.length >= FILE_LIMITS.depth) refuse(`elements nest deeper than ${FILE_LIMITS.depth} levels.`);
    const kind = uri === namespace && local in PARENTS ? (local as Kind) : undefined;
    const name = uri === namespace ? local : `{}${local}`;
    if (kind !== undefined && isBelow(PARENTS[kind], open)) {
      collector.begin(kind);
      frames.push({ kind, depth: open.length, texts: new Map() });
      paths.push(KEPT[kind]);
    } else paths.push(paths.at(-1)?.below.get(name));
    open.push(name);
    text = '';
    currency = attributes['Ccy']?.value;
  };
  const addText = (more: string) => {
    text += more;
    if (text.length > FILE_LIMITS.textLength) refuse('a text is too long.');
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    const frame = frames.at(-1);
    const path = paths.pop()?.path;
    if (frame !== undefined && path !== undefined) keepText(frame, path, { text: text.trim(), currency });
    text = '';
    open.pop();
    if (frame === undefined || open.length !== frame.depth) return;
    frames.pop();
    const leavesOf = ({ texts }: Frame): Leaves => ({ line: parser.line + 1, texts });
    collector.end(frame.kind, leavesOf(frame), leavesOf(frames[0] ?? frame));
  };
  return () => tagBegin !== undefined && parser.position - tagBegin > PART_LENGTH;
}

function isBelow(parents: readonly string[], open: readonly string[]): boolean {
  return open.length === parents.length && parents.every((name, index) => open[index] === name);
}

/** A place below an element whose texts are kept. `path`: where its own text is one of them. */
type KeptPath = { path: string | undefined; readonly below: Map<string, KeptPath> };

const KEPT: Readonly<Record<Kind, KeptPath>> = {
  Stmt: keptBelow('Stmt'),
  Bal: keptBelow('Bal'),
  Ntry: keptBelow('Ntry'),
  TxDtls: keptBelow('TxDtls'),
};

function keptBelow(kind: Kind): KeptPath {
  const root: KeptPath = { path: undefined, below: new Map() };
  for (const path of KEPT_PATHS[kind]) {
    let place = root;
    for (const name of path.split('/')) {
      const next = place.below.get(name) ?? { path: undefined, below: new Map() };
      place.below.set(name, next);
      place = next;
    }
    place.path = path;
  }
  return root;
}

function keepText({ texts }: Frame, path: string, leaf: Leaf): void {
  if (leaf.text === '') return;
  const known = texts.get(path);
  if (known === undefined) texts.set(path, [leaf]);
  else if (known.length < FILE_LIMITS.texts) known.push(leaf);
}

/** Throws unless there is something booked. */
export function checked(sections: readonly StatementSection[]): readonly StatementSection[] {
  let count = 0;
  for (const { units } of sections) count += units.length;
  if (count === 0)
    throw new FaultError('The file has no booked entries, so that there is nothing to import.');
  if (count > FILE_LIMITS.units)
    throw new FaultError(`A file may have ${FILE_LIMITS.units} entries. Send it in parts.`);
  return sections;
}

function currencyOf(leaves: Leaves, { balances }: OpenStatement): string {
  const currency = first(leaves, 'Acct/Ccy') ?? balances[0]?.texts.get('Amt')?.[0]?.currency;
  if (currency === undefined) throw new FaultError(`line ${leaves.line}: the statement has no balances.`);
  return currency;
}

function sectionOf(leaves: Leaves, statement: OpenStatement): StatementSection {
  const { balances, units } = statement;
  const place = `line ${leaves.line}`;
  const account = first(leaves, 'Acct/Id/IBAN') ?? first(leaves, 'Acct/Id/Othr/Id');
  if (account === undefined) throw new FaultError(`${place}: the statement names no account (Acct/Id).`);
  const currency = currencyOf(leaves, statement);
  const known = balances.map((each) => balanceOf(each, currency));
  const ofKind = (...kinds: readonly string[]) => known.filter(({ kind }) => kinds.includes(kind));
  const between = ofKind('ITBD');
  const opening = [...ofKind('OPBD', 'OPBD INTM', 'PRCD'), ...(between.length > 1 ? between : [])][0];
  const closing = [...ofKind('CLBD', 'CLBD INTM'), ...between.slice(-1)][0];
  if (opening === undefined || closing === undefined)
    throw new FaultError(
      `${place}: the statement needs its opening balance (OPBD or PRCD) and its closing balance (CLBD).`,
    );
  // Without a number, the id tells two statements apart as well.
  const number = ['LglSeqNb', 'ElctrncSeqNb', 'Id']
    .map((path) => first(leaves, path))
    .find((each) => each !== undefined && each.length <= FILE_LIMITS.referenceLength);
  const section: StatementSection = {
    account: comparableAccount(account),
    currency,
    ...(number === undefined ? {} : { number }),
    opening: { minor: opening.minor, on: opening.on },
    closing: { minor: closing.minor, on: closing.on },
    units,
  };
  assertBalanced(section, place, statement.passedOver);
  return section;
}
