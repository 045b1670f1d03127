import { type FieldError, type RecipientFacts, recipientSchema } from '@fairway/wire';
import {
  codePage,
  destinationPage,
  detailsPage,
  gonePage,
  type PaymentFacts,
  readForm,
  receiptPage,
  reviewPage,
  type ShownOrganisation,
  shellPage,
} from '../src/parts/collect/pages/index.ts';
import type { Catalogue } from '../src/words/locales/catalogue.ts';
import { filled } from '../src/words/locales/filled.ts';
import { formatAmount } from '../src/words/locales/formats.ts';
import { createRecipientReader } from '../src/parts/payments/recipient/reader.ts';

/** A token as links carry it. */
export const TOKEN = 'q7Yv0mJ3bXl1k9Zs2Wd4Tn6Rf8Hg5Pc-Ua_Ei0Oy1Lx';

const LOGO =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 40 40%22%3E%3Crect width=%2240%22 height=%2240%22 rx=%228%22 fill=%22%230b4f8a%22/%3E%3Cpath d=%22M10 28 20 10l10 18z%22 fill=%22white%22/%3E%3C/svg%3E';

/** An organisation with everything that can be configured of it. Its colour is too light for a text on white. */
const ORGANISATION: ShownOrganisation = {
  name: 'Northwind Research Cooperative',
  logoDataUri: LOGO,
  colour: '#e8833a',
  support: {
    email: 'payments@northwind.example',
    phone: '+44 20 7946 0018',
    url: 'https://northwind.example/help',
  },
};

/** One with its name alone. */
const PLAIN: ShownOrganisation = { name: 'Acme Pty Ltd' };

/** The facts of one payment in a catalogue's language; tests with hostile text replace parts of it. */
export function paymentFacts(catalogue: Catalogue, changed: Partial<PaymentFacts> = {}): PaymentFacts {
  return {
    catalogue,
    token: TOKEN,
    organisation: ORGANISATION,
    amount: { text: `${formatAmount(catalogue.language, '1250.50', 'USDC')} USDC` },
    walletToken: WALLET_TOKEN,
    settlementTime: { min: 'PT1M', max: 'P1D' },
    expiresAt: new Date('2026-11-30T17:00:00Z'),
    ...changed,
  };
}

const TX_HASH = `0x${'9f3c2a7b'.repeat(8)}`;

const WALLET_TOKEN = {
  symbol: 'USDC',
  contract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  chainName: 'Base',
  explorerUrl: 'https://explorer.example',
};

/** A custodian that converts the money for accounts. */
const CONVERSION = { custodian: 'Harbour Payments Inc.', currency: 'PHP' };

const ESTIMATED = {
  ...CONVERSION,
  estimate: {
    amount: '70,653.25\u00a0PHP',
    rate: '56.5\u00a0PHP',
    token: 'USDC',
    source: 'rates.example',
    asOfMs: Date.UTC(2026, 10, 12, 9, 30),
  },
};

/** The kinds of recipient whose forms differ. */
export const FACTS = {
  wallet: { type: 'wallet', chainId: 8453 },
  de: { type: 'bank', country: 'DE', usesIban: true },
  ch: { type: 'bank', country: 'CH', usesIban: true },
  li: { type: 'bank', country: 'LI', usesIban: true },
  au: { type: 'bank', country: 'AU', usesIban: false },
  us: { type: 'bank', country: 'US', usesIban: false },
  gb: { type: 'bank', country: 'GB', usesIban: false },
  in: { type: 'bank', country: 'IN', usesIban: false },
  mx: { type: 'bank', country: 'MX', usesIban: false },
  ca: { type: 'bank', country: 'CA', usesIban: false },
  jp: { type: 'bank', country: 'JP', usesIban: false },
  emoney: { type: 'emoney', currency: 'PHP' },
  listed: { type: 'emoney', currency: 'PHP', providers: ['Example Pay', 'Other Wallet'] },
} as const satisfies Readonly<Record<string, RecipientFacts>>;

const readRecipient = createRecipientReader({ forbidden: () => undefined });

/** The faults that the recipient reader finds in a recipient of one kind. */
export function errorsOf(given: unknown, facts: RecipientFacts): readonly FieldError[] {
  const reading = readRecipient(given, [facts]);
  return reading.ok ? [] : reading.errors;
}

/** The example of a recipient's schema, as the recipient reader reads it. */
export function readExample(facts: RecipientFacts): unknown {
  const reading = readRecipient(recipientSchema(facts).examples[0], [facts]);
  if (!reading.ok) throw new Error(`The example of ${facts.type} is refused`);
  return reading.recipient;
}

const WALLET = {
  type: 'wallet',
  chainId: 8453,
  address: '0xd8da6bf26964af9d7eed9e03e53415d37aa96045',
  name: 'Ana Sofía Restrepo',
};
const MISTYPED = { ...WALLET, address: '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045' };

const KINDS = Object.keys(FACTS) as readonly (keyof typeof FACTS)[];

/** Every page in every state, by name. */
export function collectStates(catalogue: Catalogue): Readonly<Record<string, string>> {
  return {
    ...openingStates(catalogue),
    ...detailsStates(catalogue),
    ...reviewStates(catalogue),
    ...codeStates(catalogue),
    ...receiptStates(catalogue),
    ...goneStates(catalogue),
  };
}

function openingStates(catalogue: Catalogue): Record<string, string> {
  const facts = paymentFacts(catalogue);
  const choices = [
    { type: 'bank', countries: ['DE', 'AT', 'CH', 'AU', 'US', 'GB', 'BA'] },
    { type: 'emoney', currency: 'PHP' },
    { type: 'wallet', amountText: facts.amount.text },
  ] as const;
  return {
    shell: shellPage({ catalogue }),
    'shell-page-over': shellPage({ catalogue, problem: 'PAGE_OVER' }),
    'shell-problem': shellPage({ catalogue, problem: 'NO_LINK' }),
    destination: destinationPage({
      ...facts,
      choices,
      message: 'Field work in October, invoice 2026-118.\nThank you!',
    }),
    'destination-no-type': destinationPage({ ...facts, choices, problem: 'NO_TYPE' }),
    'destination-no-country': destinationPage({ ...facts, choices, problem: 'NO_COUNTRY' }),
    'destination-again': destinationPage({
      ...facts,
      choices,
      failed: {
        destination: [
          filled(catalogue.pages.masked.bank, { ending: '3000' }),
          filled(catalogue.pages.masked.emoney, { ending: '0143' }),
          filled(catalogue.pages.masked.emoneyEmail, { email: 'j***@example.com' }),
          catalogue.pages.masked.emoneyOther,
        ].join(', '),
        why: Object.values(catalogue.pages.failures).join(' '),
      },
    }),
    'destination-anew': destinationPage({ ...facts, choices, isEnteredAnew: true }),
    'destination-given': destinationPage({ ...facts, choices, given: { type: 'bank', country: 'AU' } }),
    'destination-converted': destinationPage({ ...facts, conversion: CONVERSION, choices }),
    'destination-estimated': destinationPage({ ...facts, conversion: ESTIMATED, choices }),
    'destination-plain': destinationPage({ ...facts, organisation: PLAIN, choices }),
    'destination-single': destinationPage({ ...facts, choices: [{ type: 'bank', countries: ['DE'] }] }),
  };
}

/** The form of every kind of recipient, empty and with missing fields marked. */
function formStates(catalogue: Catalogue): Record<string, string> {
  const facts = { ...paymentFacts(catalogue) };
  return Object.fromEntries(
    KINDS.flatMap((name) => {
      const schema = recipientSchema(FACTS[name]);
      const given = readForm(new URLSearchParams(), schema);
      const errors = errorsOf(given, FACTS[name]);
      return [
        [`details-${name}`, detailsPage({ ...facts, schema })],
        [`details-${name}-missing`, detailsPage({ ...facts, schema, given, errors })],
      ];
    }),
  );
}

function detailsStates(catalogue: Catalogue): Record<string, string> {
  const facts = { ...paymentFacts(catalogue) };
  const wrong = (name: keyof typeof FACTS, given: unknown, errors = errorsOf(given, FACTS[name])) =>
    detailsPage({ ...facts, schema: recipientSchema(FACTS[name]), given, errors });
  const elsewhere = [{ pointer: '/recipient/type', detail: 'Type must be wallet.' }];
  const forbidden = [{ pointer: '/recipient/address', detail: 'It must not be a token contract.' }];
  return {
    ...formStates(catalogue),
    ...identifierStates(catalogue),
    'details-wallet-mistyped': wrong('wallet', MISTYPED),
    'details-wallet-forbidden': wrong('wallet', WALLET, forbidden),
    'details-elsewhere': wrong('wallet', WALLET, elsewhere),
    'details-de-mistyped': wrong('de', {
      type: 'bank',
      name: 'Jane Doe',
      country: 'DE',
      account: { iban: 'DE89 3704 0044 0532 0130 01', bic: 'COBA' },
    }),
    'details-emoney-wrong': wrong('emoney', {
      type: 'emoney',
      name: 'Jane Doe',
      provider: 'Example Pay',
      idType: 'PHONE',
      idValue: '0917 555 0143',
      currency: 'PHP',
    }),
  };
}

/** Faults of the identifier for each type of eMoney account. */
function identifierStates(catalogue: Catalogue): Record<string, string> {
  const facts = paymentFacts(catalogue);
  const schema = recipientSchema(FACTS.emoney);
  return Object.fromEntries(
    (['PHONE', 'EMAIL', 'ACCOUNT_ID'] as const).map((idType) => {
      const given = { ...(schema.examples[0] as object), idType, idValue: '??' };
      const errors = errorsOf(given, FACTS.emoney);
      return [`details-emoney-${idType}`, detailsPage({ ...facts, schema, given, errors })];
    }),
  );
}

/** The page that shows the given details, for every kind of recipient. */
function givenStates(catalogue: Catalogue): Record<string, string> {
  const facts = { ...paymentFacts(catalogue), email: 'j***@example.com' };
  return Object.fromEntries(
    KINDS.map((name) => {
      const schema = recipientSchema(FACTS[name]);
      return [`review-${name}`, reviewPage({ ...facts, schema, given: readExample(FACTS[name]) })];
    }),
  );
}

function reviewStates(catalogue: Catalogue): Record<string, string> {
  const facts = { ...paymentFacts(catalogue), email: 'j***@example.com' };
  const wallet = { ...facts, schema: recipientSchema(FACTS.wallet), given: WALLET };
  return {
    ...givenStates(catalogue),
    'review-emoney-converted': reviewPage({
      ...facts,
      conversion: CONVERSION,
      schema: recipientSchema(FACTS.emoney),
      given: readExample(FACTS.emoney),
    }),
    'review-emoney-estimated': reviewPage({
      ...facts,
      conversion: ESTIMATED,
      schema: recipientSchema(FACTS.emoney),
      given: readExample(FACTS.emoney),
    }),
    'review-wallet': reviewPage(wallet),
    'review-wallet-unconfirmed': reviewPage({ ...wallet, problem: { kind: 'NOT_CONFIRMED' } }),
    'review-too-soon': reviewPage({ ...wallet, problem: { kind: 'TOO_SOON', retryAfterSeconds: 27 } }),
    'review-too-many': reviewPage({ ...wallet, problem: { kind: 'TOO_MANY' }, asking: { token: TOKEN } }),
  };
}

function codeStates(catalogue: Catalogue): Record<string, string> {
  const view = {
    ...paymentFacts(catalogue),
    email: 'j***@example.com',
    destination: filled(catalogue.pages.masked.wallet, { address: '0xd8dA…6045', chain: 'Base' }),
    subject: { kind: 'HERE', schema: recipientSchema(FACTS.wallet), given: WALLET },
    sentAt: new Date('2026-11-12T09:38:00Z'),
    attemptsLeft: 5,
    nextCodeInSeconds: 0,
  } as const;
  const { nextCodeInSeconds: _none, ...last } = view;
  const kept = { ...view, subject: { kind: 'KEPT', submission: 'x'.repeat(43) } } as const;
  const spent = { ...view, attemptsLeft: 0, dead: 'TOO_MANY_WRONG' } as const;
  return {
    code: codePage(view),
    'code-resent': codePage({ ...view, resent: true }),
    'code-wrong': codePage({ ...view, attemptsLeft: 2, problem: { kind: 'WRONG' } }),
    'code-malformed': codePage({ ...view, problem: { kind: 'MALFORMED', entered: '12345' } }),
    'code-expired': codePage({ ...view, dead: 'EXPIRED' }),
    'code-no-attempts': codePage({ ...spent, problem: { kind: 'WRONG' } }),
    'code-no-attempts-soon': codePage({
      ...spent,
      nextCodeInSeconds: 23,
      problem: { kind: 'TOO_SOON', retryAfterSeconds: 23 },
    }),
    'code-no-more': codePage({ ...last, attemptsLeft: 0, dead: 'TOO_MANY_WRONG' }),
    'code-replaced': codePage({ ...view, dead: 'REPLACED' }),
    'code-too-soon': codePage({ ...view, problem: { kind: 'TOO_SOON', retryAfterSeconds: 1 } }),
    'code-too-many': codePage({ ...last, problem: { kind: 'TOO_MANY' }, asking: { token: TOKEN } }),
    'code-kept': codePage(kept),
    'code-kept-not-own': codePage({ ...kept, problem: { kind: 'NOT_OWN', entered: '123 456' } }),
    'code-kept-wrong': codePage({ ...kept, attemptsLeft: 4, problem: { kind: 'WRONG' } }),
    'code-kept-no-more': codePage({
      ...last,
      subject: kept.subject,
      asking: { token: TOKEN },
    }),
    'code-kept-expired': codePage({ ...kept, dead: 'EXPIRED' }),
  };
}

/** What recipients chose, masked. */
const CHOSEN_WALLET = {
  type: 'wallet',
  chainId: 8453,
  address: WALLET.address,
  name: 'A. R.',
  fingerprint: 'f',
} as const;
const CHOSEN_BANK = {
  type: 'bank',
  name: 'J. D.',
  country: 'DE',
  account: { accountNumberLast4: '3000' },
  fingerprint: 'f',
} as const;
const CHOSEN_EMONEY = {
  type: 'emoney',
  name: 'J. D.',
  provider: 'Example Pay',
  idType: 'PHONE',
  idValueLast4: '0143',
  currency: 'PHP',
  fingerprint: 'f',
} as const;

function receiptStates(catalogue: Catalogue): Record<string, string> {
  const { expiresAt: _, ...facts } = paymentFacts(catalogue);
  const view = {
    ...facts,
    submittedAt: new Date('2026-11-12T09:38:00Z'),
    delivery: { status: 'PENDING' },
  } as const;
  const occurredAt = new Date('2026-11-13T08:00:00Z');
  const expectedBy = new Date('2026-11-13T09:38:00Z');
  return {
    'receipt-pending': receiptPage({ ...view, destination: CHOSEN_WALLET }),
    'receipt-late': receiptPage({
      ...view,
      destination: CHOSEN_BANK,
      delivery: { status: 'PENDING', expectedBy, isLate: true },
    }),
    'receipt-sent': receiptPage({
      ...view,
      destination: CHOSEN_BANK,
      delivery: { status: 'SENT', occurredAt, expectedBy, isLate: false },
    }),
    'receipt-wallet': receiptPage({
      ...view,
      destination: CHOSEN_WALLET,
      delivery: { status: 'DELIVERED', occurredAt, paidAmountText: view.amount.text, txHash: TX_HASH },
    }),
    'receipt-wallet-plain': receiptPage({
      ...view,
      organisation: PLAIN,
      walletToken: { symbol: 'USDC', contract: WALLET_TOKEN.contract, chainName: 'Base' },
      destination: CHOSEN_WALLET,
      delivery: { status: 'DELIVERED', occurredAt, paidAmountText: view.amount.text, txHash: TX_HASH },
    }),
    'receipt-delivered': receiptPage({
      ...view,
      destination: CHOSEN_EMONEY,
      delivery: {
        status: 'DELIVERED',
        occurredAt,
        paidAmountText: `${formatAmount(catalogue.language, '1250.45', 'USDC')} USDC`,
        reference: 'PAY-20261113-000417',
      },
    }),
    'receipt-pending-converted': receiptPage({ ...view, conversion: CONVERSION, destination: CHOSEN_EMONEY }),
    'receipt-delivered-converted': receiptPage({
      ...view,
      conversion: CONVERSION,
      destination: CHOSEN_EMONEY,
      delivery: {
        status: 'DELIVERED',
        occurredAt,
        paidAmountText: `${formatAmount(catalogue.language, '1249.50', 'USDC')} USDC`,
      },
    }),
    'receipt-pending-estimated': receiptPage({ ...view, conversion: ESTIMATED, destination: CHOSEN_EMONEY }),
    'receipt-failed': receiptPage({
      ...view,
      destination: CHOSEN_BANK,
      delivery: { status: 'FAILED', occurredAt },
    }),
    'receipt-returned': receiptPage({
      ...view,
      destination: CHOSEN_BANK,
      delivery: { status: 'RETURNED', occurredAt },
    }),
  };
}

function goneStates(catalogue: Catalogue): Record<string, string> {
  const kinds = [
    'EXPIRED',
    'CANCELLED',
    'SUPERSEDED',
    'SPENT',
    'READDRESSED',
    'UNKNOWN',
    'UNAVAILABLE',
  ] as const;
  const asking = { token: TOKEN };
  const askedAt = new Date('2026-11-12T09:38:00Z');
  const ended = kinds.slice(0, 4).flatMap((kind) => {
    const view = { catalogue, kind, organisation: ORGANISATION };
    const name = `gone-${kind.toLowerCase()}`;
    return [
      [`${name}-asking`, gonePage({ ...view, asking })],
      [`${name}-asked`, gonePage({ ...view, asking: { ...asking, askedAt } })],
    ];
  });
  const others = Object.fromEntries(
    kinds.flatMap((kind) => [
      [`gone-${kind.toLowerCase()}`, gonePage({ catalogue, kind, organisation: ORGANISATION })],
      [`gone-${kind.toLowerCase()}-anonymous`, gonePage({ catalogue, kind })],
    ]),
  );
  const pageState = { sealed: 'sealed', key: 'key' };
  const kept = gonePage({ catalogue, kind: 'UNAVAILABLE', pageState });
  return { ...Object.fromEntries(ended), ...others, 'gone-unavailable-kept': kept };
}
