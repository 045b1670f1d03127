import { type Static, Type } from 'typebox';
import { ChainId, EvmAddress, wordOf } from './fields.ts';
import { oneByType } from './taggedUnion.ts';

const CLOSED = { additionalProperties: false } as const;

const FullName = Type.String({
  minLength: 1,
  maxLength: 140,
  description: 'The full name.',
  examples: ['Jo Citizen'],
});

/** A member of an account: which countries it is of is in its description. */
const member = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 67, description, examples: [example] }));

/** A bank account. Its members depend on the country. */
export const BankAccountDetails = Type.Object(
  {
    accountNumber: member('All countries but those with iban or clabe.', '12345678'),
    bsb: member('AU: six digits.', '062-000'),
    routingNumber: member('US: the ABA routing number.', '800000006'),
    accountType: Type.Optional(wordOf(['CHECKING', 'SAVINGS'], { description: 'US.' })),
    sortCode: member('GB: six digits.', '00-00-00'),
    ifsc: member('IN: the code of the branch.', 'XMPL0000001'),
    institutionNumber: member('CA: three digits.', '000'),
    transitNumber: member('CA: five digits.', '00000'),
    clabe: member('MX: 18 digits.', '000000000000000013'),
    iban: member('Countries with IBANs, but for GB.', 'DE89 3704 0044 0532 0130 00'),
    bic: member(
      'Countries without a kind of account of their own; beside iban it may be left out.',
      'XMPLSG22',
    ),
  },
  {
    ...CLOSED,
    minProperties: 1,
    description:
      'Which members there are depends on the country: GET /v1/markets/corridors/{corridorId}/requirements has their JSON Schema.',
  },
);

const BankRecipient = Type.Object(
  {
    type: wordOf(['bank'], { description: 'A bank account.' }),
    name: FullName,
    country: Type.String({
      pattern: '^[A-Z]{2}$',
      description: 'ISO 3166-1 alpha-2: the country that the corridor pays to.',
      examples: ['AU'],
    }),
    account: BankAccountDetails,
  },
  { ...CLOSED, description: 'The holder of a bank account.' },
);

const WalletRecipient = Type.Object(
  {
    type: wordOf(['wallet'], { description: 'A wallet.' }),
    chainId: ChainId,
    address: EvmAddress,
    name: Type.Optional(FullName),
    custody: Type.Optional(
      Type.Object(
        {
          kind: wordOf(['SELF_HOSTED', 'VASP'], {
            description: 'SELF_HOSTED: its owner. VASP: a provider of services with virtual assets.',
          }),
          vasp: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 140,
              description: 'With VASP: the name of the provider.',
            }),
          ),
        },
        { ...CLOSED, description: 'Who holds the key of the wallet. Absent: nobody has said.' },
      ),
    ),
  },
  { ...CLOSED, description: 'The owner of a wallet.' },
);

const EmoneyRecipient = Type.Object(
  {
    type: wordOf(['emoney'], { description: 'An eMoney wallet.' }),
    name: FullName,
    provider: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The eMoney provider's name.",
      examples: ['Example Pay'],
    }),
    idType: wordOf(['PHONE', 'EMAIL', 'ACCOUNT_ID'], {
      description: 'What the provider knows the wallet by.',
    }),
    idValue: Type.String({
      minLength: 4,
      maxLength: 254,
      description: 'The phone number with + and country code, the email address or the account id.',
      examples: ['+1 202 555 0143'],
    }),
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      description: 'ISO 4217: the currency that the corridor pays out.',
      examples: ['PHP'],
    }),
  },
  { ...CLOSED, description: 'The holder of an eMoney wallet.' },
);

const EmailRecipient = Type.Object(
  {
    type: wordOf(['email'], { description: 'A person who is asked by email where to be paid.' }),
    email: Type.String({
      minLength: 6,
      maxLength: 254,
      description: 'One email address without a display name.',
      examples: ['jo.citizen@example.com'],
    }),
    name: Type.Optional(FullName),
    locale: Type.Optional(
      Type.String({ minLength: 2, maxLength: 11, description: 'Language of the email.', examples: ['en'] }),
    ),
  },
  { ...CLOSED, description: 'A person who is asked by email where to be paid.' },
);

const RegisteredRecipientReference = Type.Object(
  {
    type: wordOf(['saved'], { description: 'One of POST /v1/recipients.' }),
    recipientId: Type.String({
      description: 'Its id.',
      examples: ['rcp_0199a6f200007abc8def0123456789ab'],
    }),
  },
  {
    ...CLOSED,
    description: 'A recipient that is registered. The plan takes the version that it has now, and keeps it.',
  },
);

const DETAILS = { BankRecipient, WalletRecipient, EmoneyRecipient, EmailRecipient };

/** The variants of recipients by their names in the OpenAPI document. */
export const GIVEN_VARIANTS = { ...DETAILS, RegisteredRecipientReference };

const FINER =
  'GET /v1/markets/corridors/{corridorId}/requirements has the finer JSON Schema that the corridor checks it against.';

const EXAMPLE: Static<typeof BankRecipient> = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '12345678' },
};

/** A recipient with its details. */
export const GivenRecipient = oneByType(DETAILS, {
  description: `A recipient with its details, by type. ${FINER}`,
  examples: [EXAMPLE],
});

/** The recipient of a payment: its details, or the id of one that is registered. */
export const PaymentRecipient = oneByType(GIVEN_VARIANTS, {
  description: `Who is paid, by type: with details, or one that is registered. ${FINER}`,
  examples: [EXAMPLE, { type: 'saved', recipientId: 'rcp_0199a6f200007abc8def0123456789ab' }],
});

/** Details that may be wrong: they are looked at, and nothing is kept. */
export const UncheckedRecipient = Type.Object(
  { type: wordOf(['bank', 'wallet', 'emoney', 'email'], { description: 'The kind of recipient.' }) },
  {
    additionalProperties: true,
    description: 'The members of a GivenRecipient, as far as they are known. They may be wrong.',
    examples: [EXAMPLE],
  },
);
