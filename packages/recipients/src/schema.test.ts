import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createRecipientFormats,
  type RecipientFacts,
  type RecipientField,
  type RecipientGroup,
  recipientSchema,
} from './index.ts';

const bank = (country: string, usesIban = false) => ({ type: 'bank', country, usesIban }) as const;
const kinds: readonly RecipientFacts[] = [
  ...['AU', 'US', 'GB', 'IN', 'MX', 'CA', 'SG'].map((country) => bank(country)),
  ...['DE', 'CH', 'RE'].map((country) => bank(country, true)),
  { type: 'wallet', chainId: 31337 },
  { type: 'emoney', currency: 'PHP' },
  { type: 'email' },
];

const isGiven = () => true;
const FORMATS = Object.keys(createRecipientFormats({ iban: isGiven, bic: isGiven, 'evm-address': isGiven }));

/** Every field of a recipient, also those inside conditions. */
function fieldsOf(facts: RecipientFacts): RecipientField[] {
  const schema = recipientSchema(facts);
  const inner = (group: Pick<RecipientGroup, 'properties'>): RecipientField[] =>
    Object.values(group.properties).flatMap((member) =>
      member.type === 'object' ? inner(member) : [member],
    );
  return [...inner(schema), ...(schema.allOf ?? []).flatMap((condition) => inner(condition.then))];
}

test('every field has a label, a hint and an example that fits its pattern', () => {
  for (const field of kinds.flatMap(fieldsOf)) {
    assert.match(field.title, /^\S.*[^.\s]$/);
    assert.match(field.description, /^\S.*[^.\s]$/);
    for (const example of field.examples) {
      assert.equal(typeof example, field.type === 'integer' ? 'number' : 'string');
      assert.match(String(example), new RegExp(field.pattern ?? '', 'u'), field.title);
    }
    assert.equal(field.examples.length, 1);
  }
});

test('every text is bounded, and its pattern means the same in JSON Schema and in HTML', () => {
  for (const field of kinds.flatMap(fieldsOf)) {
    if (field.const !== undefined || field.enum !== undefined) continue;
    assert.ok((field.minLength ?? 0) >= 1 && (field.maxLength ?? Infinity) <= 254, field.title);
    const pattern = field.pattern ?? assert.fail(`${field.title} has no pattern`);
    assert.match(pattern, /^\^[\x20-\x7e]*\$$/);
    for (const flag of ['u', 'v']) {
      const expression = new RegExp(pattern, flag);
      for (const example of field.examples) assert.match(String(example), expression);
      for (const hidden of ['\0', '\n', '\r', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066', '\ud800']) {
        for (const text of [`${field.examples[0]}${hidden}`, `${hidden}${field.examples[0]}`]) {
          assert.doesNotMatch(text, expression, `${field.title} ${JSON.stringify(hidden)}`);
        }
      }
    }
    if (field.format !== undefined) assert.ok(FORMATS.includes(field.format));
  }
});

test('a schema is plain JSON without references and allows no unknown members', () => {
  for (const facts of kinds) {
    const schema = recipientSchema(facts);
    assert.deepStrictEqual(JSON.parse(JSON.stringify(schema)), schema);
    assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.equal(schema.additionalProperties, false);
    const account = schema.properties['account'] as RecipientGroup | undefined;
    if (account !== undefined) assert.equal(account.additionalProperties, false);
  }
});

test('an account has the members that banks of its country ask for', () => {
  const members = (country: string, usesIban = false) => {
    const account = recipientSchema(bank(country, usesIban)).properties['account'] as RecipientGroup;
    return Object.keys(account.properties).map((name) =>
      account.required.includes(name) ? name : `${name}?`,
    );
  };
  assert.deepEqual(members('AU'), ['bsb', 'accountNumber']);
  assert.deepEqual(members('US'), ['routingNumber', 'accountNumber', 'accountType']);
  assert.deepEqual(members('GB', true), ['sortCode', 'accountNumber']);
  assert.deepEqual(members('IN'), ['ifsc', 'accountNumber']);
  assert.deepEqual(members('MX'), ['clabe']);
  assert.deepEqual(members('CA'), ['institutionNumber', 'transitNumber', 'accountNumber']);
  assert.deepEqual(members('DE', true), ['iban', 'bic?']);
  assert.deepEqual(members('SG'), ['bic', 'accountNumber']);
});

test('asking for the IBAN of a country without IBANs is a bug of the caller', () => {
  assert.throws(() => recipientSchema(bank('SG', true)), /No IBAN is known/);
});
