import { createHash, type Hash } from 'node:crypto';
import sax from 'sax';
import { assertBalanced, isBalanced } from './balance.ts';
import {
  balanceOf,
  type CamtEntry,
  first,
  isBooked,
  kindOf,
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

const CAMT_NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:(camt\.05[234])\.001\.(0[2-9]|1[0-3])$/;

/** The formats that are read: a report of a day so far, a statement, and a notification of entries. */
export type CamtFormat = 'camt.052' | 'camt.053' | 'camt.054';
/** What each format calls the message and the statement in it. */
const NAMES: Readonly<Record<CamtFormat, Readonly<Record<string, string>>>> = {
  'camt.052': { BkToCstmrAcctRpt: 'BkToCstmrStmt', Rpt: 'Stmt' },
  'camt.053': {},
  'camt.054': { BkToCstmrDbtCdtNtfctn: 'BkToCstmrStmt', Ntfctn: 'Stmt' },
};
/** `strictEntities`: only the five entities of XML itself; the types of the library do not have it. */
const OPTIONS = { xmlns: true, position: true, strictEntities: true } as sax.SAXOptions;
/** How much text the library is given at once. Between two parts, a tag that does not end is noticed. */
const PART_LENGTH = 4_096;
/** The elements whose texts are kept, each below the one before it, in the names of a camt.053. */
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
 * Reads a camt.053, camt.052 or camt.054 of .001.02 to .001.13 from its text, which may come in parts: its booked
 * entries alone. The document may stand in an envelope with a header. Refuses DTDs and entities of a document's own, and
 * what is not well-formed. Also refuses amounts that are no decimals of the account's currency, and a statement that
 * does not add up. A camt.052 or camt.054 need not add up: it has some entries of a day.
 */
export async function readCamt(
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<ReadStatements & { readonly format?: CamtFormat }> {
  const reader = createReader(createTurns());
  try {
    for await (const part of parts) await reader.write(part);
    return { ok: true, ...(await reader.end()) };
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
  /** Is told once the document has begun. */
  format: CamtFormat;
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
  /** The currency of the account, once an entry has asked for it. */
  currency: string | undefined;
};

function openStatement(): OpenStatement {
  return { balances: [], units: [], digest: createHash('sha256'), passedOver: 0, currency: undefined };
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
  const collector: Collector = {
    format: 'camt.053',
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
          const section = sectionOf(each.leaves, each.of, collector.format);
          const { units: _, ...head } = section;
          const digest = each.of.digest.update(textOf([first(each.leaves, 'Id'), head])).digest('hex');
          // Some banks put a statement and its copy into one file.
          if (!kept.has(digest) && sections.push(section) > FILE_LIMITS.sections) throw tooMany();
          kept.add(digest);
        }
    },
  };
  return collector;
}

async function readEntry(
  { of, entry, ofStatement }: Extract<Ended, { readonly entry: CamtEntry }>,
  turns: Turns,
): Promise<void> {
  // Balances come before entries.
  of.currency ??= currencyOf(ofStatement, of.balances) ?? entry.leaves.texts.get('Amt')?.[0]?.currency;
  for (const unit of unitsOf(entry, of.currency ?? '')) {
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
  end(): Promise<{ readonly sections: readonly StatementSection[]; readonly format: CamtFormat }>;
} {
  const parser = sax.parser(true, OPTIONS);
  const refuse = (detail: string): never => {
    throw new FaultError(`line ${parser.line + 1}: ${detail}`);
  };
  const collector = createCollector();
  refuseForeign(parser, refuse);
  const { isTagTooLong, hasDocument } = readElements(parser, collector, refuse);
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
      if (!hasDocument()) refuse(NO_CAMT);
      if (collector.sections.length === 0) throw new FaultError('The file has no statements.');
      return { sections: checked(collector.sections), format: collector.format };
    },
  };
}

const NO_CAMT =
  'the document is no camt.052, camt.053 or camt.054 of .001.02 to .001.13 (Document and its namespace).';

/** Refuses what is no XML, and everything that can lead out of the file or make it larger than it is. */
function refuseForeign(parser: sax.SAXParser, refuse: (detail: string) => never): void {
  parser.onerror = (error) => {
    // The message quotes the character at the place, and no more of the file.
    const [reason = 'not well-formed'] = error.message.split('\n');
    refuse(`the XML is not well-formed (${reason.slice(0, 60).replaceAll(/[^\w .,:]/g, '')}).`);
  };
  parser.ondoctype = () => refuse('a document type (DTD) is not accepted. Send the file without it.');
}

/**
 * Has the elements collected whose texts are kept. Answers how to ask whether the document was there, and whether a tag
 * has begun that does not end. For each attribute the library goes through all that the tag had before. It tells of no attribute before
 * the end of the tag.
 */
function readElements(
  parser: sax.SAXParser,
  collector: Collector,
  refuse: (detail: string) => never,
): { isTagTooLong(): boolean; hasDocument(): boolean } {
  const open: string[] = [];
  // The place of each open element among what is kept. The element's own path could be as long as the file is deep.
  const paths: (KeptPath | undefined)[] = [];
  const frames: Frame[] = [];
  let namespace: string | undefined;
  // How many elements of an envelope the document stands in.
  let base = 0;
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
    if (local === 'Document' && (namespace === undefined || open.length <= base)) {
      if (namespace !== undefined) refuse('there is more than one document.');
      const format = CAMT_NAMESPACE.exec(uri)?.[1] as CamtFormat | undefined;
      collector.format = format ?? refuse(NO_CAMT);
      namespace = uri;
      base = open.length;
    }
    if (open.length >= FILE_LIMITS.depth) refuse(`elements nest deeper than ${FILE_LIMITS.depth} levels.`);
    const known = NAMES[collector.format][local] ?? local;
    const name = uri === namespace ? known : `{}${local}`;
    const kind = name in PARENTS ? (name as Kind) : undefined;
    if (kind !== undefined && isBelow(PARENTS[kind], open, base)) {
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
  return {
    isTagTooLong: () => tagBegin !== undefined && parser.position - tagBegin > PART_LENGTH,
    hasDocument: () => namespace !== undefined,
  };
}

function isBelow(parents: readonly string[], open: readonly string[], base: number): boolean {
  return open.length - base === parents.length && parents.every((name, index) => open[base + index] === name);
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
  // One more is the sign that others are passed over.
  else if (known.length <= FILE_LIMITS.texts) known.push(leaf);
}

/** Throws where there is too much. */
export function checked(sections: readonly StatementSection[]): readonly StatementSection[] {
  let count = 0;
  for (const { units } of sections) count += units.length;
  if (count > FILE_LIMITS.units)
    throw new FaultError(`A file may have ${FILE_LIMITS.units} entries. Send it in parts.`);
  return sections;
}

/** The kinds of balances that a statement begins and ends with. */
const [OPENINGS, CLOSINGS] = [
  ['OPBD', 'OPBD INTM', 'PRCD'],
  ['CLBD', 'CLBD INTM'],
] as const;

/** The currency of an account. A balance in another currency is information. */
function currencyOf(statement: Leaves, balances: readonly Leaves[]): string | undefined {
  const [own] = balances.filter((each) => OPENINGS.some((kind) => kind === kindOf(each)));
  return first(statement, 'Acct/Ccy') ?? (own ?? balances[0])?.texts.get('Amt')?.[0]?.currency;
}

function sectionOf(leaves: Leaves, statement: OpenStatement, format: CamtFormat): StatementSection {
  const { balances, units } = statement;
  const place = `line ${leaves.line}`;
  const account = first(leaves, 'Acct/Id/IBAN') ?? first(leaves, 'Acct/Id/Othr/Id');
  if (account === undefined) throw new FaultError(`${place}: the statement names no account (Acct/Id).`);
  const currency = statement.currency ?? currencyOf(leaves, balances);
  if (currency === undefined)
    throw new FaultError(
      `${place}: the statement has neither balances nor the currency of the account (Acct/Ccy).`,
    );
  const known = balances
    .filter((each) => each.texts.get('Amt')?.[0]?.currency === currency)
    .map((each) => balanceOf(each, currency));
  const ofKind = (...kinds: readonly string[]) => known.filter(({ kind }) => kinds.includes(kind));
  const between = ofKind('ITBD');
  const opening = [...ofKind(...OPENINGS), ...(between.length > 1 ? between : [])][0];
  const closing = [...ofKind(...CLOSINGS), ...between.slice(-1)][0];
  // Without a number, the id tells two statements apart as well.
  const number = ['LglSeqNb', 'ElctrncSeqNb', 'Id']
    .map((path) => first(leaves, path))
    .find((each) => each !== undefined && each.length <= FILE_LIMITS.referenceLength);
  const section: StatementSection = {
    account: comparableAccount(account),
    currency,
    ...(number === undefined ? {} : { number }),
    units,
  };
  if (opening === undefined || closing === undefined) {
    if (format !== 'camt.053') return section;
    throw new FaultError(
      `${place}: the statement needs its opening balance (OPBD or PRCD) and its closing balance (CLBD).`,
    );
  }
  const balanced: StatementSection = {
    ...section,
    opening: { minor: opening.minor, on: opening.on },
    closing: { minor: closing.minor, on: closing.on },
  };
  // What a bank tells of a day need not be all of it. Then the balances say nothing of its entries.
  if (format !== 'camt.053' && !isBalanced(balanced)) return section;
  assertBalanced(balanced, place, statement.passedOver);
  return balanced;
}
