import { type Static, Type } from 'typebox';
import { ChainId, EVM_ADDRESS_PATTERN, EvmAddress, wordOf } from './fields.ts';
import { exampleIban } from './ibanExamples.ts';

/** What decides the shape of a recipient: its type, and what the corridor pays out and where. */
export type RecipientFacts =
  | {
      readonly type: 'bank';
      /** ISO 3166-1 alpha-2, upper case. */
      readonly country: string;
      readonly usesIban: boolean;
    }
  | { readonly type: 'wallet'; readonly chainId: number }
  /** An ISO 4217 code. */
  | { readonly type: 'emoney'; readonly currency: string }
  | { readonly type: 'email' };

/** Checks that a pattern cannot do. Each takes a text that may still hold the spaces its pattern allows. */
export const RECIPIENT_FORMATS = [
  'iban',
  'bic',
  'aba-routing-number',
  'clabe',
  'evm-address',
  'email-address',
] as const;

/** One of the checks that a pattern cannot do. */
export type RecipientFormat = (typeof RECIPIENT_FORMATS)[number];

/** One field of a recipient. `title` labels it in a form; `description` completes "must be …". */
export type RecipientField = {
  readonly type: 'string' | 'integer';
  readonly title: string;
  readonly description: string;
  readonly examples: readonly (string | number)[];
  readonly const?: string | number;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: RecipientFormat;
};

/** Fields that belong together: a recipient, or its account. */
export type RecipientGroup = {
  readonly type: 'object';
  readonly title: string;
  readonly description: string;
  readonly examples: readonly object[];
  readonly properties: Readonly<Record<string, RecipientField | RecipientGroup>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
};

/** What a field must also be when another holds a certain word. */
export type RecipientCondition = {
  readonly if: { readonly properties: object; readonly required: readonly string[] };
  readonly then: { readonly properties: Readonly<Record<string, RecipientField>> };
};

/** The JSON Schema (2020-12) of one kind of recipient: plain JSON, no references. */
export type RecipientSchema = RecipientGroup & {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  readonly allOf?: readonly RecipientCondition[];
};

/**
 * The schema of one kind of recipient: it validates requests, is answered to integrators and draws the form.
 * Patterns compile with the `u` and the `v` flag (HTML uses `v`) and never need to go back.
 */
export function recipientSchema(facts: RecipientFacts): RecipientSchema {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...shapeOf(facts) };
}

function shapeOf(facts: RecipientFacts): RecipientGroup & Pick<RecipientSchema, 'allOf'> {
  switch (facts.type) {
    case 'bank':
      return bankShape(facts);
    case 'wallet':
      return walletShape(facts.chainId);
    case 'emoney':
      return emoneyShape(facts.currency);
    case 'email':
      return emailShape();
  }
}

function bankShape({ country, usesIban }: Extract<RecipientFacts, { type: 'bank' }>): RecipientGroup {
  return group('Bank account', `the holder of a bank account in ${country}`, {
    type: constant('Type', 'bank', 'bank'),
    name: nameOf("the account holder's full name"),
    country: constant('Country', country, `${country}, the country this corridor pays to`),
    account: accountShape(country, usesIban),
  });
}

function accountShape(country: string, usesIban: boolean): RecipientGroup {
  switch (country) {
    case 'AU':
      return account("the account's BSB and account number", {
        bsb: digits('BSB', 6, 6, 'six digits, with or without a hyphen', '000-000'),
        accountNumber: digits('Account number', 5, 9, '5 to 9 digits', '000000001'),
      });
    case 'US':
      return account("the account's routing number, account number and account type", {
        routingNumber: {
          ...digits('Routing number', 9, 9, 'an ABA routing number of nine digits', '800000006'),
          format: 'aba-routing-number',
        },
        accountNumber: digits('Account number', 4, 17, '4 to 17 digits', '0000000001'),
        accountType: words('Account type', ['CHECKING', 'SAVINGS']),
      });
    case 'GB':
      return account("the account's sort code and account number", {
        sortCode: digits('Sort code', 6, 6, 'six digits, with or without hyphens', '00-00-00'),
        accountNumber: digits('Account number', 8, 8, 'eight digits, with leading zeros', '00000001'),
      });
    case 'IN':
      return account("the account's IFSC and account number", {
        ifsc: {
          ...text('IFSC', 'four letters, a zero and six letters or digits', 'XMPL0000001', 11, 21),
          pattern: `^${run('A-Za-z', 4)}${SEPARATOR}0(?:${SEPARATOR}[A-Za-z0-9]){6}$`,
        },
        accountNumber: digits('Account number', 9, 18, '9 to 18 digits', '000000001'),
      });
    case 'MX':
      return account("the account's CLABE", {
        clabe: { ...digits('CLABE', 18, 18, 'a CLABE of 18 digits', '000000000000000013'), format: 'clabe' },
      });
    case 'CA':
      return account("the account's institution number, transit number and account number", {
        institutionNumber: digits('Institution number', 3, 3, 'three digits', '000'),
        transitNumber: digits('Transit number', 5, 5, 'five digits', '00000'),
        accountNumber: digits('Account number', 7, 12, '7 to 12 digits', '0000001'),
      });
    default:
      return usesIban ? ibanAccount(country) : bicAccount(country);
  }
}

function ibanAccount(country: string): RecipientGroup {
  const example = exampleIban(country);
  const prefix = example.slice(0, 2);
  const [first, second] = Array.from(prefix, (letter) => `[${letter}${letter.toLowerCase()}]`);
  const rest = example.length - 4;
  // A QR-IBAN takes payments with a QR reference alone, and there is none here.
  const exception = prefix === 'CH' || prefix === 'LI' ? ', and no QR-IBAN' : '';
  return account(
    "the account's IBAN",
    {
      iban: {
        ...text(
          'IBAN',
          `an IBAN of ${example.length} characters that begins with ${prefix}, with or without spaces${exception}`,
          example.replaceAll(/(.{4})(?=.)/g, '$1 '),
          example.length,
          2 * example.length - 1,
        ),
        pattern: `^${first}${SEPARATOR}${second}(?:${SEPARATOR}[0-9]){2}(?:${SEPARATOR}[A-Za-z0-9]){${rest}}$`,
        format: 'iban',
      },
      bic: bic(country),
    },
    ['iban'],
  );
}

function bicAccount(country: string): RecipientGroup {
  return account("the bank's BIC and the account number", {
    bic: bic(country),
    accountNumber: {
      ...text('Account number', '4 to 34 letters or digits', '0000000001', 4, 67),
      pattern: `^[A-Za-z0-9](?:${SEPARATOR}[A-Za-z0-9]){3,33}$`,
    },
  });
}

function bic(country: string): RecipientField {
  return {
    ...text('BIC', 'the BIC (SWIFT code) of a bank: 8 or 11 letters and digits', `XMPL${country}22`, 8, 21),
    pattern: `^${run('A-Za-z', 6)}(?:${SEPARATOR}[A-Za-z0-9]){2}(?:(?:${SEPARATOR}[A-Za-z0-9]){3})?$`,
    format: 'bic',
  };
}

function walletShape(chainId: number): RecipientGroup {
  return group(
    'Wallet',
    `the owner of a wallet on chain ${chainId}`,
    {
      type: constant('Type', 'wallet', 'wallet'),
      chainId: constant('Chain', chainId, `${chainId}, the chain this corridor pays on`),
      address: {
        ...text(
          'Wallet address',
          'an address of 0x and 40 hex digits, whose mixed letter case is its EIP-55 checksum',
          '0x1111111111111111111111111111111111111111',
          42,
          42,
        ),
        pattern: EVM_ADDRESS_PATTERN,
        format: 'evm-address',
      },
      name: nameOf("the owner's full name"),
    },
    ['type', 'chainId', 'address'],
  );
}

function emoneyShape(currency: string): RecipientGroup & Pick<RecipientSchema, 'allOf'> {
  const shape = group('eMoney wallet', `the holder of an eMoney wallet in ${currency}`, {
    type: constant('Type', 'emoney', 'emoney'),
    name: nameOf("the wallet holder's full name"),
    provider: line('Provider', "the eMoney provider's name", 'Example Pay', 1, 64),
    idType: words('Identified by', ['PHONE', 'EMAIL', 'ACCOUNT_ID']),
    idValue: line(
      'Identifier',
      'the phone number, email address or account id that the provider knows the wallet by',
      '+1 202 555 0143',
      4,
      254,
    ),
    currency: constant('Currency', currency, `${currency}, the currency this corridor pays out`),
  });
  const phone: RecipientField = {
    ...text('Identifier', 'a phone number with + and country code', '+1 202 555 0143', 8, 30),
    pattern: `^\\+[1-9](?:${SEPARATOR}[0-9]){6,14}$`,
  };
  return {
    ...shape,
    allOf: [
      whereIdType('PHONE', phone),
      whereIdType('EMAIL', { ...email(), title: 'Identifier' }),
      whereIdType('ACCOUNT_ID', line('Identifier', 'an account id', 'example-0001', 4, 64)),
    ],
  };
}

function whereIdType(word: string, idValue: RecipientField): RecipientCondition {
  return {
    if: { properties: { idType: { const: word } }, required: ['idType'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema; its value is no function.
    then: { properties: { idValue } },
  };
}

function emailShape(): RecipientGroup {
  return group(
    'Email',
    'a person who is asked by email where to be paid',
    {
      type: constant('Type', 'email', 'email'),
      email: email(),
      name: nameOf("the person's full name"),
      locale: {
        ...text('Language', 'a language tag such as en or pt-BR', 'en', 2, 11),
        pattern: '^[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?$',
      },
    },
    ['type', 'email'],
  );
}

/** ASCII alone: mail servers without SMTPUTF8 are common, and a domain in another script has an xn-- spelling. */
function email(): RecipientField {
  return {
    ...text(
      'Email address',
      'one email address of at most 254 characters, without a display name',
      'jane.doe@example.com',
      6,
      254,
    ),
    pattern: "^[A-Za-z0-9!#$%&'*+\\/=?^_`\\{\\|\\}~.\\-]{1,64}@[A-Za-z0-9.\\-]{4,253}$",
    format: 'email-address',
  };
}

/** What may stand between the characters of a number: how they are printed on cards and statements. */
const SEPARATOR = '[ \\-]?';

/**
 * A line of text that begins with something: no control, line or paragraph separator, no half of a surrogate
 * pair, nothing invisible that turns the direction of text or splits a word.
 */
const LINE_PATTERN = ((hidden) => `^[^ ${hidden}][^${hidden}]*$`)(
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\uffff\\ud800-\\udfff',
);

/** So many characters of a class, separators between them allowed. */
function run(characters: string, count: number): string {
  return `[${characters}](?:${SEPARATOR}[${characters}]){${count - 1}}`;
}

function text(
  title: string,
  description: string,
  example: string,
  minLength: number,
  maxLength: number,
): RecipientField {
  return { type: 'string', title, description, examples: [example], minLength, maxLength };
}

function line(...[title, must, example, least, most]: Parameters<typeof text>): RecipientField {
  const length = least === 1 ? `at most ${most}` : `${least} to ${most}`;
  return {
    ...text(title, `${must}, on one line of ${length} characters`, example, least, most),
    pattern: LINE_PATTERN,
  };
}

function nameOf(must: string): RecipientField {
  return line('Name', must, 'Jane Doe', 1, 140);
}

function digits(title: string, least: number, most: number, must: string, example: string): RecipientField {
  const more = least === most ? `{${most - 1}}` : `{${least - 1},${most - 1}}`;
  return {
    ...text(title, must, example, least, 2 * most - 1),
    pattern: `^[0-9](?:${SEPARATOR}[0-9])${more}$`,
  };
}

function words(title: string, choices: readonly string[]): RecipientField {
  const [first = ''] = choices;
  const description = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return { type: 'string', title, description, examples: [first], enum: choices };
}

function constant(title: string, value: string | number, description: string): RecipientField {
  const type = typeof value === 'number' ? 'integer' : 'string';
  return { type, title, description, examples: [value], const: value };
}

function account(
  description: string,
  properties: Readonly<Record<string, RecipientField>>,
  required?: readonly string[],
): RecipientGroup {
  return group('Account', description, properties, required);
}

/** All properties are required unless said otherwise. */
function group(
  title: string,
  description: string,
  properties: RecipientGroup['properties'],
  required: readonly string[] = Object.keys(properties),
): RecipientGroup {
  const example = Object.fromEntries(
    Object.entries(properties).map(([name, { examples }]) => [name, examples[0]]),
  );
  return {
    type: 'object',
    title,
    description,
    examples: [example],
    properties,
    required,
    additionalProperties: false,
  };
}

const Initials = Type.String({
  description: 'Initials; a * where an initial would say the whole name.',
  examples: ['J. D.'],
});

const Fingerprint = Type.String({
  description: 'Equal for equal details within one organisation; says nothing about them.',
});

/** A recipient as responses show it: enough to recognise, not enough to pay. */
export const RecipientView = Type.Union(
  [
    Type.Object({
      type: wordOf(['bank'], { description: 'A bank account.' }),
      name: Initials,
      country: Type.String({ description: 'ISO 3166-1 alpha-2.', examples: ['AU'] }),
      account: Type.Object({
        accountNumberLast4: Type.String({
          description:
            'The end of the account number, IBAN or CLABE: four characters, two where it has fewer than eight.',
          examples: ['5678'],
        }),
      }),
      fingerprint: Fingerprint,
    }),
    Type.Object({
      type: wordOf(['wallet'], { description: 'A wallet.' }),
      chainId: ChainId,
      address: EvmAddress,
      name: Type.Optional(Initials),
      fingerprint: Fingerprint,
    }),
    Type.Object({
      type: wordOf(['emoney'], { description: 'An eMoney wallet.' }),
      name: Initials,
      provider: Type.String({ description: "The eMoney provider's name." }),
      idType: wordOf(['PHONE', 'EMAIL', 'ACCOUNT_ID'], { description: 'What idValueLast4 is the end of.' }),
      idValueLast4: Type.String({
        description: 'The end of the identifier: four characters, two where it has fewer than eight.',
        examples: ['0143'],
      }),
      currency: Type.String({ description: 'ISO 4217 code.', examples: ['PHP'] }),
      fingerprint: Fingerprint,
    }),
    Type.Object({
      type: wordOf(['email'], { description: 'A person who is asked by email.' }),
      email: Type.String({
        description: 'First letter and domain; no letter where there are fewer than three.',
        examples: ['j***@example.com'],
      }),
      name: Type.Optional(Initials),
      locale: Type.Optional(Type.String({ description: 'Language tag.', examples: ['en'] })),
      fingerprint: Fingerprint,
    }),
  ],
  { description: 'A recipient, masked: enough to recognise, not enough to pay.' },
);
export type RecipientView = Static<typeof RecipientView>;
