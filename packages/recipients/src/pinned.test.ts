import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  canonicalRecipient,
  maskRecipient,
  type Recipient,
  type RecipientFacts,
  recipientSchema,
} from './index.ts';

// Fingerprints are made of canonical texts and compared with stored ones, and integrators keep the schemas that they
// read. A value below therefore never changes; values for new kinds of account are added.

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
/** Every pair of letters, which is more than the countries of ISO 3166-1. */
const COUNTRIES = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`));
const NATIONAL = ['AU', 'US', 'GB', 'IN', 'MX', 'CA'];

/** The schema as JSON, or a text that says that there is none. */
function schemaText(facts: RecipientFacts): string {
  try {
    return JSON.stringify(recipientSchema(facts));
  } catch {
    return `${JSON.stringify(facts)} has no schema`;
  }
}

const bank = (usesIban: boolean) => (country: string) => schemaText({ type: 'bank', country, usesIban });
const without = (countries: readonly string[]) => COUNTRIES.filter((country) => !countries.includes(country));

/** The schemas of a kind of recipient as JSON, and the SHA-256 of all of them together. */
const SCHEMAS: Readonly<Record<string, readonly [texts: readonly string[], hash: string]>> = {
  AU: [[bank(false)('AU')], 'd9d99f6c842e6ed0106d318317976294a010a2919f1cc98f36187803cc8b64f6'],
  US: [[bank(false)('US')], '4665ae65d14fe0fae692bce014c113bbd46596e89e4d708a6231af6211428e52'],
  GB: [[bank(true)('GB')], '23e07457dfcfaef75a46cdb724c093da7dd9257183d4ae889a61c40b0593fb14'],
  IN: [[bank(false)('IN')], 'c738cd3a8a84bbab215b97be0e9a6d5d0159001e1334b2812321f314611fbc75'],
  MX: [[bank(false)('MX')], '2f4918d698a5fcd37bd068e1027b0b0d1367438d337fd880d5a4dffe9bb0b015'],
  CA: [[bank(false)('CA')], '78ce96b043700ae826ed9ff2645ca3708f876aa8eb71c92ba2c03de3e8eee98b'],
  'every other country, with an IBAN': [
    without(NATIONAL).map(bank(true)),
    'a8df3ea7b888993ba12c4c37e9708af27c7d59b2feb13cea6213225d39471957',
  ],
  'every other country, with a BIC': [
    without(NATIONAL).map(bank(false)),
    '40097e644554e61dc6af362ff25dacad1dbc5f75e5f6bdb3cb0a1e92ae93f9ab',
  ],
  wallet: [
    [1, 8453, 31337].map((chainId) => schemaText({ type: 'wallet', chainId })),
    'b33be04814e5f8f9f0877bfa30e19fcfcc32c302a9f2884dbb5931e432b94ae4',
  ],
  emoney: [
    ['PHP', 'KES'].map((currency) => schemaText({ type: 'emoney', currency })),
    '2817543ad305ad78c72bc8d1fcef8be459740eca2f0639d4ac29c22bb69809e4',
  ],
  email: [
    [schemaText({ type: 'email' })],
    '291588721d5e37c8dee1f28e8314d0b37e6898c32f91676d604afb1a540acba0',
  ],
};

for (const [kind, [texts, hash]] of Object.entries(SCHEMAS)) {
  test(`the schema of a recipient has not changed: ${kind}`, () => {
    assert.equal(createHash('sha256').update(texts.join('\n')).digest('hex'), hash);
  });
}

const NAME = 'Jane van Doe';
const ADDRESS = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const EMONEY = { type: 'emoney', name: NAME, provider: 'Example  Pay', currency: 'PHP' } as const;

/** Recipients, each with its canonical text and its mask as JSON. */
const RECIPIENTS: readonly (readonly [recipient: Recipient, canonical: string, mask: string])[] = [
  [
    { type: 'bank', name: NAME, country: 'AU', account: { bsb: '123456', accountNumber: '12345678' } },
    '["bank","jane van doe","AU",[["accountNumber","12345678"],["bsb","123456"]]]',
    '{"type":"bank","name":"J. V. D.","country":"AU","account":{"accountNumberLast4":"5678"},"fingerprint":"f"}',
  ],
  [
    {
      type: 'bank',
      name: ' ZOE\u0308  d ',
      country: 'AU',
      account: { accountNumber: '1234 5', bsb: '123-456' },
    },
    '["bank","zoë d","AU",[["accountNumber","12345"],["bsb","123456"]]]',
    '{"type":"bank","name":"Z. *","country":"AU","account":{"accountNumberLast4":" 5"},"fingerprint":"f"}',
  ],
  [
    {
      type: 'bank',
      name: NAME,
      country: 'US',
      account: { routingNumber: '800000006', accountNumber: '0001', accountType: 'SAVINGS' },
    },
    '["bank","jane van doe","US",[["accountNumber","0001"],["accountType","SAVINGS"],["routingNumber","800000006"]]]',
    '{"type":"bank","name":"J. V. D.","country":"US","account":{"accountNumberLast4":"01"},"fingerprint":"f"}',
  ],
  [
    { type: 'bank', name: NAME, country: 'GB', account: { sortCode: '00-00-00', accountNumber: '00000001' } },
    '["bank","jane van doe","GB",[["accountNumber","00000001"],["sortCode","000000"]]]',
    '{"type":"bank","name":"J. V. D.","country":"GB","account":{"accountNumberLast4":"0001"},"fingerprint":"f"}',
  ],
  [
    { type: 'bank', name: NAME, country: 'IN', account: { ifsc: 'xmpl0abc123', accountNumber: '000000001' } },
    '["bank","jane van doe","IN",[["accountNumber","000000001"],["ifsc","XMPL0ABC123"]]]',
    '{"type":"bank","name":"J. V. D.","country":"IN","account":{"accountNumberLast4":"0001"},"fingerprint":"f"}',
  ],
  [
    { type: 'bank', name: NAME, country: 'MX', account: { clabe: '000 000 00000000001 3' } },
    '["bank","jane van doe","MX",[["clabe","000000000000000013"]]]',
    '{"type":"bank","name":"J. V. D.","country":"MX","account":{"accountNumberLast4":"01 3"},"fingerprint":"f"}',
  ],
  [
    {
      type: 'bank',
      name: NAME,
      country: 'CA',
      account: { institutionNumber: '003', transitNumber: '00102', accountNumber: '0000001' },
    },
    '["bank","jane van doe","CA",[["accountNumber","0000001"],["institutionNumber","003"],["transitNumber","00102"]]]',
    '{"type":"bank","name":"J. V. D.","country":"CA","account":{"accountNumberLast4":"01"},"fingerprint":"f"}',
  ],
  [
    { type: 'bank', name: NAME, country: 'DE', account: { iban: 'DE36000000000000001234', bic: 'XMPLDE22' } },
    '["bank","jane van doe","DE",[["bic","XMPLDE22"],["iban","DE36000000000000001234"]]]',
    '{"type":"bank","name":"J. V. D.","country":"DE","account":{"accountNumberLast4":"1234"},"fingerprint":"f"}',
  ],
  [
    { type: 'bank', name: NAME, country: 'RE', account: { iban: 'fr76 0000 0000 0000 0000 0000 000' } },
    '["bank","jane van doe","RE",[["iban","FR7600000000000000000000000"]]]',
    '{"type":"bank","name":"J. V. D.","country":"RE","account":{"accountNumberLast4":" 000"},"fingerprint":"f"}',
  ],
  [
    { type: 'bank', name: '王小明', country: 'SG', account: { bic: 'xmpl sg 22', accountNumber: 'ab-0001' } },
    '["bank","王小明","SG",[["accountNumber","AB0001"],["bic","XMPLSG22"]]]',
    '{"type":"bank","name":"*","country":"SG","account":{"accountNumberLast4":"01"},"fingerprint":"f"}',
  ],
  [
    { type: 'wallet', chainId: 1, address: ADDRESS },
    '["wallet",1,"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",null]',
    '{"type":"wallet","chainId":1,"address":"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed","fingerprint":"f"}',
  ],
  [
    { type: 'wallet', chainId: 8453, address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', name: NAME },
    '["wallet",8453,"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed","jane van doe"]',
    '{"type":"wallet","chainId":8453,"address":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed","name":"J. V. D.","fingerprint":"f"}',
  ],
  [
    { type: 'wallet', chainId: 1, address: ADDRESS, custody: { kind: 'VASP', vasp: 'Example  Exchange' } },
    '["wallet",1,"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",null,"VASP","example exchange"]',
    '{"type":"wallet","chainId":1,"address":"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed","custody":{"kind":"VASP","vasp":"Example  Exchange"},"fingerprint":"f"}',
  ],
  [
    { ...EMONEY, idType: 'PHONE', idValue: '+1 202-555-0143' },
    '["emoney","jane van doe","example pay","PHONE","+12025550143","PHP"]',
    '{"type":"emoney","name":"J. V. D.","provider":"Example  Pay","idType":"PHONE","idValueLast4":"0143","currency":"PHP","fingerprint":"f"}',
  ],
  [
    { ...EMONEY, idType: 'EMAIL', idValue: ' Jane@EXAMPLE.com ' },
    '["emoney","jane van doe","example pay","EMAIL","Jane@example.com","PHP"]',
    '{"type":"emoney","name":"J. V. D.","provider":"Example  Pay","idType":"EMAIL","idValueLast4":"com ","currency":"PHP","fingerprint":"f"}',
  ],
  [
    { ...EMONEY, idType: 'ACCOUNT_ID', idValue: 'User 7-A' },
    '["emoney","jane van doe","example pay","ACCOUNT_ID","User 7-A","PHP"]',
    '{"type":"emoney","name":"J. V. D.","provider":"Example  Pay","idType":"ACCOUNT_ID","idValueLast4":" 7-A","currency":"PHP","fingerprint":"f"}',
  ],
  [
    { type: 'email', email: 'Jane.Doe@EXAMPLE.com' },
    '["email","Jane.Doe@example.com",null,null]',
    '{"type":"email","email":"J***@EXAMPLE.com","fingerprint":"f"}',
  ],
  [
    { type: 'email', email: 'jd@example.com', name: NAME, locale: 'pt-BR' },
    '["email","jd@example.com","jane van doe","pt-br"]',
    '{"type":"email","email":"***@example.com","name":"J. V. D.","locale":"pt-BR","fingerprint":"f"}',
  ],
];

test('the canonical text of a recipient, from which fingerprints are made, has not changed', () => {
  for (const [recipient, canonical] of RECIPIENTS) assert.equal(canonicalRecipient(recipient), canonical);
});

test('the mask of a recipient has not changed', () => {
  for (const [recipient, , mask] of RECIPIENTS)
    assert.equal(JSON.stringify(maskRecipient(recipient, 'f')), mask);
});
