import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, type Corridor, type Plan, type Rate } from '@fairway/plan';
import { estimateOf } from './conversion.ts';
import type { PaymentParts } from '../paymentParts.ts';

const TOKEN = `0x${'02'.repeat(20)}`;
const RATE = { rate: '56.5' as Rate, asOfMs: 1_000, source: 'https://rates.example' };

/** Parts that know the rate of every corridor, and a token of six decimals. */
const PARTS = {
  chains: new Map([[1, { follower: { tokens: new Map([[TOKEN, { decimals: 6, symbol: 'USDC' }]]) } }]]),
  rateFor: () => RATE,
  // The code under test reads only these members; the others would need a database and a chain.
} as unknown as PaymentParts;

const TARGET = {
  chainId: 1,
  token: TOKEN,
  currency: 'PHP',
  custodian: 'Harbour Bank',
  conversion: 'CUSTODIAN',
};
const DUE = amountOf(250_000_000n);

/** A plan whose last step has these members; `target` and `plan` change the rest. `due`: what its swap is to bring. */
function planWith(step: object, target: object = {}, plan: object = {}, due = DUE): Plan {
  return {
    recipient: { type: 'emoney' },
    options: {},
    corridor: {
      id: 'c',
      source: { chainId: 1, token: `0x${'01'.repeat(20)}` },
      target: { ...TARGET, ...target },
      destinations: { wallet: true, bankCountries: [], emoney: true },
    },
    amountIn: due,
    steps: [{ type: 'EXECUTE_SWAP', expected: due, attempts: [] }, step],
    returns: [],
    ...plan,
  } as unknown as Plan;
}

const payout = (status: string) => ({ type: 'CUSTODIAN_PAYOUT', status });
const collect = (more: object = {}) => ({ type: 'SEND_DIGITAL_COLLECT', status: 'READY', ...more });
const [bank, wallet] = [{ type: 'bank' }, { type: 'wallet' }];
const MAILED = { recipient: { type: 'email' } };

const ESTIMATED: [what: string, plan: Plan][] = [
  ['a payout that waits for the swap', planWith(payout('PENDING'))],
  ['a payout that is due', planWith(payout('READY'))],
  ['a payout that failed', planWith(payout('FAILED'))],
  ['a payout whose destination is not chosen', planWith(collect(), {}, MAILED)],
  [
    'a payout to a chosen account',
    planWith(collect({ destination: bank, delivery: { status: 'PENDING' } }), {}, MAILED),
  ],
  [
    'a choice after a delivery to a wallet failed',
    planWith(collect({ destination: wallet, delivery: { status: 'FAILED' } }), {}, MAILED),
  ],
];
for (const [what, plan] of ESTIMATED)
  test(`${what} has an estimate`, () =>
    assert.deepEqual(estimateOf(PARTS, plan), { ...RATE, amount: '1412500', currency: 'PHP' }));

const delivered = (status: string) => collect({ destination: bank, delivery: { status } });
const NOT_ESTIMATED: [what: string, plan: Plan, parts?: Partial<PaymentParts>][] = [
  ['a payout that was made', planWith(payout('DONE'))],
  ['a payout of a pegged token', planWith(payout('READY'), { conversion: 'PEGGED' })],
  ['a payout to a wallet', planWith(payout('READY'), {}, { recipient: wallet })],
  ['a payout of nothing', planWith(payout('READY'), {}, {}, amountOf(0n))],
  ['a payout of less than a minor unit', planWith(payout('READY'), {}, {}, amountOf(1n))],
  ['a plan that ended', planWith(payout('READY'), {}, { ended: { reason: 'EXPIRED', atMs: 0 } })],
  ['a payout to a chosen wallet', planWith(collect({ destination: wallet }), {}, MAILED)],
  ...['SENT', 'DELIVERED', 'RETURNED'].map((status): [string, Plan] => [
    `a delivery that was ${status}`,
    planWith(delivered(status), {}, MAILED),
  ]),
  [
    'a choice of wallets alone',
    planWith(collect(), {}, { ...MAILED, options: { collect: { allowedDestinations: ['wallet'] } } }),
  ],
  ['a payout without a rate', planWith(payout('READY')), { rateFor: () => undefined }],
  ['a payout in what is no currency', planWith(payout('READY'), { currency: 'PESO' })],
  ['a payout of a token that was not read', planWith(payout('READY')), { chains: new Map() }],
];
for (const [what, plan, parts = {}] of NOT_ESTIMATED)
  test(`${what} has no estimate`, () => assert.equal(estimateOf({ ...PARTS, ...parts }, plan), undefined));

test('the rate is that of the corridor which the plan was made for', () => {
  const asked: Pick<Corridor, 'id' | 'target'>[] = [];
  const rateFor = (corridor: Pick<Corridor, 'id' | 'target'>) => {
    asked.push(corridor);
    return RATE;
  };
  const plan = planWith(payout('READY'));
  estimateOf({ ...PARTS, rateFor }, plan);
  assert.deepEqual(asked, [plan.corridor]);
});
