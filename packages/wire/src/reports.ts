import { type Static, Type } from 'typebox';
import { LIMITS, LINE_PATTERN, Timestamp, wordOf } from './fields.ts';
import { Asset } from './money.ts';
import { PageCursor, pageOf } from './pages.ts';
import {
  ACCOUNT_ROLES,
  ALL_COLUMNS,
  COLUMN_SETS,
  METADATA_COLUMN_PATTERN,
  REPORT_TYPES,
} from './reportColumns.ts';

/** The formats of their files. */
export const REPORT_FORMATS = ['csv', 'json', 'xlsx', 'camt.053'] as const;
/** How a report stands. */
export const REPORT_STATUSES = ['PENDING', 'COMPLETE', 'FAILED'] as const;
/** The kinds of movements. */
export const MOVEMENT_KINDS = [
  'DEPOSIT',
  'SWAP_IN',
  'SWAP_OUT',
  'PAYOUT',
  'RETURN',
  'REFUND',
  'DEDUCTION',
] as const;

/** The form of a report's id. */
export const REPORT_ID_PATTERN = '^rep_[0-9a-f]{32}$';

const ReportId = Type.String({
  pattern: REPORT_ID_PATTERN,
  description: 'Unique identifier of a report.',
  examples: ['rep_0199a6f200007abc8def0123456789ab'],
});

/** Path parameter of the operations on a report. */
export const ReportPath = Type.Object({ reportId: Type.String() });

const ReportFilter = Type.Object(
  {
    corridorId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.corridorIdLength,
        description: 'What is of plans of this corridor alone.',
        examples: ['usdc-aud-bank'],
      }),
    ),
    kind: Type.Optional(
      wordOf(MOVEMENT_KINDS, { description: 'The movements of this kind alone; of movements only.' }),
    ),
  },
  { additionalProperties: false, description: 'Which rows the report has. Absent: all.' },
);

const Timezone = Type.String({
  minLength: 1,
  maxLength: LIMITS.timezoneLength,
  description: 'The IANA time zone of valueDate. Times in the file are UTC. Absent: UTC.',
  examples: ['Australia/Sydney'],
});

const COLUMN = { description: 'A column of the type of report.' };

const MetadataColumn = Type.String({
  pattern: METADATA_COLUMN_PATTERN,
  description: "What the plan's metadata has under a name.",
  examples: ['metadata.invoice'],
});

/** The form of a period. */
export const PERIOD_PATTERN = '^[12][0-9]{3}-(0[1-9]|1[0-2])$';

const Period = Type.String({
  pattern: PERIOD_PATTERN,
  description: 'A calendar month of timezone that is over, in place of from and to.',
  examples: ['2026-10'],
});

/** The most characters of an account of a journal. */
export const ACCOUNT_LENGTH = 60;

const Account = Type.String({
  minLength: 1,
  maxLength: ACCOUNT_LENGTH,
  pattern: LINE_PATTERN,
  examples: ['1310'],
});

const JournalAccounts = Type.Partial(
  Type.Object(Object.fromEntries(ACCOUNT_ROLES.map((role) => [role, Account])) as JournalAccountFields, {
    additionalProperties: false,
  }),
  {
    description:
      'The accounts of a journal, as your ledger calls them. Absent ones have the name of their role. Only of journal.',
  },
);

type JournalAccountFields = Readonly<Record<(typeof ACCOUNT_ROLES)[number], typeof Account>>;

/** Body of POST /v1/reports. */
export const ReportRequest = Type.Object(
  {
    type: wordOf(REPORT_TYPES, {
      description:
        'movements: a row for each movement of money, as the ledger has them. execution-quality: a row for each execution of a swap, with the quoted and the received amount. plans: a row for each plan whose money moved, with the planned and the settled amount. journal: balanced debit and credit lines for each movement, to be posted.',
    }),
    format: wordOf(REPORT_FORMATS, {
      description: `The format of the file. xlsx holds at most ${LIMITS.spreadsheetRows.toLocaleString('en')} rows. camt.053 (.001.08) is of movements, with filter.corridorId: a statement of what the custodian of the corridor paid in its currency, with balances.`,
    }),
    from: Type.Optional({
      ...Timestamp,
      description: 'What was recorded from this time on. It is included. Absent where period is given.',
    }),
    to: Type.Optional({
      ...Timestamp,
      description:
        'What was recorded before this time. It is not included, and not in the future. Absent where period is given.',
    }),
    period: Type.Optional(Period),
    timezone: Type.Optional(Timezone),
    columns: Type.Optional(
      Type.Array(Type.Union([wordOf(ALL_COLUMNS, COLUMN), MetadataColumn]), {
        minItems: 1,
        maxItems: ALL_COLUMNS.length,
        uniqueItems: true,
        description: 'The columns of the file, in their order. Absent: those of columnSet. Not for camt.053.',
      }),
    ),
    columnSet: Type.Optional(
      wordOf(COLUMN_SETS, {
        description:
          'A set of columns, in place of columns. finance: those that a person reads, with the id of each row. full, and absent: all but reconciliation, statementEntry and metadata.',
      }),
    ),
    accounts: Type.Optional(JournalAccounts),
    byteOrderMark: Type.Optional(
      Type.Boolean({
        description: 'Whether a csv begins with a byte order mark, by which Excel knows UTF-8. Absent: no.',
      }),
    ),
    filter: Type.Optional(ReportFilter),
  },
  { additionalProperties: false, description: 'A report to make.' },
);

/** The sum of the movements of a kind and an asset. */
const ControlTotal = Type.Object(
  {
    asset: Asset,
    kind: wordOf(MOVEMENT_KINDS, { description: 'The kind of movements.' }),
    rows: Type.Integer({ minimum: 1, description: 'How many rows of the file it has.' }),
    amount: Type.String({
      pattern: '^-?(0|[1-9][0-9]*)$',
      description: "In the asset's smallest units. Reversed money counts as negative.",
      examples: ['250000000'],
    }),
    amountDecimal: Type.Optional(
      Type.String({ description: 'The same in whole units.', examples: ['250.000000'] }),
    ),
  },
  { description: 'What the column amount of the file adds up to.' },
);

/** A report. */
export const Report = Type.Object(
  {
    reportId: ReportId,
    type: wordOf(REPORT_TYPES, { description: 'What it tells of.' }),
    format: wordOf(REPORT_FORMATS, { description: 'The format of the file.' }),
    from: Timestamp,
    to: Timestamp,
    period: Type.Optional(Period),
    timezone: Type.String({ description: 'The IANA time zone of valueDate.' }),
    columns: Type.Array(Type.String(), {
      description: 'The columns of the file, in their order; none for camt.053.',
    }),
    accounts: Type.Optional(JournalAccounts),
    byteOrderMark: Type.Optional(Type.Boolean({ description: 'Whether the csv begins with one.' })),
    filter: Type.Optional(ReportFilter),
    status: wordOf(REPORT_STATUSES, {
      description: 'PENDING: it is being made. COMPLETE: the file can be downloaded. FAILED: there is none.',
    }),
    rows: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How many rows the file has, its header not counted.' }),
    ),
    bytes: Type.Optional(Type.Integer({ minimum: 0, description: 'How long the file is.' })),
    sha256: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the file, in hexadecimal.' }),
    ),
    emptyColumns: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The columns of metadata that no row has anything in: perhaps misspelt names.',
      }),
    ),
    controlTotals: Type.Optional(
      Type.Array(ControlTotal, {
        description: 'By asset and kind, whatever columns the file has. For camt.053, in the currency.',
      }),
    ),
    downloadUrl: Type.Optional(
      Type.String({ description: 'The path of the file. It needs a credential, like every path.' }),
    ),
    failure: Type.Optional(
      Type.Object(
        {
          code: wordOf(['GAVE_UP', 'TOO_MANY_ROWS', 'FORMAT_NOT_SUPPORTED'], {
            description:
              'GAVE_UP: it was begun too often; ask for it again. TOO_MANY_ROWS: rows that came after the request are more than its format holds; ask for csv, or for a shorter period. FORMAT_NOT_SUPPORTED: something came after the request that its format cannot hold; detail says what.',
          }),
          detail: Type.String(),
        },
        { description: 'Why there is no file.' },
      ),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    description:
      'A report over a period. The same period gives the same file, whenever it is asked for, unless it names the columns reconciliation or statementEntry.',
  },
);
export type Report = Static<typeof Report>;

/** Query of GET /v1/reports. */
export const ReportsQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ ...LIMITS.pageSize, description: 'The most reports on a page.' })),
    cursor: PageCursor,
  },
  { additionalProperties: false },
);

/** Response of GET /v1/reports. */
export const ReportList = pageOf(Report, 'Newest first.', 'A page of reports.');
export type ReportList = Static<typeof ReportList>;

/** Response of GET /v1/reports/{reportId}/download as CSV. */
export const ReportFile = Type.String({
  description: 'The file, in the format of the report.',
  examples: ['movementId,kind,amount\r\nmov_0199…,DEPOSIT,250000000\r\n'],
});

/** The same as JSON. */
export const ReportRows = Type.Array(
  Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  }),
  {
    description:
      'The rows with their columns, as texts where a number could be rounded; null for what is empty.',
    examples: [[{ movementId: `mov_${'0'.repeat(40)}`, kind: 'DEPOSIT', amount: '250000000', rate: null }]],
  },
);

/** The same as a workbook. */
export const ReportWorkbook = Type.Unsafe<Uint8Array>({ description: 'The bytes of the workbook (.xlsx).' });

/** The same as a statement of ISO 20022. */
export const PayoutStatement = Type.String({
  description: 'The statement, as a camt.053.001.08.',
  examples: [
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">…',
  ],
});
