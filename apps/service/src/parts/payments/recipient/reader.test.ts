import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskRecipient, type Recipient, type RecipientFacts, recipientSchema } from '@fairway/recipients';
import { RecipientView } from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { bankFacts, ibanCountries } from './ibanCountries.ts';
import { createRecipientReader } from './reader.ts';

const ROUTER = '0x2222222222222222222222222222222222222222';
const read = createRecipientReader({
  forbidden: (address, chainId) => (address === ROUTER && chainId === 1 ? 'a router' : undefined),
});

const WALLET: RecipientFacts = { type: 'wallet', chainId: 1 };
const EMONEY: RecipientFacts = { type: 'emoney', currency: 'PHP' };
const EMAIL: RecipientFacts = { type: 'email' };
const bank = (country: string, account: unknown) => ({ type: 'bank', name: 'Jane Doe', country, account });

function recipientOf(given: unknown, facts: RecipientFacts): Recipient {
  const reading = read(given, [facts]);
  return reading.ok ? reading.recipient : assert.fail(JSON.stringify(reading.errors));
}

/** Errors as lines of "pointer: sentence". */
function errorsOf(given: unknown, ...allowed: readonly RecipientFacts[]): string[] {
  const reading = read(given, allowed);
  return reading.ok ? [] : reading.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

/** The account of a recipient in a country, as the reader reads it. */
function accountOf(country: string, account: unknown): unknown {
  const recipient = recipientOf(bank(country, account), bankFacts(country));
  return recipient.type === 'bank' ? recipient.account : assert.fail();
}

function isRefused(country: string, account: unknown): boolean {
  return errorsOf(bank(country, account), bankFacts(country)).length > 0;
}

test('every kind of recipient has a valid schema, whose example is a valid recipient', () => {
  const ajv = new Ajv2020();
  const countries = [...ibanCountries, 'AU', 'US', 'GB', 'IN', 'MX', 'CA', 'SG', 'JP'].map(bankFacts);
  assert.ok(ibanCountries.size > 80);
  for (const facts of [...countries, WALLET, EMONEY, EMAIL]) {
    const schema = recipientSchema(facts);
    assert.ok(ajv.validateSchema(schema), ajv.errorsText());
    assert.equal(errorsOf(schema.examples[0], facts).join('\n'), '', JSON.stringify(facts));
  }
});

test('account details are accepted in the spellings of people and kept in one spelling', () => {
  const iban = 'DE36000000000000000000';
  for (const [country, given, kept] of [
    ['AU', { bsb: '123-456', accountNumber: '12345' }, { bsb: '123456', accountNumber: '12345' }],
    ['AU', { bsb: '123456', accountNumber: '123 456 789' }, { bsb: '123456', accountNumber: '123456789' }],
    [
      'US',
      { routingNumber: '800000006', accountNumber: '0001', accountType: 'SAVINGS' },
      { routingNumber: '800000006', accountNumber: '0001', accountType: 'SAVINGS' },
    ],
    [
      'GB',
      { sortCode: '00-00-00', accountNumber: '00000001' },
      { sortCode: '000000', accountNumber: '00000001' },
    ],
    [
      'IN',
      { ifsc: 'xmpl0abc123', accountNumber: '000000001' },
      { ifsc: 'XMPL0ABC123', accountNumber: '000000001' },
    ],
    ['MX', { clabe: '000 000 00000000001 3' }, { clabe: '000000000000000013' }],
    [
      'CA',
      { institutionNumber: '000', transitNumber: '00000', accountNumber: '0000001' },
      { institutionNumber: '000', transitNumber: '00000', accountNumber: '0000001' },
    ],
    ['DE', { iban: ' de36 0000\u00a00000 0000 0000 00 ' }, { iban }],
    ['DE', { iban, bic: 'xmpl de 22 xxx' }, { iban, bic: 'XMPLDE22XXX' }],
    ['RE', { iban: 'FR76 0000 0000 0000 0000 0000 000' }, { iban: 'FR7600000000000000000000000' }],
    ['SG', { bic: 'XMPLSG22', accountNumber: '0000-1' }, { bic: 'XMPLSG22', accountNumber: '00001' }],
  ] as const) {
    assert.deepEqual(accountOf(country, given), kept);
  }
});

test('account details that no bank of the country has are refused', () => {
  for (const [country, account] of [
    ['AU', { bsb: '12345', accountNumber: '12345' }],
    ['AU', { bsb: '123--456', accountNumber: '12345' }],
    ['AU', { bsb: '123456', accountNumber: '1234' }],
    ['AU', { bsb: '123456', accountNumber: '1234567890' }],
    ['AU', { bsb: '123456', accountNumber: 12345 }],
    ['AU', { bsb: '123456', accountNumber: '12345\n' }],
    ['AU', { bsb: '１２３４５６', accountNumber: '12345' }],
    // The check digits of both are right, but no bank has these prefixes.
    ['US', { routingNumber: '000000000', accountNumber: '0001', accountType: 'SAVINGS' }],
    ['US', { routingNumber: '130000006', accountNumber: '0001', accountType: 'SAVINGS' }],
    ['US', { routingNumber: '800000006', accountNumber: '0001', accountType: 'savings' }],
    ['GB', { sortCode: '000000', accountNumber: '1234567' }],
    ['GB', { iban: 'GB76XXXX00000000000000' }],
    ['IN', { ifsc: 'XMPL1000001', accountNumber: '000000001' }],
    ['MX', { clabe: '00000000000000001' }],
    ['CA', { institutionNumber: '00', transitNumber: '00000', accountNumber: '0000001' }],
    ['DE', { iban: 'FR7600000000000000000000000' }],
    ['DE', { iban: 'DE3600000000000000000' }],
    ['DE', { iban: 'DE36000000000000000000', bic: 'XMPLZZ22' }],
    // This is a QR-IBAN whose check digits are right.
    ['CH', { iban: 'CH4431999123000889012' }],
    ['SG', { bic: 'XMPLSG2', accountNumber: '00001' }],
    ['SG', { bic: 'XMPLSG22', accountNumber: '0'.repeat(35) }],
  ] as const) {
    assert.ok(isRefused(country, account), JSON.stringify(account));
  }
});

test('a name is one line in one normal form, without characters that hide or turn text', () => {
  const nameOf = (name: unknown) =>
    recipientOf({ type: 'email', email: 'jane@example.com', name }, EMAIL).name;
  assert.equal(nameOf('  Jane\u00a0Doe '), 'Jane Doe');
  assert.equal(nameOf('Zoe\u0308'), 'Zoë');
  assert.equal(nameOf('王小明'), '王小明');
  assert.equal(nameOf('😀'.repeat(140)), '😀'.repeat(140));
  const refused = [
    '',
    ' ',
    'a\0b',
    'a\nb',
    'a\n',
    'a\u2028b',
    'a\u2029b',
    '\u202ea',
    'a\u2067',
    '\ud800',
    'a\u200bb',
  ];
  for (const name of [...refused, 'x'.repeat(141), 7, null, ['Jane'], { first: 'Jane' }]) {
    assert.equal(
      errorsOf({ type: 'email', email: 'jane@example.com', name }, EMAIL).length,
      1,
      JSON.stringify(name),
    );
  }
});

test('a name that cannot be read, or could be taken for another one, is refused', () => {
  const errors = (name: string) => errorsOf({ type: 'email', email: 'jane@example.com', name }, EMAIL);
  for (const name of [
    'میرزا\u200cخان',
    'क\u094d\u200dष',
    '葛\u{e0100}城',
    'ကြွှေ့ာ်',
    'Nguyễn Thị Ánh',
    'ཀྵྨླྺ',
    '☃\ufe0f',
    // Mongolian: a variant of a letter, a separated vowel, and both.
    '\u182a\u1820\u180b\u1828',
    '\u1834\u1820\u1837\u180e\u1820',
    '\u1828\u1820\u180c\u180e\u1820',
  ])
    assert.deepEqual(errors(name), [], name);
  const hidden = {
    'a tag': 'Jane\u{e0041}\u{e007f}',
    'only tags': '\u{e0001}\u{e0041}',
    'a Hangul filler': '\u3164',
    'two fillers': '\u115f\u1160',
    'a half-width filler': '\uffa0',
    'an empty Braille cell': '\u2800',
    'only joiners': '\u200d\u200c',
    'only a variant': '\ufe0f',
    'only marks': '\u0301\u0302',
    'an invisible operator': 'Ja\u2063ne',
    'a grapheme joiner': 'Ja\u034fne',
    'a Mongolian separator in a Latin name': 'Ja\u180ene',
    'a Mongolian separator behind a word': '\u1834\u180e',
    'a Mongolian separator before a word': '\u180e\u1834',
    'a Mongolian variant in a Latin name': 'Ja\u180bne',
    'two Mongolian separators': '\u1834\u180e\u180e\u1820',
    'a private character': 'Jane \ue000',
    'an unassigned invisible character': 'Jane\u{e0fff}',
    'nine marks': `Z${'\u0335'.repeat(9)}oe`,
    'marks with joiners between': `Z${'\u0335\u200d'.repeat(5)}oe`,
  };
  const error =
    '/recipient/name: Name must have characters that can be seen, and no invisible ones nor many combining marks in a row.';
  for (const [what, name] of Object.entries(hidden)) {
    const found = errors(name);
    assert.equal(found.length, 1, what);
    // The schema itself refuses some of them.
    if (!found[0]?.includes('on one line')) assert.deepEqual(found, [error], what);
  }
});

test('a BIC has the country of the IBAN, or one whose banks have such IBANs', () => {
  const errors = (country: string, iban: string, bic: string) =>
    errorsOf(bank(country, { iban, bic }), bankFacts(country));
  const german = 'DE89370400440532013000';
  const french = 'FR1420041010050500013M02606';
  assert.deepEqual(errors('DE', german, 'COBADEFF'), []);
  assert.deepEqual(errors('DE', german, 'cobadeffxxx'), []);
  assert.deepEqual(errors('DE', german, 'BNPAFRPP'), [
    '/recipient/account/bic: BIC must be the BIC of the bank that has the IBAN, with the country DE.',
  ]);
  for (const bic of ['BNPAFRPP', 'BNPARERX', 'BNPAGPGX', 'BNPANCNX', 'BNPAMCM1'])
    assert.deepEqual(errors('FR', french, bic), [], bic);
  assert.deepEqual(errors('FR', french, 'COBADEFF').length, 1);
  assert.deepEqual(errors('RE', french, 'BNPARERX'), []);
  assert.deepEqual(errors('FI', 'FI2112345600000785', 'AABAAXHH'), []);
});

test('an e-mail recipient has one address, of which only the domain is put in lower case', () => {
  const given = { type: 'email', email: ' Jane.Doe+x@Example.COM ', locale: 'pt-br' };
  assert.deepEqual(recipientOf(given, EMAIL), {
    type: 'email',
    email: 'Jane.Doe+x@example.com',
    locale: 'pt-BR',
  });
  const longest = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.ex`;
  assert.equal(longest.length, 254);
  for (const address of ["o'neil@example.com", 'a@xn--mller-kva.example', longest]) {
    recipientOf({ type: 'email', email: address }, EMAIL);
  }
  for (const address of [
    'jane',
    'jane@localhost',
    '@example.com',
    'jane@@example.com',
    'a@example.com,b@example.com',
    'a@example.com b@example.com',
    'Jane <jane@example.com>',
    '"jane doe"@example.com',
    'a@example.com\r\nBcc: b@example.com',
    'jane.@example.com',
    '.jane@example.com',
    'ja..ne@example.com',
    'jane@-example.com',
    'jane@example..com',
    'jane@example.com.',
    'jane@[127.0.0.1]',
    'jane@127.0.0.1',
    '=?utf-8?q?jane=40evil.example=3e=00?=@example.com',
    'x=?iso-8859-1?b?YUBi?=@example.com',
    'jané@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.example`,
    `b${longest}`,
    `a@${'b.'.repeat(126)}example`,
  ]) {
    assert.equal(errorsOf({ type: 'email', email: address }, EMAIL).length, 1, address);
  }
});

test('a wallet address is kept in lower case, and refused if the money would be lost', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const given = (text: unknown) => ({ type: 'wallet', chainId: 1, address: text });
  assert.deepEqual(recipientOf(given(address), WALLET), given(address.toLowerCase()));
  recipientOf(given(`0x${address.slice(2).toUpperCase()}`), WALLET);
  const place = "/recipient/address: Wallet address must be the recipient's own; it must not be";
  const placeholder = `${place} the zero address or the native currency's placeholder.`;
  assert.deepEqual(errorsOf(given(address.replace('aA', 'AA')), WALLET), [
    '/recipient/address: Wallet address must be an address of 0x and 40 hex digits, whose mixed letter case is its EIP-55 checksum; check it for typing errors.',
  ]);
  assert.deepEqual(errorsOf(given(`0x${'0'.repeat(40)}`), WALLET), [placeholder]);
  assert.deepEqual(errorsOf(given('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'), WALLET), [placeholder]);
  assert.deepEqual(errorsOf(given(ROUTER), WALLET), [`${place} a router.`]);
  const otherChain: RecipientFacts = { type: 'wallet', chainId: 2 };
  recipientOf({ ...given(ROUTER), chainId: 2 }, otherChain);
  assert.deepEqual(errorsOf({ ...given(address), chainId: 2 }, WALLET), [
    '/recipient/chainId: Chain must be 1, the chain this corridor pays on.',
  ]);
});

test('the identifier of an eMoney wallet is read as its idType says', () => {
  const given = (idType: string, idValue: string) => ({
    type: 'emoney',
    name: 'Jane Doe',
    provider: 'Example Pay',
    idType,
    idValue,
    currency: 'PHP',
  });
  const idOf = (idType: string, idValue: string) => {
    const recipient = recipientOf(given(idType, idValue), EMONEY);
    return recipient.type === 'emoney' ? recipient.idValue : assert.fail();
  };
  assert.equal(idOf('PHONE', '+1 202-555-0143'), '+12025550143');
  assert.equal(idOf('EMAIL', 'Jane@Example.com'), 'Jane@example.com');
  assert.equal(idOf('ACCOUNT_ID', 'user 7-A'), 'user 7-A');
  assert.deepEqual(errorsOf(given('PHONE', '2025550143'), EMONEY), [
    '/recipient/idValue: Identifier must be a phone number with + and country code.',
  ]);
  assert.deepEqual(errorsOf(given('EMAIL', 'jane@example'), EMONEY), [
    '/recipient/idValue: Identifier must be one email address of at most 254 characters, without a display name; check it for typing errors.',
  ]);
  assert.deepEqual(errorsOf(given('IBAN', 'jane@example'), EMONEY), [
    '/recipient/idType: Identified by must be PHONE, EMAIL or ACCOUNT_ID.',
  ]);
});

test('all mistakes are reported at once, by field, and no given value is repeated', () => {
  const account = { bsd: '123-456', accountNumber: 12345678, '4000 1234': 'x' };
  assert.deepEqual(errorsOf({ type: 'bank', nam: 'Jane', country: 'NZ', account }, bankFacts('AU')), [
    "/recipient/name: Name is missing; it must be the account holder's full name, on one line of at most 140 characters.",
    '/recipient/nam: nam is not a field of this recipient; did you mean name?',
    '/recipient/country: Country must be AU, the country this corridor pays to.',
    '/recipient/account/bsb: BSB is missing; it must be six digits, with or without a hyphen.',
    '/recipient/account/bsd: bsd is not a field of this recipient; did you mean bsb?',
    '/recipient/account: Account has a field with an unknown name; its fields are bsb, accountNumber.',
    '/recipient/account/accountNumber: Account number must be a string: 5 to 9 digits.',
  ]);
  assert.deepEqual(errorsOf(bank('DE', { iban: 'DE37000000000000000000', bic: 'XMPL' }), bankFacts('DE')), [
    '/recipient/account/iban: IBAN must be an IBAN of 22 characters that begins with DE, with or without spaces; check it for typing errors.',
    '/recipient/account/bic: BIC must be the BIC (SWIFT code) of a bank: 8 or 11 letters and digits.',
  ]);
  assert.deepEqual(errorsOf(bank('MX', { clabe: '000000000000000014' }), bankFacts('MX')), [
    '/recipient/account/clabe: CLABE must be a CLABE of 18 digits; check it for typing errors.',
  ]);
  assert.deepEqual(errorsOf(bank('AU', []), bankFacts('AU')), [
    "/recipient/account: Account must be an object: the account's BSB and account number.",
  ]);
});

test('the type of a recipient selects one of the kinds that a corridor allows', () => {
  const allowed = [bankFacts('AU'), WALLET, EMAIL];
  const chosen = read({ type: 'email', email: 'jane@example.com' }, allowed);
  assert.deepEqual(chosen, { ok: true, recipient: { type: 'email', email: 'jane@example.com' } });
  assert.deepEqual(errorsOf({ email: 'jane@example.com' }, ...allowed), [
    '/recipient/type: Type is missing; it must be bank, wallet or email. A recipient is sent whole.',
  ]);
  for (const given of [{ type: 'emoney' }, { type: 7 }, { type: '__proto__' }, { type: null }]) {
    assert.deepEqual(errorsOf(given, ...allowed), ['/recipient/type: Type must be bank, wallet or email.']);
  }
  for (const given of [null, undefined, 'email', 7, [], [{ type: 'email' }]]) {
    assert.deepEqual(errorsOf(given, ...allowed), [
      '/recipient: Recipient must be an object with a type: bank, wallet or email.',
    ]);
  }
  assert.deepEqual(errorsOf({ type: 'emial', email: 'jane@example.com' }, EMAIL), [
    '/recipient/type: Type must be email.',
  ]);
});

test('a member called __proto__ is refused like any other unknown member', () => {
  const inner = '{"type":"email","email":"jane@example.com"}';
  for (const text of [`{"__proto__":${inner}}`, `{"type":"email","__proto__":${inner}}`]) {
    const errors = errorsOf(JSON.parse(text), EMAIL);
    assert.ok(errors.some((line) => line.startsWith('/recipient/email: Email address is missing')));
    assert.ok(
      errors.includes(
        '/recipient: Recipient has a field with an unknown name; its fields are type, email, name, locale.',
      ),
    );
  }
  const account = JSON.parse('{"__proto__":{"bsb":"123456","accountNumber":"12345"}}') as unknown;
  assert.equal(errorsOf(bank('AU', account), bankFacts('AU')).length, 3);
});

test('a masked recipient fits its schema in the API document', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(RecipientView);
  for (const facts of [bankFacts('AU'), bankFacts('DE'), bankFacts('MX'), WALLET, EMONEY, EMAIL]) {
    const view: RecipientView = maskRecipient(recipientOf(recipientSchema(facts).examples[0], facts), 'f');
    assert.ok(validate(view), JSON.stringify(validate.errors));
  }
});
