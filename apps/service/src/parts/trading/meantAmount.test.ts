import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldError } from '@fairway/wire';
import { type UnfitAmount, withMeantAmount } from './meantAmount.ts';

const PROBLEM: { detail: string; errors: readonly FieldError[] } = {
  detail: 'No.',
  errors: [{ pointer: '/amount', detail: 'No.' }],
};
const USDC = { symbol: 'USDC', decimals: 6 };
const WETH = { symbol: 'WETH', decimals: 18 };
const WBTC = { symbol: 'WBTC', decimals: 8 };
const always = () => true;

function meant(
  units: bigint,
  token: UnfitAmount['token'],
  fault: UnfitAmount['fault'],
  isPossible: (units: bigint) => boolean = always,
) {
  const unfit = { pointer: '/amount', units, token, fault };
  return withMeantAmount(PROBLEM, unfit, isPossible);
}

type Case = [units: bigint, token: UnfitAmount['token'], fault: UnfitAmount['fault'], meant: string[]];
const CASES: Readonly<Record<string, Case>> = {
  '1000 of 18 decimals, for 6': [10n ** 21n, USDC, 'TOO_LARGE', ['1000000000']],
  '0.5 of 18 decimals, for 6': [5n * 10n ** 17n, USDC, 'TOO_LARGE', ['500000']],
  '1 of 18 decimals, for 8': [10n ** 18n, WBTC, 'TOO_LARGE', ['100000000']],
  'whole tokens, for 18': [1000n, WETH, 'TOO_SMALL', [`1000${'0'.repeat(18)}`]],
  '2.5 of 6 decimals, or so many whole tokens, for 18': [
    2_500_000n,
    WETH,
    'TOO_SMALL',
    [`25${'0'.repeat(17)}`, `25${'0'.repeat(23)}`],
  ],
  'whole tokens, for 6': [250n, USDC, 'TOO_SMALL', ['250000000']],
  'too much of a token, in its own decimals': [10n ** 14n, USDC, 'TOO_LARGE', []],
  'an amount that has more digits than the token': [10n ** 21n + 1n, USDC, 'TOO_LARGE', []],
  'too much of what has 18 decimals': [10n ** 30n, WETH, 'TOO_LARGE', []],
};
for (const [what, [units, token, fault, expected]] of Object.entries(CASES)) {
  test(`${what}: ${expected.join(' or ') || 'nothing'} is suggested`, () => {
    const { errors } = meant(units, token, fault);
    assert.deepEqual(errors[0]?.suggestions ?? [], expected);
  });
}

test('the sentence says what the amount is, what was probably meant, and why', () => {
  assert.equal(
    meant(10n ** 21n, USDC, 'TOO_LARGE').detail,
    'No. 1000000000000000000000 is 1,000,000,000,000,000 USDC, with 6 decimals; did you mean 1000000000 (1,000 USDC)? It looks like an amount of a token with 18 decimals.',
  );
  assert.equal(
    meant(2_500_000n, WETH, 'TOO_SMALL').detail,
    'No. 2500000 is 0.0000000000025 WETH, with 18 decimals; did you mean 2500000000000000000 (2.5 WETH) or 2500000000000000000000000 (2,500,000 WETH)? It looks like an amount of a token with 6 decimals or whole tokens.',
  );
});

test('what could not be carried out either is not suggested', () => {
  assert.equal(
    meant(10n ** 21n, USDC, 'TOO_LARGE', () => false),
    PROBLEM,
  );
  const { errors } = meant(2_500_000n, WETH, 'TOO_SMALL', (units) => units < 10n ** 20n);
  assert.deepEqual(errors[0]?.suggestions, [`25${'0'.repeat(17)}`]);
});
