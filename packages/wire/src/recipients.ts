import { type Static, Type } from 'typebox';
import { ChainId, EvmAddress, wordOf } from './fields.ts';
import { GivenRecipient } from './givenRecipient.ts';
import { oneByType } from './taggedUnion.ts';

export { type RecipientFacts, type RecipientSchema, recipientSchema } from '@fairway/recipients';

const Initials = Type.String({
  description: 'Initials; a * where an initial would say the whole name.',
  examples: ['J. D.'],
});

const Fingerprint = Type.String({
  description: 'Equal for equal details within one organisation; says nothing about them.',
});

const BankRecipientView = Type.Object(
  {
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
  },
  { description: 'A bank account and its holder, masked.' },
);

const WalletRecipientView = Type.Object(
  {
    type: wordOf(['wallet'], { description: 'A wallet.' }),
    chainId: ChainId,
    address: EvmAddress,
    name: Type.Optional(Initials),
    custody: Type.Optional(
      Type.Object(
        {
          kind: wordOf(['SELF_HOSTED', 'VASP'], {
            description: 'SELF_HOSTED: its owner. VASP: a provider of services with virtual assets.',
          }),
          vasp: Type.Optional(Type.String({ description: 'The name of the provider.' })),
        },
        { description: 'Who holds the key of the wallet, as the payer said. Absent: nobody has said.' },
      ),
    ),
    fingerprint: Fingerprint,
  },
  { description: 'A wallet and its owner, masked.' },
);

const EmoneyRecipientView = Type.Object(
  {
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
  },
  { description: 'An eMoney wallet and its holder, masked.' },
);

const EmailRecipientView = Type.Object(
  {
    type: wordOf(['email'], { description: 'A person who is asked by email.' }),
    email: Type.String({
      description: 'First letter and domain; no letter where there are fewer than three.',
      examples: ['j***@example.com'],
    }),
    name: Type.Optional(Initials),
    locale: Type.Optional(Type.String({ description: 'Language tag.', examples: ['en'] })),
    fingerprint: Fingerprint,
  },
  { description: 'A person who is asked by email, masked.' },
);

/** The masked variants by their names in the OpenAPI document. */
export const VIEW_VARIANTS = {
  BankRecipientView,
  WalletRecipientView,
  EmoneyRecipientView,
  EmailRecipientView,
};

/** A recipient as responses show it: enough to recognise, not enough to pay. */
export const RecipientView = oneByType(VIEW_VARIANTS, {
  description: 'A recipient, masked: enough to recognise, not enough to pay.',
});
export type RecipientView = Static<typeof RecipientView>;

/** Response of POST /v1/payments/{planId}/recipient/reveal. */
export const RevealedRecipient = Type.Object(
  {
    planId: Type.String(),
    recipient: { ...GivenRecipient, description: 'The full details.' },
  },
  { description: "A recipient's full details. That they were revealed is recorded." },
);
export type RevealedRecipient = Static<typeof RevealedRecipient>;
