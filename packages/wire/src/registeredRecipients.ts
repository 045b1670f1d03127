import { type Static, Type } from 'typebox';
import { LIMITS, LINE_PATTERN, REFERENCE_PATTERN, Timestamp, wordOf } from './fields.ts';
import { GivenRecipient, UncheckedRecipient } from './givenRecipient.ts';
import { Metadata } from './metadata.ts';
import { FieldError } from './problem.ts';
import { RecipientView } from './recipients.ts';
import { pageOf, pageQuery } from './pages.ts';

/** The form of a registered recipient's id. */
export const RECIPIENT_ID_PATTERN = '^rcp_[0-9a-f]{32}$';

/** The statuses of a registered recipient. */
export const RECIPIENT_STATUSES = [
  'ACTIVE',
  'PENDING_APPROVAL',
  'REJECTED',
  'DEACTIVATED',
  'ERASED',
] as const;
/** The types of recipients. */
export const RECIPIENT_TYPES = ['bank', 'wallet', 'emoney', 'email'] as const;
/** What a check of a payee's name came to. */
export const CHECK_RESULTS = ['MATCH', 'PARTIAL', 'NO_MATCH', 'NOT_POSSIBLE'] as const;
/** The results that a corridor can accept. */
export const ACCEPTED_CHECKS = ['MATCH', 'PARTIAL', 'NOT_POSSIBLE'] as const;

const RecipientStatus = wordOf(RECIPIENT_STATUSES, {
  description:
    'ACTIVE: new plans can name it. PENDING_APPROVAL: none can until another credential has approved the present details. REJECTED: none can, as its details were rejected; new ones may follow. DEACTIVATED: none can, and that is for ever. ERASED: none can, and the full details are destroyed.',
});
const RecipientType = wordOf(RECIPIENT_TYPES, { description: 'The kind of recipient. It never changes.' });

const RecipientId = Type.String({
  pattern: RECIPIENT_ID_PATTERN,
  description: 'Unique identifier of a registered recipient.',
  examples: ['rcp_0199a6f200007abc8def0123456789ab'],
});

const Label = Type.String({
  minLength: 1,
  maxLength: LIMITS.labelLength,
  pattern: LINE_PATTERN,
  description: 'A name of your own for it. Stored in clear: no personal data.',
  examples: ['Supplier 4711'],
});

const ClientReference = Type.String({
  minLength: 1,
  maxLength: LIMITS.clientReferenceLength,
  pattern: REFERENCE_PATTERN,
  description:
    "The caller's stable reference and idempotency key: unique for ever among the organisation's recipients, compared character by character. The same body again gives the same recipient.",
  examples: ['SUPPLIER-4711'],
});

/** Path parameter of the operations on a registered recipient. */
export const RecipientPath = Type.Object({ recipientId: Type.String() });

/** Body of POST /v1/recipients. */
export const RecipientRequest = Type.Object(
  {
    recipient: GivenRecipient,
    clientReference: Type.Optional(ClientReference),
    label: Type.Optional(Label),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false, description: 'A recipient to keep.' },
);

/** Body of PATCH /v1/recipients/{recipientId}. */
export const RecipientEdit = Type.Object(
  {
    recipient: Type.Optional({
      ...GivenRecipient,
      description: 'Whole new details, of the same type: they are a new version.',
    }),
    label: Type.Optional(
      Type.Union([Label, Type.Null()], { description: 'Another label; null takes it away.' }),
    ),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false, description: 'What is to be changed. A member that is left out stays.' },
);

/** Body of PUT /v1/recipients/{recipientId}/verification. */
export const PayeeCheckRequest = Type.Object(
  {
    provider: Type.String({
      minLength: 1,
      maxLength: LIMITS.checkProviderLength,
      pattern: LINE_PATTERN,
      description: 'Who has checked.',
      examples: ['Example Payee Check'],
    }),
    result: wordOf(CHECK_RESULTS, {
      description: 'What it came to: NOT_POSSIBLE where the bank does not answer such checks.',
    }),
    checkedAt: { ...Timestamp, description: 'When it was checked. Not in the future.' },
    reference: Type.String({
      minLength: 1,
      maxLength: LIMITS.providerReferenceLength,
      pattern: REFERENCE_PATTERN,
      description: "The provider's reference of the check. Stored in clear: no personal data.",
      examples: ['VOP-2026-0042'],
    }),
  },
  {
    additionalProperties: false,
    description: 'A check of the name of the payee that was made elsewhere. It is of the present version.',
  },
);

/** A check of the name of the payee. */
export const PayeeCheck = Type.Object(
  {
    provider: Type.String(),
    result: wordOf(CHECK_RESULTS, { description: 'What it came to.' }),
    checkedAt: Timestamp,
    reference: Type.String(),
    by: Type.Optional(
      Type.String({
        description: 'The credential that recorded it. Absent where that was not kept yet.',
      }),
    ),
  },
  { description: 'A check of the name of the payee, made elsewhere, of this version.' },
);

/** Body of POST /v1/recipients/{recipientId}/approve and /reject. */
export const JudgedVersion = Type.Object(
  {
    version: Type.Integer({
      minimum: 1,
      maximum: LIMITS.recipientVersion,
      description: 'The version that was looked at: another one that came meanwhile is not decided about.',
      examples: [1],
    }),
  },
  { additionalProperties: false, description: 'The details that are decided about.' },
);

const RecipientApproval = Type.Object(
  {
    result: wordOf(['APPROVED', 'REJECTED'], { description: 'What was decided.' }),
    by: Type.String({ description: 'The credential that has decided.' }),
    at: Timestamp,
  },
  {
    description:
      'What a second person decided about this version. Absent: nobody was asked, or nobody has answered yet.',
  },
);

/** Something that a person should look at. */
export const RecipientWarning = Type.Object(
  {
    code: wordOf(
      [
        'LOOKALIKE_ADDRESS',
        'DUPLICATE_DETAILS',
        'DETAILS_CHANGED_RECENTLY',
        'FIRST_PAYMENT',
        'ERASURE_NOT_RECORDED',
      ],
      {
        description:
          'LOOKALIKE_ADDRESS: the first four and the last four digits are those of another address that the organisation registered or paid. DUPLICATE_DETAILS: another registered recipient has the same details. DETAILS_CHANGED_RECENTLY: less than 72 hours ago. FIRST_PAYMENT: no payment to these details is COMPLETED. ERASURE_NOT_RECORDED: said of an erasure where a backup from before would bring the details back.',
      },
    ),
    detail: Type.String({ description: 'A sentence for a person.' }),
    recipientId: Type.Optional({
      ...RecipientId,
      description: 'The registered recipient that was compared with.',
    }),
  },
  { description: 'Something that a person should look at before money is sent. It refuses nothing.' },
);

/** A registered recipient. */
export const RegisteredRecipient = Type.Object(
  {
    recipientId: RecipientId,
    revision: Type.Integer({ minimum: 1, description: 'Rises with every change. It is the ETag.' }),
    version: Type.Integer({
      minimum: 1,
      description:
        'The number of the present details. New ones have a number that was never used; when they are rejected, the former details are back with theirs.',
    }),
    status: RecipientStatus,
    type: RecipientType,
    recipient: RecipientView,
    label: Type.Optional(Type.String()),
    clientReference: Type.Optional(Type.String()),
    metadata: Metadata,
    detailsBy: Type.String({
      description: 'The credential that set the present details. It cannot approve them.',
    }),
    verification: Type.Optional(PayeeCheck),
    approval: Type.Optional(RecipientApproval),
    warnings: Type.Array(RecipientWarning, {
      description: 'As it is now: they change with time and with what else is kept.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    lastUsedAt: Type.Optional({
      ...Timestamp,
      description: 'When a plan was last made of it. Absent: never.',
    }),
  },
  { description: 'A recipient that is kept under an id, masked.' },
);
export type RegisteredRecipient = Static<typeof RegisteredRecipient>;

/** Query of GET /v1/recipients. */
export const RecipientsQuery = Type.Object(
  {
    status: Type.Optional(RecipientStatus),
    type: Type.Optional(RecipientType),
    country: Type.Optional(
      Type.String({ description: 'For bank accounts: ISO 3166-1 alpha-2, upper case.', examples: ['AU'] }),
    ),
    clientReference: Type.Optional(Type.String()),
    q: Type.Optional(
      Type.String({
        maxLength: LIMITS.clientReferenceLength,
        description: 'A part of label or clientReference, in any letter case. Details are not searched.',
      }),
    ),
    ...pageQuery('recipients'),
  },
  { additionalProperties: false },
);

/** Response of GET /v1/recipients. */
export const RegisteredRecipientList = pageOf(
  RegisteredRecipient,
  'Newest first.',
  'A page of registered recipients.',
);

/** A version of a registered recipient. */
export const RecipientVersion = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    recipient: RecipientView,
    verification: Type.Optional(PayeeCheck),
    approval: Type.Optional(RecipientApproval),
    createdAt: Timestamp,
    createdBy: Type.String({ description: 'The credential that sent the details.' }),
  },
  { description: 'Details that a recipient has or had, masked.' },
);
export type RecipientVersion = Static<typeof RecipientVersion>;

/** Query of GET /v1/recipients/{recipientId}/versions. */
export const VersionsQuery = Type.Object(
  {
    ...pageQuery('versions'),
  },
  { additionalProperties: false },
);

/** Response of GET /v1/recipients/{recipientId}/versions. */
export const RecipientVersionList = pageOf(RecipientVersion, 'Newest first.', 'A page of versions.');

/** Response of POST /v1/recipients/{recipientId}/reveal. */
export const RevealedRegistered = Type.Object(
  {
    recipientId: RecipientId,
    version: Type.Integer({ minimum: 1 }),
    recipient: { ...GivenRecipient, description: 'The full details.' },
  },
  { description: "A registered recipient's full details. That they were revealed is recorded." },
);

/** Body of POST /v1/recipients/validate. */
export const ValidationRequest = Type.Object(
  {
    recipient: UncheckedRecipient,
    corridorId: Type.Optional(
      Type.String({
        description: 'The corridor that is to pay it. Absent: any corridor of this deployment.',
        examples: ['usdc-aud-bank'],
      }),
    ),
  },
  { additionalProperties: false, description: 'Details to look at. Nothing is kept.' },
);

/** Response of POST /v1/recipients/validate. */
export const Validation = Type.Object(
  {
    valid: Type.Boolean({
      description: 'Whether POST /v1/recipients, or a payment on the corridor, takes it.',
    }),
    errors: Type.Array(FieldError, { description: 'Everything that is wrong. Values are never repeated.' }),
    warnings: Type.Array(RecipientWarning),
    recipient: Type.Union([RecipientView, Type.Null()], {
      description: 'The details as they would be kept, masked; null where they are not valid.',
    }),
  },
  { description: 'What is to be said of details.' },
);
export type Validation = Static<typeof Validation>;
