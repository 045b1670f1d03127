import { accountForm, isAccount } from './accounts.ts';
import { type ColumnMap, DATE_FORMATS, TEXT_COLUMNS } from './columnMap.ts';
import { amountIn, dayIn, directionOf, isDayIn } from './csvCells.ts';
import { FaultError } from './statement.ts';

/** A column of a sample: its name in the header, the same as it is compared, and its cells that are not empty. */
export type Column = { readonly name: string; readonly word: string; readonly cells: readonly string[] };
type DateFormat = ColumnMap['dateFormat'];

/** How many of the cells of a column must be of a kind. */
const MOST_OF = 0.8;

/**
 * The words in the names of columns, by what the columns have. The words that say it best come first. The first of the
 * columns that say it equally well is taken. A booking's text says of which kind it is, and not what it is for.
 */
const WORDS: Readonly<Record<string, readonly RegExp[]>> = {
  valueOn: [/valut|walut|value|wert|valor|valeur|rente/],
  amount: [/amount|betrag|bedrag|montant|importe|importo|umsatz|kwota|belopp|belob|summe/],
  credit: [/credit|haben|gutschrift|credito|paidin|moneyin|deposit|eingang/],
  debit: [/debit|soll|lastschrift|belastung|cargo|paidout|moneyout|withdrawal|ausgang/],
  balance: [/balance|saldo|solde|kontostand/],
  endToEndId: [/endtoend|ende2ende|endezuende|e2e|^eref/],
  servicerReference: [/bankref|bankreferenz|transactionid|nrtransak|entryref|servicer/],
  reference: [/kundenref|customerref|betalingskenmerk/, /refer/],
  text: [
    /purpose|zweck|mededeling|remittance|narrative|tytu|libelle|concepto|causale/,
    /descri|detail|omschrijving|opis|szczeg|memo/,
    /^text$/,
    /text/,
  ],
  name: [
    /counterparty|payee|beneficiary|recipient|begunst|beguenst|empfanger|empfaenger|beteiligt|tegenpartij|kontrahent|odbiorc/,
    /auftraggeber/,
    /name|naam|nazwa/,
  ],
  account: [/iban/, /account|konto|konta|rekening|compte|rachun/],
};
/** What of a payment is none of these: who is its bank, and by which mandate it was collected. */
const OF_NO_COLUMN =
  /bic|swift|bankname|nazwabanku|bankcode|bankleitzahl|blz|mandat|glaubiger|glaeubiger|creditorid/;
const OTHER_SIDE =
  /tegen|counter|other|gegen|begunst|beguenst|payee|beneficiary|beteiligt|recipient|empf|kontrahent|odbiorc/;
const OWN_SIDE = /auftragskonto|eigen|^(own|my|our|mein|unser|ihr)|vanrekening|rachunekwlas|wlasn/;
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
    .filter(({ word }) => /currency|wahrung|waehrung|valuta|walut|devise|ccy|divisa|munt/.test(word))
    .find(
      ({ cells }) => cells.length > 0 && cells.every((cell) => cell === cells[0] && /^[A-Z]{3}$/.test(cell)),
    );
  return only?.cells[0];
}

/** Whether a column is for a number of an account. */
function isForAccount({ word, cells }: Column): boolean {
  return isNamed('account', word) && !OF_NO_COLUMN.test(word) && cells.every((cell) => /\d/.test(cell));
}

/** Whether the name of a column has a word for what it is to have. */
function isNamed(member: string, word: string): boolean {
  return (WORDS[member] ?? []).some((words) => words.test(word));
}

/**
 * The column of the account that all rows are of. `account`: where the caller knows it. Rows can be of one payee alone,
 * so that a name which does not say whose account it is leaves that open.
 */
export function ownColumnOf(
  columns: readonly Column[],
  account: string | undefined,
): { readonly column: Column; readonly isDoubtful: boolean } | undefined {
  const same = columns
    .filter(isForAccount)
    .filter(({ cells }) => cells.length > 0 && cells.every((cell) => cell === cells[0]));
  const others = columns.filter((column) => isForAccount(column) && OTHER_SIDE.test(column.word));
  const mine = same.filter((column) => !others.includes(column));
  const told = ranked(
    'account',
    mine.filter(({ word }) => OWN_SIDE.test(word)),
  );
  const known = account === undefined ? undefined : accountForm(account);
  const certain =
    told ??
    mine.find(({ cells: [cell = ''] }) => isAccount(accountForm(cell), known) === true) ??
    (others.length > 0 ? mine[0] : undefined);
  if (certain !== undefined) return { column: certain, isDoubtful: false };
  const only = known === undefined ? mine.find(({ cells }) => cells.length > 1) : undefined;
  return only && { column: only, isDoubtful: true };
}

/** The column whose name says best that it has something. */
function ranked(member: string, columns: readonly Column[]): Column | undefined {
  for (const words of WORDS[member] ?? []) {
    const found = columns.find(({ word }) => words.test(word));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The rows that are not booked yet, by the words of a column for the status. */
export function leaveOutOf(columns: readonly Column[]): ColumnMap['leaveOut'] {
  const state = columns.find(({ word }) => /status|state|zustand/.test(word));
  const values = [...new Set(state?.cells.filter((cell) => PENDING.test(wordOf(cell))))].slice(0, 20);
  return state === undefined || values.length === 0 ? undefined : { column: state.name, values };
}

/** Which column has what. `as`: how days and amounts are written. `own`: the column of our account. `isOwnKnown`: whether that is known otherwise. */
export function columnsOf(
  columns: readonly Column[],
  as: Pick<ColumnMap, 'currency' | 'decimalSeparator' | 'dateFormat'>,
  { own, isOwnKnown }: { readonly own: Column | undefined; readonly isOwnKnown: boolean },
): Partial<ColumnMap['columns']> {
  const taken = new Set<string>();
  const found: { [member: string]: string } = {};
  const put = (member: string, column: Column | undefined) => {
    if (column === undefined) return;
    taken.add(column.name);
    found[member] = column.name;
  };
  const free = (candidates: readonly Column[]) => candidates.filter(({ name }) => !taken.has(name));
  const take = (member: string, candidates: readonly Column[], is?: (column: Column) => boolean) =>
    put(member, is === undefined ? ranked(member, free(candidates)) : free(candidates).find(is));
  const named = (member: string) => (column: Column) => isNamed(member, column.word);
  const days = columns.filter((column) => areMost(column, (cell) => isDay(cell, as.dateFormat)));
  take('valueOn', days.length > 1 ? days : []);
  take('bookedOn', days, (column) => /book|buch|post|boek|bokfor|ksieg/.test(column.word));
  if (found['bookedOn'] === undefined) take('bookedOn', days, () => true);
  const map = { ...as, account: '', delimiter: ',', skipLines: 0, columns: { bookedOn: '' } } as const;
  const isAmount = (text: string) => isRead(() => amountIn({ text, place: '' }, map));
  const amounts = columns.filter((column) => !days.includes(column) && areMost(column, isAmount));
  take('balance', amounts);
  // A file of payouts alone has nothing in its column of credits, which is there all the same.
  const sided = columns.filter((column) => !days.includes(column) && isSide(column));
  const sides = ['debit', 'credit'].map((member) => sided.find(named(member)));
  if (sides.every((column) => column !== undefined))
    for (const member of ['debit', 'credit']) take(member, sided);
  else {
    // What left the account has no minus in a column of debits, and would be read as what came.
    const signed = amounts.filter((column) => !named('debit')(column));
    take('amount', signed);
    if (found['amount'] === undefined)
      take('amount', signed, ({ cells }) => cells.every((cell) => /[.,]\d{1,2}\D*$/.test(cell.slice(0, 64))));
    take(
      'direction',
      columns,
      (column) => column.cells.length > 0 && column.cells.every((cell) => directionOf(cell) !== undefined),
    );
  }
  const texts = columns.filter(
    (column) =>
      !days.includes(column) &&
      column !== own &&
      !OWN_SIDE.test(column.word) &&
      !OF_NO_COLUMN.test(column.word),
  );
  const accounts = texts.filter((column) => isForAccount(column) || column.cells.length === 0);
  const others = accounts.filter(({ word }) => OTHER_SIDE.test(word));
  // One row alone does not show whose account a column has.
  const isClear = own !== undefined || isOwnKnown;
  const unclear = isClear
    ? accounts
    : accounts.filter(({ cells }) => cells.some((cell) => cell !== cells[0]));
  for (const member of ['endToEndId', 'servicerReference', ...TEXT_COLUMNS]) {
    if (found[member] !== undefined) continue;
    if (member === 'account') put(member, ranked(member, free(others)) ?? ranked(member, free(unclear)));
    // A column for the account of the other side may have its name in front.
    else
      take(
        member,
        texts.filter((column) => member === 'name' || !isForAccount(column)),
      );
  }
  return found;
}
