import { end, initials } from '../kinds/masking.ts';
import type { RecipientKind } from '../kinds/recipientKind.ts';
import {
  constant,
  group,
  line,
  nameOf,
  type RecipientCondition,
  type RecipientField,
  SEPARATOR,
  text,
  words,
} from '../kinds/schema.ts';
import { oneCase, withLowerCaseDomain, withoutSeparators } from '../kinds/spelling.ts';
import { EMAIL_ADDRESS } from './email.ts';

/** What decides the shape of an eMoney wallet: an ISO 4217 code. `providers`: the names of those that are paid; absent: any. */
export type EmoneyFacts = {
  readonly type: 'emoney';
  readonly currency: string;
  readonly providers?: readonly string[];
};

/** What a provider knows an eMoney wallet by. */
type IdType = 'PHONE' | 'EMAIL' | 'ACCOUNT_ID';

/** The holder of an eMoney wallet. */
export type EmoneyRecipient = {
  readonly type: 'emoney';
  readonly name: string;
  readonly provider: string;
  readonly idType: IdType;
  readonly idValue: string;
  readonly currency: string;
};

/** The holder of an eMoney wallet as the rest of the system sees one. */
export type MaskedEmoney = {
  readonly type: 'emoney';
  readonly name: string;
  readonly provider: string;
  readonly idType: IdType;
  readonly idValueLast4: string;
  readonly currency: string;
  readonly fingerprint: string;
};

/** Everything that is known of one type of identifier. */
type Identifier = {
  readonly schema: RecipientField;
  readonly normal: (value: string) => string;
  readonly canonical: (value: string) => string;
};

const IDENTIFIERS: Readonly<Record<IdType, Identifier>> = {
  PHONE: {
    schema: {
      ...text({
        title: 'Identifier',
        description: 'a phone number with + and country code',
        example: '+1 202 555 0143',
        minLength: 8,
        maxLength: 30,
      }),
      pattern: `^\\+[1-9](?:${SEPARATOR}[0-9]){6,14}$`,
    },
    normal: withoutSeparators,
    canonical: withoutSeparators,
  },
  EMAIL: {
    schema: { ...EMAIL_ADDRESS, title: 'Identifier' },
    normal: withLowerCaseDomain,
    canonical: (value) => withLowerCaseDomain(value.trim()),
  },
  ACCOUNT_ID: {
    schema: line({
      title: 'Identifier',
      description: 'an account id',
      example: 'example-0001',
      minLength: 4,
      maxLength: 64,
    }),
    // Letter case and hyphens stay, because they may matter to the provider.
    normal: (value) => value,
    canonical: (value) => value.normalize('NFC').trim(),
  },
};

/** An identifier of any type: its bounds allow the shortest and the longest type. */
const ANY_IDENTIFIER: RecipientField = line({
  title: 'Identifier',
  description: 'the phone number, email address or account id that the provider knows the wallet by',
  example: '+1 202 555 0143',
  minLength: 4,
  maxLength: 254,
});

const ANY_PROVIDER: RecipientField = line({
  title: 'Provider',
  description: "the eMoney provider's name",
  example: 'Example Pay',
  minLength: 1,
  maxLength: 64,
});

/** An eMoney wallet. */
export const EMONEY: RecipientKind<EmoneyFacts, EmoneyRecipient, MaskedEmoney> = {
  shape: ({ currency, providers }) => ({
    ...group('eMoney wallet', `the holder of an eMoney wallet in ${currency}`, {
      type: constant('Type', 'emoney', 'emoney'),
      name: nameOf("the wallet holder's full name"),
      provider: providers === undefined ? ANY_PROVIDER : words('Provider', providers),
      idType: words('Identified by', Object.keys(IDENTIFIERS)),
      idValue: ANY_IDENTIFIER,
      currency: constant('Currency', currency, `${currency}, the currency this corridor pays out`),
    }),
    allOf: Object.entries(IDENTIFIERS).map(([idType, { schema }]) => whereIdType(idType, schema)),
  }),

  normal: (recipient) => {
    const { idType, idValue } = recipient;
    return { ...recipient, idValue: IDENTIFIERS[idType].normal(idValue) };
  },

  canonical: ({ name, provider, idType, idValue, currency }) => [
    'emoney',
    oneCase(name),
    oneCase(provider),
    idType,
    IDENTIFIERS[idType].canonical(idValue),
    currency.toUpperCase(),
  ],

  mask: ({ type, name, provider, idType, idValue, currency }, fingerprint) => ({
    type,
    name: initials(name),
    provider,
    idType,
    idValueLast4: end(idValue),
    currency,
    fingerprint,
  }),
};

function whereIdType(idType: string, idValue: RecipientField): RecipientCondition {
  return {
    if: { properties: { idType: { const: idType } }, required: ['idType'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema; its value is no function.
    then: { properties: { idValue } },
  };
}
