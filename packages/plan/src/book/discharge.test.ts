import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { type Amount, amountOf } from '../terms/amount.ts';
import {
  type Deduction,
  type Discharge,
  dischargeOf,
  exactAmounts,
  type PayoutTerms,
  type ReportedPayout,
} from './discharge.ts';
import type { Asset, Money } from '../terms/money.ts';

const TOKEN: Asset = { chainId: 1, address: `0x${'02'.repeat(20)}` };
const units = (value: bigint): Amount => amountOf(value);
const ofToken = (value: bigint): Money => ({ amount: units(value), asset: TOKEN });
const of = (value: bigint, currency: string): Money => ({ amount: units(value), asset: { currency } });
const lessFee = (money: Money): readonly Deduction[] => [{ ...money, reason: 'wire fee' }];

type Terms = PayoutTerms & { readonly due: Amount };

/** How a report accounts for what is due, in one step. */
function accounted({ due, ...terms }: Terms, told: ReportedPayout) {
  const exact = exactAmounts(terms, told);
  return exact.ok ? dischargeOf(due, exact.amounts) : exact;
}

/** 250 units of a token of six decimals are due. */
const CONVERTED: Terms = {
  due: units(250_000_000n),
  token: TOKEN,
  decimals: 6,
  currency: 'PHP',
  conversion: 'CUSTODIAN',
};
const PEGGED: Terms = { ...CONVERTED, currency: 'EUR', conversion: 'PEGGED' };

const discharge = (discharged: bigint, deducted = 0n, missing = 0n): Discharge => ({
  discharged: units(discharged),
  deducted: units(deducted),
  missing: units(missing),
});

const ACCOUNTED: [what: string, terms: Terms, told: ReportedPayout, expected: Discharge][] = [
  ['no amounts settle all', CONVERTED, {}, discharge(250_000_000n)],
  [
    'an amount settles itself',
    CONVERTED,
    { amount: units(245_000_000n) },
    discharge(245_000_000n, 0n, 5_000_000n),
  ],
  [
    'an amount in cents is a small amount',
    PEGGED,
    { amount: units(25_000n) },
    discharge(25_000n, 0n, 249_975_000n),
  ],
  [
    'a fee explains what is missing',
    CONVERTED,
    { amount: units(245_000_000n), deductions: lessFee(ofToken(5_000_000n)) },
    discharge(245_000_000n, 5_000_000n),
  ],
  [
    'a fee explains a part of what is missing',
    CONVERTED,
    { amount: units(240_000_000n), deductions: lessFee(ofToken(5_000_000n)) },
    discharge(240_000_000n, 5_000_000n, 5_000_000n),
  ],
  [
    'a fee alone leaves the rest as paid',
    CONVERTED,
    { deductions: lessFee(ofToken(5_000_000n)) },
    discharge(245_000_000n, 5_000_000n),
  ],
  [
    'what was paid in the currency settles all',
    CONVERTED,
    { paid: of(1_412_500n, 'PHP') },
    discharge(250_000_000n),
  ],
  [
    'what was paid in the currency settles what amount says',
    CONVERTED,
    { paid: of(1_384_250n, 'PHP'), amount: units(245_000_000n) },
    discharge(245_000_000n, 0n, 5_000_000n),
  ],
  ['a pegged currency settles its own worth', PEGGED, { paid: of(25_000n, 'EUR') }, discharge(250_000_000n)],
  [
    'a cent less of a pegged currency is missing',
    PEGGED,
    { paid: of(24_999n, 'EUR') },
    discharge(249_990_000n, 0n, 10_000n),
  ],
  [
    'a fee in a pegged currency explains what is missing',
    PEGGED,
    { paid: of(24_500n, 'EUR'), deductions: lessFee(of(500n, 'EUR')) },
    discharge(245_000_000n, 5_000_000n),
  ],
  [
    'parts of a cent are missing until they are explained',
    { ...PEGGED, due: units(250_005_411n) },
    { paid: of(25_000n, 'EUR') },
    discharge(250_000_000n, 0n, 5_411n),
  ],
  [
    'what was paid in the token settles itself',
    PEGGED,
    { paid: ofToken(1n) },
    discharge(1n, 0n, 249_999_999n),
  ],
  ['more than is due settles more', CONVERTED, { amount: units(251_000_000n) }, discharge(251_000_000n)],
  [
    'a currency without minor units is pegged by its units',
    { ...PEGGED, currency: 'JPY' },
    { paid: of(250n, 'JPY') },
    discharge(250_000_000n),
  ],
  [
    'a token with fewer decimals than its currency is settled by whole units',
    { ...PEGGED, decimals: 0, due: units(250n) },
    { paid: of(25_000n, 'EUR') },
    discharge(250n),
  ],
];
for (const [what, terms, told, expected] of ACCOUNTED)
  test(what, () => assert.deepEqual(accounted(terms, told), { ok: true, discharge: expected }));

const CONTRADICTIONS: [what: string, terms: Terms, told: ReportedPayout, member: string, both: RegExp][] = [
  ['another currency', CONVERTED, { paid: of(230n, 'EUR') }, 'paid', /PHP/],
  ['another token', CONVERTED, { paid: { ...ofToken(1n), asset: { ...TOKEN, chainId: 2 } } }, 'paid', /0x02/],
  [
    'an amount that is not what was paid',
    PEGGED,
    { paid: of(25_000n, 'EUR'), amount: units(25_000n) },
    'amount',
    /25000 units .* 250000000/,
  ],
  [
    'a fee that a custodian took in its currency',
    CONVERTED,
    { amount: units(1n), deductions: lessFee(of(500n, 'PHP')) },
    'deductions',
    /the token 0x02/,
  ],
  [
    'a fee above what is due',
    CONVERTED,
    { deductions: lessFee(ofToken(250_000_001n)) },
    'deductions',
    /250000001 .* 250000000/,
  ],
  [
    'a fee although nothing is missing',
    CONVERTED,
    { amount: units(250_000_000n), deductions: lessFee(ofToken(1n)) },
    'deductions',
    /1 units .* 250000000 of the 250000000/,
  ],
  [
    'a part of a unit of the token',
    { ...PEGGED, decimals: 1, due: units(2_500n) },
    { paid: of(25_001n, 'EUR') },
    'paid',
    /no whole number/,
  ],
];
for (const [what, terms, told, member, both] of CONTRADICTIONS)
  test(`a report of ${what} is a contradiction`, () => {
    const answer = accounted(terms, told);
    assert.ok(!answer.ok);
    assert.equal(answer.member, member);
    assert.match(answer.detail, both);
  });

test('every unit that is due was paid, deducted or is missing, and none is counted twice', () => {
  const value = fc.bigInt({ min: 0n, max: 2n ** 40n });
  const asset = fc.constantFrom<Asset>(TOKEN, { currency: 'EUR' }, { currency: 'PHP' });
  const money = fc.record({ amount: value.map(amountOf), asset });
  const told = fc.record(
    {
      amount: value.map(amountOf),
      paid: money,
      deductions: fc.array(
        money.map((each) => ({ ...each, reason: 'fee' })),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  );
  const terms = fc.record({
    due: value.map(amountOf),
    token: fc.constant(TOKEN),
    decimals: fc.integer({ min: 0, max: 24 }),
    currency: fc.constantFrom('EUR', 'PHP', 'JPY'),
    conversion: fc.constantFrom('PEGGED', 'CUSTODIAN'),
  });
  let answered = 0;
  const property = fc.property(terms, told, (given, said) => {
    const answer = accounted(given, said);
    if (!answer.ok) return;
    answered++;
    const [discharged, deducted, missing] = Object.values(answer.discharge).map(BigInt) as [
      bigint,
      bigint,
      bigint,
    ];
    const due = BigInt(given.due);
    assert.ok(discharged + deducted + missing === due || (discharged > due && deducted + missing === 0n));
    if (said.amount !== undefined) assert.equal(discharged, BigInt(said.amount));
  });
  fc.assert(property, { seed, numRuns: runs(1_000) });
  assert.ok(answered > 100, `${answered} reports`);
});
