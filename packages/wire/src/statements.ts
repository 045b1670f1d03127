import { type Static, type TSchema, type TString, Type } from 'typebox';
import { LIMITS, LINE_PATTERN, Timestamp, Verification, wordOf } from './fields.ts';
import { Asset, Movement, MovementTransfer } from './money.ts';
import { PageCursor } from './pages.ts';

/** How an entry stands. */
export const ENTRY_STATUSES = ['OPEN', 'TENTATIVE', 'PARTLY_MATCHED', 'MATCHED', 'IGNORED'] as const;
/** The most bytes that a file with statements may have. */
export const STATEMENT_BYTES = 33_554_432;
/** The most bytes that a sample of a CSV file may have. */
export const SAMPLE_BYTES = 1_048_576;
/** How many movements an entry may be, and how long the names of column maps and the reasons for ignoring are. */
export const STATEMENT_LIMITS = {
  allocations: 100,
  nameLength: 64,
  reasonLength: 200,
  columnLength: 128,
  leftOut: 20,
} as const;

const hexId = (prefix: string) => `^${prefix}_[0-9a-f]{32}$`;
/** The form of a statement's id. */
export const STATEMENT_ID_PATTERN: string = hexId('stm');
/** The form of an entry's id. */
export const ENTRY_ID_PATTERN: string = hexId('ent');
/** The form of the name of a column map. */
export const MAP_NAME_PATTERN = '^[a-z0-9][a-z0-9_-]{0,63}$';

/** A day of a statement. */
export const Day: TString = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
  description: 'A day, YYYY-MM-DD.',
  examples: ['2026-11-24'],
});
/** An amount of a statement. */
export const Minor: TString = Type.String({
  pattern: '^(0|[1-9][0-9]{0,18})$',
  description: 'In minor units of the currency (ISO 4217).',
  examples: ['10763'],
});

/** Query of POST /v1/reconciliation/statements. */
export const StatementImportQuery = Type.Object(
  {
    map: Type.Optional(
      Type.String({
        pattern: MAP_NAME_PATTERN,
        description: 'The column map of a CSV file. In multipart/form-data it can be a field of this name.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Body of POST /v1/reconciliation/statements. */
export const StatementFile = Type.String({
  description:
    'The file: camt.053, camt.052 or camt.054 of .001.02 to .001.13, MT940, or CSV with a column map. At most 32 MiB, not compressed.',
});

/** The same as a form. */
export const StatementForm: TSchema = Type.Object(
  {
    file: Type.String({ contentMediaType: 'application/xml', description: 'The file.' }),
    map: Type.Optional(Type.String({ description: 'The column map of a CSV file.' })),
  },
  { description: 'The file as a form.' },
);

const StatementBalance = Type.Object(
  {
    amount: Type.String({
      pattern: '^-?(0|[1-9][0-9]*)$',
      description: 'In minor units of the currency, negative when overdrawn.',
    }),
    on: Day,
  },
  { description: 'What the account held.' },
);

const StatementSection = Type.Object(
  {
    account: Type.String({ description: 'The end of the account.', examples: ['…3000'] }),
    currency: Type.String(),
    number: Type.Optional(
      Type.String({ description: 'The number that the bank gives the statement, or else its id.' }),
    ),
    opening: Type.Optional(StatementBalance),
    closing: Type.Optional(StatementBalance),
    isBalanced: wordOf(['YES', 'UNKNOWN'], {
      description:
        'YES: opening and entries come to closing, else a statement is refused. UNKNOWN: the file has no balances, or it is a report of a day (camt.052) or a notification (camt.054), which need not have all entries.',
    }),
    gap: Type.Optional(
      Type.Object(
        { afterStatementId: Type.String(), expectedOpening: StatementBalance },
        {
          description:
            'The statement of this account before it closed with another balance than this one opens with: one between them is missing. Absent: it follows, or none before is known.',
        },
      ),
    ),
  },
  { description: 'A statement of one account.' },
);

/** A file with statements. */
export const Statement = Type.Object(
  {
    statementId: Type.String({ pattern: STATEMENT_ID_PATTERN, examples: [`stm_${'0'.repeat(32)}`] }),
    format: wordOf(['camt.052', 'camt.053', 'camt.054', 'mt940', 'csv'], {
      description: 'The format of the file.',
    }),
    map: Type.Optional(Type.String({ description: 'The column map that it was read with.' })),
    replacedBy: Type.Optional(
      Type.String({ description: 'The statement that is of the same bytes, read with another map since.' }),
    ),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the file.' }),
    sections: Type.Array(StatementSection, { description: 'Its statements, in the order of the file.' }),
    entries: Type.Object(
      Object.fromEntries(
        [...ENTRY_STATUSES, 'TOTAL'].map((status) => [status, Type.Integer({ minimum: 0 })]),
      ) as Record<(typeof ENTRY_STATUSES)[number] | 'TOTAL', ReturnType<typeof Type.Integer>>,
      { description: 'How many entries it has, by how they stand.' },
    ),
    createdAt: Timestamp,
  },
  { description: 'A file with statements. The same bytes are one import; of a CSV file, with the same map.' },
);
export type Statement = Static<typeof Statement>;

/** Path parameter of the operations on a statement. */
export const StatementPath = Type.Object({ statementId: Type.String() });
/** Path parameter of the operations on an entry. */
export const EntryPath = Type.Object({ entryId: Type.String() });

const PAGE = {
  limit: Type.Optional(Type.Integer({ ...LIMITS.pageSize, description: 'The most items on a page.' })),
  cursor: PageCursor,
} as const;

/** Query of GET /v1/reconciliation/statements, and of the differences of one. */
export const StatementsQuery = Type.Object({ ...PAGE }, { additionalProperties: false });

/** Query of GET /v1/reconciliation/statements/{statementId}/entries. */
export const EntriesQuery = Type.Object(
  {
    status: Type.Optional(wordOf(ENTRY_STATUSES, { description: 'The entries that stand so.' })),
    ...PAGE,
  },
  { additionalProperties: false },
);

const pageInOrder = (item: TSchema, description: string) =>
  Type.Object(
    {
      data: Type.Array(item),
      nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
    },
    { description },
  );

/** Response of GET /v1/reconciliation/statements. */
export const StatementList: TSchema = pageInOrder(Statement, 'A page of statements, newest first.');

/** The transfer that a movement is, or the transfer that brought what it paid. */
const CanonicalLog = Type.Object(
  {
    kind: wordOf(['DEPOSIT', 'SWAP_OUT', 'PAYOUT', 'RETURN'], {
      description:
        'What the transfer is for the plan. Another kind than the movement: it brought what was paid.',
    }),
    transfer: MovementTransfer,
    verification: Verification,
  },
  { description: 'The transfer on the chain.' },
);

/** A movement of the ledger beside an entry. */
export const StatementMovement = Type.Object(
  {
    planId: Type.String(),
    movement: Movement,
    bank: Type.Object(
      {
        currency: Type.String(),
        amount: Type.Optional({
          ...Minor,
          description:
            'What the bank moved, in minor units. Absent where the custodian converted and nobody reported what was paid.',
        }),
      },
      { description: 'What a statement shows of it.' },
    ),
    isTakenBack: Type.Boolean({ description: 'Whether a later movement takes it back: it was not so.' }),
    log: Type.Optional(CanonicalLog),
  },
  {
    description:
      'A movement of the ledger, with the transfer on the chain behind it. Each with how it is known.',
  },
);
export type StatementMovement = Static<typeof StatementMovement>;

const MATCHED_BY = [
  'END_TO_END_ID',
  'PROVIDER_REFERENCE',
  'CLIENT_REFERENCE',
  'CUT_REFERENCE',
  'AMOUNT_DATE_NAME',
] as const;
const MatchedBy = wordOf([...MATCHED_BY], {
  description: 'What led from the entry to the movement.',
});

const MatchReason = wordOf(
  [
    'AMOUNT_DIFFERS',
    'AMOUNT_UNKNOWN',
    'CURRENCY_DIFFERS',
    'DIRECTION_DIFFERS',
    'DAY_DIFFERS',
    'REFERENCE_CUT',
    'REFERENCE_DIFFERS',
    'ACCOUNT_DIFFERS',
    'NAME_DIFFERS',
    'NAME_UNKNOWN',
    'SEVERAL_MOVEMENTS',
    'SEVERAL_ENTRIES',
    'MOVEMENT_TAKEN',
    'REVERSAL',
    'EARLIER_ATTEMPT',
  ],
  {
    description:
      'Why it is not certain. ACCOUNT_DIFFERS, NAME_DIFFERS: another one may have been paid. REFERENCE_CUT: one reference is the beginning of the other. SEVERAL_MOVEMENTS, SEVERAL_ENTRIES: another pair is as likely. MOVEMENT_TAKEN: another entry has the movement; it may have been paid twice. REVERSAL: the bank takes a credit back. EARLIER_ATTEMPT: it may be an attempt at the payment that failed.',
  },
);

/** An entry of a statement. */
export const StatementEntry = Type.Object(
  {
    entryId: Type.String({ pattern: ENTRY_ID_PATTERN, examples: [`ent_${'0'.repeat(32)}`] }),
    status: wordOf(ENTRY_STATUSES, {
      description:
        'OPEN: it is no movement that is known. TENTATIVE: it may be one of proposals. PARTLY_MATCHED: openAmount of it is no movement yet.',
    }),
    verification: Type.Literal('REPORTED', { description: 'How it is known: you have told it.' }),
    direction: wordOf(['IN', 'OUT'], { description: 'Whether money came to the account or left it.' }),
    amount: Minor,
    openAmount: { ...Minor, description: 'What of it is not matched.' },
    asset: Asset,
    bookedOn: Day,
    valueOn: Day,
    isReversal: Type.Boolean({ description: 'Whether the bank takes an earlier entry back with it.' }),
    isRest: Type.Boolean({
      description: 'Whether it is what the payments of a booking do not come to, such as a fee.',
    }),
    servicerReference: Type.Optional(Type.String({ description: "The bank's own reference." })),
    endToEndId: Type.Optional(Type.String()),
    references: Type.Array(Type.String(), { description: 'All other references of it.' }),
    code: Type.Optional(Type.String({ description: "The bank's code of the kind of transaction." })),
    counterparty: Type.Optional(
      Type.Object(
        { name: Type.Optional(Type.String()), account: Type.Optional(Type.String()) },
        { description: 'The other side, masked.' },
      ),
    ),
    matches: Type.Array(
      Type.Object({
        movementId: Type.String(),
        planId: Type.String(),
        amount: Minor,
        by: wordOf([...MATCHED_BY, 'PERSON'], {
          description: 'What led to it, or PERSON.',
        }),
        ledger: Type.Optional(StatementMovement),
      }),
      { description: 'The movements that it is. In events without ledger.' },
    ),
    proposals: Type.Array(
      Type.Object({
        movementId: Type.String(),
        by: MatchedBy,
        reasons: Type.Array(MatchReason, { minItems: 1 }),
        ledger: Type.Optional(StatementMovement),
      }),
      { description: 'The movements that it may be, for a person to decide. In events without ledger.' },
    ),
    ignoredReason: Type.Optional(Type.String({ description: 'Why it is ignored.' })),
    updatedAt: Timestamp,
  },
  { description: 'An entry of a statement, beside the ledger and the chain.' },
);
export type StatementEntry = Static<typeof StatementEntry>;

/** Response of GET /v1/reconciliation/statements/{statementId}/entries. */
export const StatementEntryList: TSchema = pageInOrder(
  StatementEntry,
  'A page of entries, in the order of the statement.',
);

/** What does not agree between a statement and the ledger. */
export const StatementDifference = Type.Object(
  {
    kind: wordOf(['ENTRY_NOT_MATCHED', 'MOVEMENT_TAKEN_BACK', 'MOVEMENT_NOT_MATCHED'], {
      description:
        'ENTRY_NOT_MATCHED: an entry is OPEN, TENTATIVE or PARTLY_MATCHED. MOVEMENT_TAKEN_BACK: an entry is a movement that the ledger took back since. MOVEMENT_NOT_MATCHED: a payout or return in these days and this currency is no entry, or not with all of it.',
    }),
    entry: Type.Optional(StatementEntry),
    ledger: Type.Optional(StatementMovement),
    openAmount: Type.Optional({ ...Minor, description: 'What of the movement no entry is.' }),
  },
  { description: 'Something that does not agree.' },
);
export type StatementDifference = Static<typeof StatementDifference>;

/** Response of GET /v1/reconciliation/statements/{statementId}/differences. */
export const StatementDifferenceList: TSchema = pageInOrder(
  StatementDifference,
  'A page of differences: first those of entries, then movements.',
);

/** Body of POST /v1/reconciliation/entries/{entryId}/match. */
export const MatchRequest = Type.Object(
  {
    allocations: Type.Array(
      Type.Object(
        {
          movementId: Type.String({ pattern: '^mov_[0-9a-f]{40}$', description: 'A payout or a return.' }),
          amount: {
            ...Minor,
            pattern: '^[1-9][0-9]{0,18}$',
            description: "How much of the entry it is, in minor units of the entry's currency.",
          },
        },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: STATEMENT_LIMITS.allocations,
        description: 'All that the entry is, each movement once. It replaces what was matched before.',
      },
    ),
  },
  { additionalProperties: false, description: 'Which movements an entry is.' },
);

/** Body of POST /v1/reconciliation/entries/{entryId}/ignore. */
export const IgnoreRequest = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: STATEMENT_LIMITS.reasonLength,
      pattern: LINE_PATTERN,
      description: 'Why it is no movement of a plan. Put no personal data here.',
      examples: ['fee of the account'],
    }),
  },
  { additionalProperties: false, description: 'Why an entry is ignored.' },
);
