import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RecipientFacts, recipientSchema } from '@fairway/recipients';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { bankFacts, ibanCountries } from './ibanCountries.ts';
import { createRecipientReader } from './reader.ts';

const read = createRecipientReader({ forbidden: () => undefined });
const kinds: readonly RecipientFacts[] = [
  ...['AU', 'US', 'GB', 'IN', 'MX', 'CA', 'DE', 'CH', 'SG'].map(bankFacts),
  { type: 'wallet', chainId: 31337 },
  { type: 'emoney', currency: 'PHP' },
  { type: 'email' },
];
const kind = fc.constantFrom(...kinds);
const digit = fc.integer({ min: 0, max: 9 });

function isRead(country: string, account: object): boolean {
  return read({ type: 'bank', name: 'Jane Doe', country, account }, [bankFacts(country)]).ok;
}

/** A text whose nth digit is replaced by another digit. */
function mistyped(text: string, nth: number, by: number): string {
  const places = Array.from(text.matchAll(/[0-9]/g), ({ index }) => index);
  const place = places[nth % places.length] ?? 0;
  const wrong = (Number(text[place]) + by) % 10;
  return `${text.slice(0, place)}${wrong}${text.slice(place + 1)}`;
}

const mistake = fc.record({ nth: fc.nat(99), by: fc.integer({ min: 1, max: 9 }) });

test('an IBAN with one wrong digit is refused, whatever the country', () => {
  const examples = [...ibanCountries].flatMap((country) => {
    const { account } = recipientSchema(bankFacts(country)).examples[0] as { account: { iban?: string } };
    // Some countries of the IBAN registry have a kind of account of their own.
    return account.iban === undefined ? [] : [[country, account.iban] as const];
  });
  assert.ok(examples.length > 80);
  fc.assert(
    fc.property(fc.constantFrom(...examples), mistake, ([country, iban], { nth, by }) => {
      assert.ok(isRead(country, { iban }));
      assert.ok(!isRead(country, { iban: mistyped(iban, nth, by) }));
    }),
    { seed, numRuns: 500 },
  );
});

/** The digits, followed by the check digit that makes the weighted sum a multiple of ten. */
function completed(digits: readonly number[]): string {
  const sum = digits.reduce((total, value, index) => total + value * ([3, 7, 1][index % 3] ?? 0), 0);
  // The result has nine or eighteen digits, so the weight of the last one is 1.
  return `${digits.join('')}${(10 - (sum % 10)) % 10}`;
}

test('a CLABE with one wrong digit is refused', () => {
  fc.assert(
    fc.property(fc.array(digit, { minLength: 17, maxLength: 17 }), mistake, (digits, { nth, by }) => {
      const clabe = completed(digits);
      assert.ok(isRead('MX', { clabe }));
      assert.ok(!isRead('MX', { clabe: mistyped(clabe, nth, by) }));
    }),
    { seed, numRuns: 500 },
  );
});

test('a routing number with one wrong digit is refused', () => {
  const prefix = fc.constantFrom('01', '12', '21', '32', '61', '72', '80');
  const rest = fc.array(digit, { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(prefix, rest, mistake, (first, others, { nth, by }) => {
      const routingNumber = completed([...Array.from(first, Number), ...others]);
      const account = { accountNumber: '0001', accountType: 'CHECKING' };
      assert.ok(isRead('US', { ...account, routingNumber }));
      assert.ok(!isRead('US', { ...account, routingNumber: mistyped(routingNumber, nth, by) }));
    }),
    { seed, numRuns: 500 },
  );
});

const CANARY = 'canary 4000-1234 <jane.canary@leak.example>';

/** The names of all real fields: JSON below has the canary in their places and in others, as value and as name. */
const fieldNames = kinds.flatMap((facts) => {
  const { properties } = recipientSchema(facts);
  const account = properties['account'];
  return [...Object.keys(properties), ...(account?.type === 'object' ? Object.keys(account.properties) : [])];
});
const { value: hostile } = fc.letrec<{ value: unknown; members: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant(CANARY),
    fc.constantFrom(
      'bank',
      'wallet',
      'emoney',
      'email',
      'PHONE',
      'EMAIL',
      'AU',
      `0x${CANARY}`,
      `${CANARY}\n`,
    ),
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('members'),
  ),
  members: fc
    .array(
      fc.tuple(
        fc.constantFrom(...fieldNames, CANARY, '__proto__', 'constructor', 'toString', 'a/b~c', ''),
        tie('value'),
      ),
      { maxLength: 8 },
    )
    .map((entries) => Object.fromEntries(entries)),
}));

test('reading never throws, whatever the JSON, and errors never repeat a value', () => {
  fc.assert(
    fc.property(hostile, fc.array(kind, { minLength: 1, maxLength: 4 }), (value, allowed) => {
      // With a type that is allowed, the other fields are read as well.
      const typed =
        typeof value === 'object' && value !== null ? { type: allowed[0]?.type, ...value } : value;
      for (const given of [value, typed]) {
        const reading = read(JSON.parse(JSON.stringify(given)), allowed);
        if (reading.ok) continue;
        const text = JSON.stringify(reading.errors);
        assert.ok(!text.includes('canary') && !text.includes('4000') && !text.includes('leak'), text);
        assert.ok(reading.errors.length > 0);
        for (const { pointer, detail } of reading.errors) {
          assert.match(pointer, /^\/recipient(\/[A-Za-z0-9_-]+)*$/);
          assert.match(detail, /^[A-Za-z].*[.?]$/);
        }
      }
    }),
    { seed, numRuns: 2000 },
  );
});

test('a canary in any one field of a valid recipient never reaches an error', () => {
  fc.assert(
    fc.property(
      kind,
      fc.nat(99),
      fc.constantFrom(CANARY, [CANARY], { [CANARY]: CANARY }),
      (facts, nth, planted) => {
        const example = structuredClone(recipientSchema(facts).examples[0]) as Record<string, unknown>;
        const account = example['account'] as Record<string, unknown> | undefined;
        const places = [
          ...Object.keys(example).map((name) => [example, name] as const),
          ...Object.keys(account ?? {}).map((name) => [account ?? {}, name] as const),
        ];
        const [holder, name] = places[nth % places.length] ?? assert.fail();
        holder[name] = planted;
        const reading = read(example, [facts]);
        // A name may be any line of text, so the canary is valid there and nowhere else.
        if (reading.ok) assert.ok(['name', 'provider'].includes(name), name);
        else assert.doesNotMatch(JSON.stringify(reading.errors), /canary|4000|leak/);
      },
    ),
    { seed, numRuns: 1000 },
  );
});

test('a recipient as read is read again without a change, whatever its language tag', () => {
  const letters = (count: number) =>
    fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzXYZ'),
      minLength: count,
      maxLength: count,
    });
  const tag = fc
    .tuple(
      fc.oneof(letters(2), letters(3)),
      fc.oneof(fc.constant(''), letters(4)),
      fc.oneof(fc.constant(''), letters(2)),
    )
    .map((parts) => parts.filter((part) => part !== '').join('-'));
  fc.assert(
    fc.property(kind, tag, (facts, locale) => {
      const example = recipientSchema(facts).examples[0] as object;
      const given = facts.type === 'email' ? { ...example, locale } : example;
      const once = read(given, [facts]);
      assert.ok(once.ok, JSON.stringify(once));
      assert.deepEqual(read(once.recipient, [facts]), once);
    }),
    { seed, numRuns: 1000 },
  );
});
