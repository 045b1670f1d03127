import { minorDecimalsOf } from '@fairway/plan';
import type { ColumnMap } from './columnMap.ts';
import { dayOf, minorOf } from './money.ts';
import { type Direction, FaultError } from './statement.ts';

/** A cell of a CSV file. `place`: its line and its column, for messages. */
export type Cell = { readonly text: string; readonly place: string };

/** The longest cell that can be an amount or a day. */
const CELL_LENGTH = 64;
/** How much of a value a message shows. */
const SHOWN_LENGTH = 24;

/** Throws what is wrong with a cell: its place, its value, and what the map asks for. */
export function refuseCell({ text, place }: Cell, detail: string): never {
  const cut = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  throw new FaultError(`${place}: ${JSON.stringify(cut)} ${detail}`);
}

/** A sign before or behind the digits, or parentheses around an amount that left; minus signs of typographers, too. */
const SIGNED = /^(?<before>[+\-\u2212\u2013]?)\s*(?<digits>.*?)\s*(?<after>[+\-\u2212\u2013]?)$/s;
/** What stands between thousands beside the separator that is not the decimal one: apostrophes and spaces. */
const GROUP_SIGNS = "'\u2019 \u00A0\u2009\u202F";

const FORMS: Readonly<Record<ColumnMap['decimalSeparator'], RegExp>> = {
  '.': formOf('.', ','),
  ',': formOf(',', '.'),
};

function formOf(decimal: string, other: string): RegExp {
  const group = `[${other}${GROUP_SIGNS}]`;
  const grouped = `\\d{1,3}(?:${group}\\d{3})+|\\d{1,2}(?:${group}\\d{2})+${group}\\d{3}`;
  return new RegExp(`^(?<whole>${grouped}|\\d*)(?:\\${decimal}(?<fraction>\\d*))?$`);
}

/**
 * An amount of a cell in minor units, negative with a minus or in parentheses. The sign or code of the currency may
 * stand beside it. Three digits behind the decimal separator are refused, unless the currency has three. That separator
 * may be one of thousands.
 */
export function amountIn(cell: Cell, { currency, decimalSeparator }: ColumnMap): bigint {
  const name = decimalSeparator === '.' ? 'a point' : 'a comma';
  const asked = `The map asks for an amount of ${currency} with ${name} before its decimals (decimalSeparator).`;
  if (cell.text.length > CELL_LENGTH) return refuseCell(cell, `is no amount. ${asked}`);
  const bare = withoutCurrency(cell.text.trim(), currency);
  const inner = /^\((.*)\)$/s.exec(bare)?.[1];
  const { before = '', digits = '', after = '' } = SIGNED.exec(inner ?? bare)?.groups ?? {};
  const { whole, fraction = '' } =
    FORMS[decimalSeparator].exec(withoutCurrency(digits, currency))?.groups ?? {};
  if (whole === undefined || whole + fraction === '' || (before !== '' && after !== ''))
    return refuseCell(cell, `is no amount. ${asked}`);
  const decimalCount = minorDecimalsOf(currency) ?? 0;
  if (fraction.length === 3 && decimalCount !== 3)
    return refuseCell(
      cell,
      `has three digits behind ${name}, and ${currency} has ${decimalCount}: it may be thousands. ${asked}`,
    );
  if (!/^0*$/.test(fraction.slice(decimalCount)))
    return refuseCell(cell, `has more decimals than ${currency} has. ${asked}`);
  const minor = minorOf(`${whole.replaceAll(/\D/g, '') || '0'}.${fraction}`, currency, cell.place);
  const sign = before + after;
  return inner !== undefined || (sign !== '' && sign !== '+') ? -minor : minor;
}

/** A text without the currency's own code or sign at its begin and end. Those of others are kept, and refused. */
function withoutCurrency(text: string, currency: string): string {
  for (const mark of [currency, ...signsOf(currency)]) {
    if (text.startsWith(mark)) return text.slice(mark.length).trim();
    if (text.endsWith(mark)) return text.slice(0, -mark.length).trim();
  }
  return text;
}

const signs = new Map<string, readonly string[]>();

/** The signs of a currency, such as "A$" and "$". */
function signsOf(currency: string): readonly string[] {
  const known = signs.get(currency);
  if (known !== undefined) return known;
  const found = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay });
    return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
  });
  signs.set(currency, found);
  return found;
}

/** The words of banks for the direction of an entry, as they are compared. */
const DIRECTIONS: Readonly<Record<Direction, ReadonlySet<string>>> = {
  OUT: words(
    '- af uit out d db dr debit debet dbit debito debitare dare soll s lastschrift belastung abgang withdrawal',
  ),
  IN: words('+ bij in c cr credit crdt credito kredit k avere haben h gutschrift eingang zugang deposit'),
};

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** The direction that a word of a bank means; undefined for one that nobody knows. */
export function directionOf(text: string): Direction | undefined {
  const word = text
    .slice(0, CELL_LENGTH)
    .trim()
    .normalize('NFKD')
    .replaceAll(/[\p{M}.]/gu, '')
    .toLowerCase();
  return (['OUT', 'IN'] as const).find((direction) => DIRECTIONS[direction].has(word));
}

/** What may stand behind a day: a point, and a time. */
const REST = '\\.?(?:[T\\s,]+\\d{1,2}[:.]?\\d{2}.*)?$';
const [Y, M, D] = ['(?<y>\\d{4}|\\d{2})', '(?<m>\\d{1,2})', '(?<d>\\d{1,2})'];
const DAYS: Readonly<Record<ColumnMap['dateFormat'], RegExp>> = {
  'YYYY-MM-DD': dayForm(`${Y}-${M}-${D}`),
  'DD.MM.YYYY': dayForm(`${D}\\.\\s?${M}\\.\\s?${Y}`),
  'DD/MM/YYYY': dayForm(`${D}/${M}/${Y}`),
  'DD-MM-YYYY': dayForm(`${D}-${M}-${Y}`),
  'MM/DD/YYYY': dayForm(`${M}/${D}/${Y}`),
  'YYYY/MM/DD': dayForm(`${Y}/${M}/${D}`),
  YYYYMMDD: dayForm('(?<y>\\d{4})(?<m>\\d{2})(?<d>\\d{2})'),
};

function dayForm(pattern: string): RegExp {
  return new RegExp(`^${pattern}${REST}`, 's');
}

/** A day of a cell as YYYY-MM-DD. Years of two digits are those of this century. */
export function dayIn(cell: Cell, { dateFormat }: Pick<ColumnMap, 'dateFormat'>): string {
  const {
    y = '',
    m = '',
    d = '',
  } = (isDayIn(cell.text, dateFormat) && DAYS[dateFormat].exec(cell.text.trim())?.groups) || {};
  const day = `${y.length === 2 ? `20${y}` : y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`;
  try {
    return dayOf(day, cell.place);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return refuseCell(
      cell,
      `is no day of the years 1970 to 2199. The map asks for ${dateFormat} (dateFormat).`,
    );
  }
}

/** Whether a text is a day in a format. */
export function isDayIn(text: string, dateFormat: ColumnMap['dateFormat']): boolean {
  return text.length <= CELL_LENGTH && DAYS[dateFormat].test(text.trim());
}
