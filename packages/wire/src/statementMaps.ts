import { type Static, Type } from 'typebox';
import { LINE_PATTERN, Timestamp, wordOf } from './fields.ts';
import { Asset } from './money.ts';
import { Day, Minor, STATEMENT_LIMITS, MAP_NAME_PATTERN } from './statements.ts';

const column = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: STATEMENT_LIMITS.columnLength,
      pattern: LINE_PATTERN,
      description,
    }),
  );

/** Where a CSV file has what. */
export const ColumnMap = Type.Object(
  {
    account: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: LINE_PATTERN,
      description: 'The account that the files are of: its IBAN, or what its servicer calls it.',
      examples: ['DE89370400440532013000'],
    }),
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'The currency of the account (ISO 4217).',
      examples: ['EUR'],
    }),
    delimiter: Type.Optional(
      wordOf([',', ';', '\t', '|'], { description: 'What stands between the columns. Absent: a comma.' }),
    ),
    decimalSeparator: Type.Optional(
      wordOf(['.', ','], { description: 'What amounts are written with. Absent: a point.' }),
    ),
    dateFormat: Type.Optional(
      wordOf(
        ['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'DD-MM-YYYY', 'MM/DD/YYYY', 'YYYY/MM/DD', 'YYYYMMDD'],
        {
          description:
            'How days are written. Days and months of one digit, years of two, and a time behind the day are read, too. Absent: YYYY-MM-DD.',
        },
      ),
    ),
    skipLines: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'How many lines stand before the header. Absent: 0.',
      }),
    ),
    leaveOut: Type.Optional(
      Type.Object(
        {
          column: Type.String({
            minLength: 1,
            maxLength: STATEMENT_LIMITS.columnLength,
            pattern: LINE_PATTERN,
          }),
          values: Type.Array(
            Type.String({ minLength: 1, maxLength: STATEMENT_LIMITS.columnLength, pattern: LINE_PATTERN }),
            { minItems: 1, maxItems: STATEMENT_LIMITS.leftOut, description: 'Without letter case.' },
          ),
        },
        {
          additionalProperties: false,
          description: 'Rows that are no booked entries, by what a column has.',
          examples: [{ column: 'Status', values: ['Pending'] }],
        },
      ),
    ),
    columns: Type.Object(
      {
        bookedOn: Type.String({
          minLength: 1,
          maxLength: STATEMENT_LIMITS.columnLength,
          pattern: LINE_PATTERN,
          description: 'The day of booking.',
          examples: ['Booked'],
        }),
        valueOn: column('The day of value. Absent: that of booking.'),
        amount: column('The amount, negative where money left. Absent: credit and debit are given.'),
        direction: column('The direction of amount, in words such as D and C, Debit and Credit, Af and Bij.'),
        credit: column(
          'The amount that came; 0 or empty where none did. Given with debit, in place of amount.',
        ),
        debit: column(
          'The amount that left, with a minus or without; 0 or empty where none did. Given with credit, in place of amount.',
        ),
        balance: column(
          'What the account held after the entry, in some rows or all. With it the entries are checked to add up.',
        ),
        servicerReference: column("The bank's own reference of the entry."),
        endToEndId: column('The end-to-end id of the payment.'),
        reference: column('Another reference of the payment.'),
        name: column('The name of the other side.'),
        account: column('The account of the other side.'),
        text: column('What the payment is for.'),
      },
      { additionalProperties: false, description: 'The names of the columns in the header of the file.' },
    ),
  },
  { additionalProperties: false, description: 'Where a CSV file has what.' },
);
export type ColumnMap = Static<typeof ColumnMap>;

/** Query of POST /v1/reconciliation/maps/suggest. */
export const SuggestMapQuery = Type.Object(
  {
    account: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The account that the file is of, if its rows do not say.',
      }),
    ),
    currency: Type.Optional(
      Type.String({ pattern: '^[A-Z]{3}$', description: 'Its currency (ISO 4217), if its rows do not say.' }),
    ),
  },
  { additionalProperties: false },
);

/** Body of POST /v1/reconciliation/maps/suggest. */
export const MapSample = Type.String({
  description:
    'The CSV file, or its beginning with the header and some rows. At most 1 MiB; the first 64 KiB are looked at.',
});

/** Response of POST /v1/reconciliation/maps/suggest. */
export const MapSuggestion = Type.Object(
  {
    map: Type.Object(
      {
        ...Type.Partial(Type.Omit(ColumnMap, ['columns'])).properties,
        columns: Type.Partial(ColumnMap.properties.columns),
      },
      { description: 'The map as far as the sample shows it. Keep it under a name once nothing is missing.' },
    ),
    missing: Type.Array(Type.String({ examples: ['currency'] }), {
      description: 'What a map needs and the sample does not show.',
    }),
    doubts: Type.Array(Type.String(), {
      description: 'What to compare with the file, each with its field in front.',
    }),
    rows: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'The line of the file.' }),
        bookedOn: Day,
        valueOn: Day,
        direction: wordOf(['IN', 'OUT'], { description: 'Whether money came to the account or left it.' }),
        amount: Minor,
        asset: Asset,
        balance: Type.Optional(Type.String({ description: 'In minor units.' })),
        endToEndId: Type.Optional(Type.String()),
        references: Type.Array(Type.String()),
        counterparty: Type.Optional(
          Type.Object(
            { name: Type.Optional(Type.String()), account: Type.Optional(Type.String()) },
            { description: 'The other side, masked.' },
          ),
        ),
      }),
      { description: 'The first rows as the map reads them. Empty while something is missing.' },
    ),
    fault: Type.Optional(Type.String({ description: 'Why the map cannot read the row behind these.' })),
  },
  { description: 'A column map that a sample suggests. Nothing is kept.' },
);
export type MapSuggestion = Static<typeof MapSuggestion>;

/** A column map under its name. */
export const StatementMap = Type.Object(
  {
    name: Type.String({ pattern: MAP_NAME_PATTERN, examples: ['my-bank'] }),
    map: ColumnMap,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { description: 'A column map under its name.' },
);
export type StatementMap = Static<typeof StatementMap>;

/** Path parameter of the operations on a column map. */
export const MapPath = Type.Object({ name: Type.String() });

/** Response of GET /v1/reconciliation/maps. */
export const StatementMapList = Type.Object(
  {
    data: Type.Array(StatementMap, { description: 'By name.' }),
    nextCursor: Type.Optional(Type.String({ description: 'Always absent: the maps are one page.' })),
  },
  { description: 'All column maps.' },
);
