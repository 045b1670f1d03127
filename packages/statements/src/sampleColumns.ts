import { type ColumnMap, DATE_FORMATS, TEXT_COLUMNS } from './columnMap.ts';
import { amountIn, dayIn, directionOf, isDayIn } from './csvCells.ts';
import { FaultError } from './statement.ts';

/** A column of a sample: its name in the header, the same as it is compared, and its cells that are not empty. */
export type Column = { readonly name: string; readonly word: string; readonly cells: readonly string[] };
type DateFormat = ColumnMap['dateFormat'];

/** How many of the cells of a column must be of a kind. */
const MOST_OF = 0.8;

/** The words in the names of columns, by what the columns have. The first column that fits is taken. */
const WORDS: Readonly<Record<string, RegExp>> = {
  valueOn: /valut|value|wert|valor|valeur|rente/,
  amount: /amount|betrag|bedrag|montant|importe|importo|umsatz|kwota|belopp|belob|summe/,
  credit: /credit|haben|gutschrift|credito|paidin|moneyin|deposit|eingang/,
  debit: /debit|soll|lastschrift|belastung|cargo|paidout|moneyout|withdrawal|ausgang/,
  balance: /balance|saldo|solde|kontostand/,
  endToEndId: /endtoend|ende2ende|e2e|eref/,
  servicerReference: /bankref|bankreferenz|transactionid|entryref|servicer/,
  reference: /refer|kundenref/,
  text: /purpose|zweck|descri|detail|omschrijving|mededeling|libelle|concepto|memo|narrative|text|remittance|causale/,
  name: /name|counterparty|payee|beneficiary|begunstigt|beguenstigt|empfanger|empfaenger|auftraggeber|tegenpartij|naam|recipient|beteiligt/,
  account: /iban|account|konto|rekening|compte/,
};
const OTHER_SIDE = /tegen|counter|other|gegen|begunst|beguenst|payee|beneficiary|beteiligt|recipient/;
/** Names of columns of creditors and debtors, who are no credits and debits. */
const PERSON = /creditor|debitor|kreditor|iban|account|konto|id$/;
const PENDING = /pend|vorgemerkt|reserv|notbooked|provis|offen|open/;

/** A name in the form in which it is compared: its letters and digits. */
export function wordOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

function areMost({ cells }: Column, is: (cell: string) => boolean): boolean {
  return cells.length > 0 && cells.filter(is).length >= MOST_OF * cells.length;
}

function isRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof FaultError) return false;
    throw error;
  }
}

/** Whether a column can be one of debits or of credits: numbers, however written, or nothing. */
function isSide({ word, cells }: Column): boolean {
  return (
    !PERSON.test(word) && cells.every((cell) => /^[^\p{L}]*(\p{L}{1,3}[^\p{L}]*)?$/u.test(cell.slice(0, 64)))
  );
}

/** Whether a cell is a day of the calendar in a format. */
function isDay(text: string, dateFormat: DateFormat): boolean {
  return isDayIn(text, dateFormat) && isRead(() => dayIn({ text, place: '' }, { dateFormat }));
}

/** Whether a cell is a day in any format. */
export function isAnyDay(text: string): boolean {
  return DATE_FORMATS.some((format) => isDay(text, format));
}

/** The format of the days of a sample, and whether another one fits as well; undefined where there are no days. */
export function dateFormatOf(
  columns: readonly Column[],
): { readonly format: DateFormat; readonly isDoubtful: boolean } | undefined {
  const counts = DATE_FORMATS.map((format) => {
    const days = columns.filter((column) => areMost(column, (cell) => isDay(cell, format)));
    return {
      format,
      count: days.reduce((sum, { cells }) => sum + cells.filter((cell) => isDay(cell, format)).length, 0),
    };
  }).toSorted((a, b) => b.count - a.count);
  const [best, next] = counts;
  if (best === undefined || best.count === 0) return undefined;
  return { format: best.format, isDoubtful: next?.count === best.count };
}

/** What amounts are written with, by the digits behind the last separator; undefined where nothing shows it. */
export function decimalSeparatorOf(columns: readonly Column[]): '.' | ',' | undefined {
  const votes = { '.': 0, ',': 0 };
  for (const { cells } of columns)
    for (const cell of cells) {
      const sign = /^\D{0,4}[\d.,'’\s]+?([.,])\d{1,2}\D{0,4}$/.exec(cell.slice(0, 64))?.[1];
      if ((sign === '.' || sign === ',') && !isAnyDay(cell)) votes[sign] += 1;
    }
  if (votes['.'] === votes[',']) return undefined;
  return votes['.'] > votes[','] ? '.' : ',';
}

/** The code that all rows of a column for currencies have. */
export function currencyOf(columns: readonly Column[]): string | undefined {
  const only = columns
    .filter(({ word }) => /currency|wahrung|waehrung|valuta|devise|ccy|divisa|munt/.test(word))
    .find(
      ({ cells }) => cells.length > 0 && cells.every((cell) => cell === cells[0] && /^[A-Z]{3}$/.test(cell)),
    );
  return only?.cells[0];
}

/** The account that all rows are of. */
export function accountOf(columns: readonly Column[]): string | undefined {
  const only = columns
    .filter(({ word }) => (WORDS['account'] ?? /^$/).test(word) && !OTHER_SIDE.test(word))
    .find(({ cells }) => cells.length > 1 && cells.every((cell) => cell === cells[0]));
  return only?.cells[0];
}

/** The rows that are not booked yet, by the words of a column for the status. */
export function leaveOutOf(columns: readonly Column[]): ColumnMap['leaveOut'] {
  const state = columns.find(({ word }) => /status|state|zustand/.test(word));
  const values = [...new Set(state?.cells.filter((cell) => PENDING.test(wordOf(cell))))].slice(0, 20);
  return state === undefined || values.length === 0 ? undefined : { column: state.name, values };
}

/** Which column has what. `as`: how days and amounts are written. */
export function columnsOf(
  columns: readonly Column[],
  as: Pick<ColumnMap, 'currency' | 'decimalSeparator' | 'dateFormat'>,
): Partial<ColumnMap['columns']> {
  const taken = new Set<string>();
  const found: { [member: string]: string } = {};
  const take = (member: string, candidates: readonly Column[], isNamed: (column: Column) => boolean) => {
    const column = candidates.find((each) => !taken.has(each.name) && isNamed(each));
    if (column === undefined) return;
    taken.add(column.name);
    found[member] = column.name;
  };
  const named = (member: string) => (column: Column) => (WORDS[member] ?? /^$/).test(column.word);
  const days = columns.filter((column) => areMost(column, (cell) => isDay(cell, as.dateFormat)));
  take('valueOn', days.length > 1 ? days : [], named('valueOn'));
  take('bookedOn', days, (column) => /book|buch|post|boek|bokfor/.test(column.word));
  if (found['bookedOn'] === undefined) take('bookedOn', days, () => true);
  const map = { ...as, account: '', delimiter: ',', skipLines: 0, columns: { bookedOn: '' } } as const;
  const isAmount = (text: string) => isRead(() => amountIn({ text, place: '' }, map));
  const amounts = columns.filter((column) => !days.includes(column) && areMost(column, isAmount));
  take('balance', amounts, named('balance'));
  // A file of payouts alone has nothing in its column of credits, which is there all the same.
  const sided = columns.filter((column) => !days.includes(column) && isSide(column));
  const sides = ['debit', 'credit'].map((member) => sided.find(named(member)));
  if (sides.every((column) => column !== undefined))
    for (const member of ['debit', 'credit']) take(member, sided, named(member));
  else {
    // What left the account has no minus in a column of debits, and would be read as what came.
    const signed = amounts.filter((column) => !named('debit')(column));
    take('amount', signed, named('amount'));
    if (found['amount'] === undefined)
      take('amount', signed, ({ cells }) => cells.every((cell) => /[.,]\d{1,2}\D*$/.test(cell.slice(0, 64))));
    take(
      'direction',
      columns,
      (column) => column.cells.length > 0 && column.cells.every((cell) => directionOf(cell) !== undefined),
    );
  }
  const own = accountOf(columns);
  const texts = columns.filter((column) => !days.includes(column) && column.cells[0] !== own);
  for (const member of ['endToEndId', 'servicerReference', ...TEXT_COLUMNS]) {
    // A column for the account of the other side may have its name in front.
    if (found[member] === undefined) take(member, texts, named(member));
  }
  return found;
}
