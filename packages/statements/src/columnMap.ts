/** How a day is written in a file. Days and months of one digit, years of two and a time behind the day are read, too. */
export const DATE_FORMATS = [
  'YYYY-MM-DD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'DD-MM-YYYY',
  'MM/DD/YYYY',
  'YYYY/MM/DD',
  'YYYYMMDD',
] as const;
/** What stands between the columns of a file. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The columns that a file may have beside its days and amounts. */
export const TEXT_COLUMNS = [
  'servicerReference',
  'endToEndId',
  'reference',
  'name',
  'account',
  'text',
] as const;

/**
 * Where a CSV file has what. `columns`: the names in its header. An amount is one column, negative where money left.
 * Or `direction` has its direction. Or it is in the two columns `credit` and `debit`. `balance`: what the account held
 * after the entry. `leaveOut`: the rows that are no booked entries, by what a column has.
 */
export type ColumnMap = {
  readonly account: string;
  readonly currency: string;
  readonly delimiter: (typeof DELIMITERS)[number];
  readonly decimalSeparator: '.' | ',';
  readonly dateFormat: (typeof DATE_FORMATS)[number];
  /** How many lines stand before the header. */
  readonly skipLines: number;
  readonly leaveOut?: { readonly column: string; readonly values: readonly string[] };
  readonly columns: {
    readonly bookedOn: string;
    readonly valueOn?: string;
    readonly amount?: string;
    readonly direction?: string;
    readonly credit?: string;
    readonly debit?: string;
    readonly balance?: string;
  } & { readonly [name in (typeof TEXT_COLUMNS)[number]]?: string };
};
