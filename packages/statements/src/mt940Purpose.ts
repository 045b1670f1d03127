import { isNoReference } from './references.ts';
import type { StatementUnit } from './statement.ts';

/** What field 86 tells of a movement. */
export type Purpose = Pick<StatementUnit, 'references'> &
  Partial<Pick<StatementUnit, 'endToEndId' | 'name' | 'account' | 'text' | 'code'>>;

const SEPA_MARKS = 'EREF KREF MREF CRED DEBT COAM OAMT SVWZ ABWA ABWE IBAN BIC'.split(' ');
const ISO_MARKS =
  'EREF MARF CSID REMI NAME IBAN BIC ORDP BENM TRTP ID ADDR ISDT PURP RTRN UDTR PREF IREF BREF EXCH OCMT CHGS CNTP SVWZ'.split(
    ' ',
  );
/**
 * The marks of SEPA within a text, such as `EREF+`. The line before may end just before one. With a colon a mark is a word
 * of its own.
 */
const SEPA = new RegExp(`(?:(?<=^|\\s)|(?=[A-Z]{3,4}\\+))(${SEPA_MARKS.join('|')})[+:] ?`);
/** The marks of ISO, such as `/EREF/`. */
const ISO = new RegExp(`/(${ISO_MARKS.join('|')})/`);
/** Stands where a line ends: a space may be lost there. */
const BREAK = '\n';
/** Marks that may be broken over two lines. */
const BROKEN_MARKS = new RegExp(
  [...SEPA_MARKS.map((mark) => `${mark}+`), ...ISO_MARKS.map((mark) => `/${mark}/`)]
    .map((mark) => Array.from(mark, (sign) => (sign === '+' ? '[+:]' : sign)).join(`${BREAK}?`))
    .join('|'),
  'g',
);
/** The subfields of a structured field: a sign, and two digits. Some banks leave the code before the first one out. */
const SUBFIELDS = /^(?:(\d{3})([^\w\s])|(\?))(?=\d{2})/;

/**
 * Reads field 86 of an MT940: with subfields (`?20`), with the marks of ISO (`/EREF/`), with those of SEPA (`EREF+`), or as
 * a text. `lines`: those of the file; banks break them anywhere.
 */
export function purposeOf(lines: readonly string[]): Purpose {
  const joined = lines.join('');
  const [, code, ofCode, sign = ofCode] = SUBFIELDS.exec(joined) ?? [];
  if (sign !== undefined) return withSubfields(joined.slice(code?.length ?? 0), sign, code);
  return ISO.test(joined) ? withIso(broken(lines)) : ofText(broken(lines));
}

/** Lines as one text, with a break for the end of each, unless it is within a mark. */
function broken(lines: readonly string[]): string {
  return lines.join(BREAK).replaceAll(BROKEN_MARKS, (mark) => mark.replaceAll(BREAK, ''));
}

/** A text that goes on over the ends of lines. */
function whole(text: string): string {
  return text.replaceAll(BREAK, '').trim();
}

function withSubfields(text: string, sign: string, code: string | undefined): Purpose {
  const fields = new Map<string, string[]>();
  for (const part of text.split(sign)) {
    const [key, value] = [part.slice(0, 2), part.slice(2)];
    if (/^\d{2}$/.test(key)) fields.set(key, [...(fields.get(key) ?? []), value]);
  }
  const all = (...keys: readonly string[]) => keys.flatMap((key) => fields.get(key) ?? []);
  const numbers = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  const lines = all(...numbers(20, 29), ...numbers(60, 63));
  // Each line has 27 characters of the text, wherever a word ends.
  const purpose = ofText(broken(lines));
  return {
    ...purpose,
    ...given('code', code),
    ...given('account', all('31').join('').trim() || purpose.account),
    ...given('name', all('32', '33').join('').trim() || purpose.name),
  };
}

function withIso(text: string): Purpose {
  const fields = marked(text, ISO);
  const [name] = (fields.get('NAME') ?? []).map(last);
  return {
    references: ['PREF', 'IREF', 'BREF'].flatMap((mark) => referencesIn(fields.get(mark))),
    ...given('endToEndId', referencesIn(fields.get('EREF'))[0]),
    ...given('account', whole(fields.get('IBAN')?.[0] ?? '')),
    ...given('name', whole(name ?? '')),
    ...given('text', textOf([...(fields.get('REMI') ?? []), ...(fields.get('') ?? [])].map(last))),
  };
}

/** `/REMI/USTD//text` and `/REMI/STRD/CUR/reference` have the text last. */
function last(value: string): string {
  return withoutSlashes(value.replace(/^(USTD|STRD)\/(CUR|ISO)?\//, ''));
}

/** A text without the slashes around it. An expression would try the end of each row of slashes. */
function withoutSlashes(text: string): string {
  let [begin, end] = [0, text.length];
  while (begin < end && text[begin] === '/') begin += 1;
  while (end > begin && text[end - 1] === '/') end -= 1;
  return text.slice(begin, end);
}

function ofText(text: string): Purpose {
  const fields = marked(text, SEPA);
  return {
    references: referencesIn(fields.get('KREF')),
    ...given('endToEndId', referencesIn(fields.get('EREF'))[0]),
    ...given('account', whole(fields.get('IBAN')?.[0] ?? '')),
    ...given('name', whole(fields.get('ABWA')?.[0] ?? '')),
    ...given('text', textOf([...(fields.get('SVWZ') ?? []), ...(fields.get('') ?? [])])),
  };
}

/** What is read for references: parts of one word are found over a space, but not words without one. */
function textOf(parts: readonly string[]): string {
  return parts.join(' ').replaceAll(BREAK, ' ').trim();
}

/** The parts of a text by the marks before them; what stands before the first one has none. */
function marked(text: string, mark: RegExp): ReadonlyMap<string, readonly string[]> {
  const parts = text.split(new RegExp(mark.source, 'g'));
  const fields = new Map<string, string[]>([['', [parts[0] ?? '']]]);
  for (let index = 1; index < parts.length; index += 2)
    fields.set(parts[index] ?? '', [...(fields.get(parts[index] ?? '') ?? []), parts[index + 1] ?? '']);
  return fields;
}

function referencesIn(values: readonly string[] = []): readonly string[] {
  return values.map((value) => withoutSlashes(whole(value)).trim()).filter((value) => !isNoReference(value));
}

function given<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [key in Name]?: string } {
  return (value === undefined || value === '' ? {} : { [name]: value }) as {
    readonly [key in Name]?: string;
  };
}
