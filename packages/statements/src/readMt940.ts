import { assertBalanced } from './balance.ts';
import { dayOf, minorOf } from './money.ts';
import { purposeOf } from './mt940Purpose.ts';
import { checked } from './readCamt.ts';
import { isNoReference } from './references.ts';
import {
  type Balance,
  checkedName,
  checkedReference,
  comparableAccount,
  type Direction,
  FaultError,
  FILE_LIMITS,
  faultOf,
  joinedText,
  keptReferences,
  type ReadStatements,
  type StatementSection,
  type StatementUnit,
} from './statement.ts';
import { createTurns } from './turns.ts';

/** The longest line and the most lines of a field. */
const [LINE_LENGTH, FIELD_LINES] = [1_024, 100];

/** A field of a message: `tag` such as 60F, its lines, and where it begins. `isCut`: it has more lines than are kept. */
type Field = { readonly tag: string; readonly lines: string[]; readonly line: number; isCut: boolean };

/**
 * Reads the statements of an MT940 from its text, which may come in parts. Frames of SWIFT around the messages are
 * passed over. Each statement must add up.
 */
export async function readMt940(parts: AsyncIterable<string> | Iterable<string>): Promise<ReadStatements> {
  const turns = createTurns();
  const collector = createCollector();
  try {
    let field: Field | undefined;
    for await (const { text, line } of linesOf(parts)) {
      await turns.step();
      const [, tag, rest = ''] = /^(?:\{[^:]*:)*:(\d{2}[A-Z]?):(.*)$/.exec(text) ?? [];
      const isEnd = /^-\}?|^\{/.test(text) && tag === undefined && !isOfText(field, text);
      if (tag === undefined && !isEnd) {
        if (field === undefined) continue;
        if (field.lines.length < FIELD_LINES) field.lines.push(text);
        else field.isCut = true;
        continue;
      }
      if (field !== undefined) collector.take(field);
      field = tag === undefined ? undefined : { tag, lines: [rest], line, isCut: false };
    }
    if (field !== undefined) collector.take(field);
    return { ok: true, sections: checked(collector.end()) };
  } catch (error) {
    return faultOf(error);
  }
}

/** Whether a text begins as an MT940 does. */
export function isMt940(begin: string): boolean {
  return /^\s*(\{1:|:20:|:940:)/.test(begin);
}

/** A line of a text may begin with a hyphen, while one alone ends the message. */
function isOfText(field: Field | undefined, text: string): boolean {
  return (
    field?.tag === '86' && text !== '-' && text !== '-}' && !text.startsWith('-}{') && !text.startsWith('{')
  );
}

async function* linesOf(
  parts: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<{ readonly text: string; readonly line: number }> {
  let [rest, line] = ['', 0];
  for await (const part of parts) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const text of [...lines, ...(rest.length > LINE_LENGTH ? [rest] : [])]) {
      line += 1;
      if (text.length > LINE_LENGTH)
        throw new FaultError(`line ${line}: the line is longer than any of an MT940.`);
      yield { text: text.replace(/^\uFEFF|\r$/g, ''), line };
    }
  }
  yield { text: rest.replace(/\r$/, ''), line: line + 1 };
}

/** A statement that is open. */
type Open = {
  account: string;
  currency: string | undefined;
  number: string | undefined;
  opening: Balance | undefined;
  closing: Balance | undefined;
  readonly units: StatementUnit[];
  /** The movement whose purposes may follow: the last one is read. */
  waiting: { readonly field: Field; readonly purposes: Field[] } | undefined;
  readonly line: number;
};

function createCollector(): { take(field: Field): void; end(): readonly StatementSection[] } {
  const sections: StatementSection[] = [];
  let open: Open | undefined;
  let count = 0;
  const settle = (of: Open) => {
    if (of.waiting === undefined) return;
    const unit = unitOf(of.waiting.field, of.waiting.purposes, of.currency);
    of.waiting = undefined;
    if (unit.minor > 0n) of.units.push(unit);
    count += 1;
    if (count > FILE_LIMITS.units)
      throw new FaultError(`A file may have ${FILE_LIMITS.units} entries. Send it in parts.`);
  };
  const close = () => {
    if (open === undefined) return;
    settle(open);
    if (sections.push(sectionOf(open)) > FILE_LIMITS.sections)
      throw new FaultError(`A file may have ${FILE_LIMITS.sections} statements. Send it in parts.`);
    open = undefined;
  };
  return {
    take(field) {
      const { tag, lines, line } = field;
      const text = (lines[0] ?? '').trim();
      if (tag === '20') {
        close();
        open = {
          ...{ account: '', currency: undefined, number: undefined, opening: undefined, closing: undefined },
          ...{ units: [], waiting: undefined, line },
        };
      }
      if (open === undefined) return;
      if (tag === '25') open.account = text;
      if (tag === '28C' || tag === '28') open.number = text;
      if (tag.startsWith('60')) {
        const { balance, currency } = balanceOf(text, line);
        Object.assign(open, { opening: balance, currency });
      }
      if (tag.startsWith('62')) open.closing = balanceOf(text, line, open.currency).balance;
      if (tag === '86') open.waiting?.purposes.push(field);
      if (tag === '61' || tag.startsWith('62')) settle(open);
      if (tag === '61') open.waiting = { field, purposes: [] };
    },
    end() {
      close();
      if (sections.length === 0)
        throw new FaultError('The file has no statements: an MT940 has the fields :20: to :62F:.');
      return sections;
    },
  };
}

function sectionOf({ account, currency, number, opening, closing, units, line }: Open): StatementSection {
  const place = `line ${line}`;
  if (account === '') throw new FaultError(`${place}: the statement names no account (:25:).`);
  if (currency === undefined || opening === undefined || closing === undefined)
    throw new FaultError(
      `${place}: the statement needs its opening balance (:60F:) and its closing balance (:62F:).`,
    );
  // Some banks write the currency behind the account.
  const bare = comparableAccount(account).replace(new RegExp(`(?<=\\d)${currency}$`), '');
  const named = number === undefined || number.length > FILE_LIMITS.referenceLength ? {} : { number };
  const section = { account: bare, currency, ...named, opening, closing, units };
  assertBalanced(section, place);
  return section;
}

/** Years of two digits are those of this century. */
function day(yymmdd: string, place: string): string {
  return dayOf(`20${yymmdd.slice(0, 2)}-${yymmdd.slice(2, 4)}-${yymmdd.slice(4, 6)}`, place);
}

function balanceOf(
  text: string,
  line: number,
  expected?: string,
): { readonly balance: Balance; readonly currency: string } {
  const place = `line ${line}`;
  const [, sign, date = '', currency = '', amount = ''] =
    /^([CD])(\d{6})([A-Z]{3})([\d,]+)$/.exec(text) ?? [];
  if (sign === undefined)
    throw new FaultError(
      `${place}: a balance must be C or D, a day, a currency, and an amount (C261124EUR100,00).`,
    );
  if (expected !== undefined && currency !== expected)
    throw new FaultError(`${place}: a balance is not in the currency of the account, ${expected}.`);
  const minor = minorOf(plain(amount), currency, place);
  return { currency, balance: { minor: sign === 'D' ? -minor : minor, on: day(date, place) } };
}

function plain(amount: string): string {
  return amount.replace(',', '.');
}

/** Day of value, day of booking, mark, amount, kind, and the references of the owner and of the bank. */
const MOVEMENT =
  /^(?<value>\d{6})(?<entry>\d{4})?(?<mark>R?[CD]|E[CD])(?<funds>[A-Z])?(?<amount>\d[\d,]*)(?<kind>[A-Z][A-Z0-9]{3})(?<rest>.*)$/;

function unitOf(
  { lines, line, isCut }: Field,
  purposes: readonly Field[],
  currency: string | undefined,
): StatementUnit {
  const place = `line ${line}`;
  if (currency === undefined)
    throw new FaultError(`${place}: an entry stands before the opening balance (:60F:).`);
  const {
    value = '',
    entry,
    mark = '',
    amount = '',
    kind = '',
    rest = '',
  } = MOVEMENT.exec(lines[0] ?? '')?.groups ?? {};
  if (mark === '')
    throw new FaultError(
      `${place}: an entry (:61:) must be a day, C or D, an amount with a comma, and a code of four characters.`,
    );
  const valueOn = day(value, place);
  const [owner = '', bank = ''] = rest.split('//');
  const purpose = purposeOf(purposes.at(-1)?.lines ?? []);
  const own = isNoReference(bank) ? undefined : checkedReference(bank.trim(), place);
  const references = [own ?? '', owner.trim(), ...purpose.references].filter((each) => !isNoReference(each));
  if (purpose.endToEndId !== undefined) checkedReference(purpose.endToEndId, place);
  checkedName(purpose.name, place);
  // The line below the entry is the bank's own remark.
  const isTextCut = isCut || purposes.length > 1 || purposes.some((each) => each.isCut);
  return {
    direction: directionOf(mark),
    minor: minorOf(plain(amount), currency, place),
    bookedOn: entry === undefined ? valueOn : bookedOn(valueOn, entry, place),
    valueOn,
    isReversal: mark.startsWith('R'),
    isRest: false,
    ...(own === undefined ? {} : { servicerReference: own }),
    code: purpose.code === undefined ? kind : `${kind}-${purpose.code}`,
    ...(purpose.endToEndId === undefined ? {} : { endToEndId: purpose.endToEndId }),
    references: keptReferences(references.map((each) => checkedReference(each, place))),
    ...(purpose.name === undefined ? {} : { name: purpose.name }),
    ...(purpose.account === undefined ? {} : { account: purpose.account }),
    ...joinedText([purpose.text ?? '', ...lines.slice(1)], isTextCut),
  };
}

/** RC takes a credit back, and RD a debit. */
function directionOf(mark: string): Direction {
  return mark.endsWith('C') === mark.startsWith('R') ? 'OUT' : 'IN';
}

/** The day of booking has no year: it is the one that is nearest to the day of value. */
function bookedOn(valueOn: string, entry: string, place: string): string {
  const year = Number(valueOn.slice(0, 4));
  const months = Number(entry.slice(0, 2)) - Number(valueOn.slice(5, 7));
  const shift = months > 6 ? -1 : months < -6 ? 1 : 0;
  return dayOf(`${year + shift}-${entry.slice(0, 2)}-${entry.slice(2)}`, place);
}
