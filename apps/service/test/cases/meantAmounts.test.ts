// An amount that was given with other decimals than its token has is refused with the amount that was probably meant.
// The suggestion is given in words and for programs, and it is accepted when it is sent. Other amounts are refused
// without a suggestion.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NATIVE_ADDRESS, type Problem } from '@fairway/wire';
import { postOf } from '../harness.ts';
import { requestOf, startPaymentsTest } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

type Answer = Pick<Problem, 'code' | 'detail' | 'errors'> & { readonly status: number };

async function quoted(symbols: string, amount: string, tradeType = 'EXACT_IN'): Promise<Answer> {
  const [tokenIn = '', tokenOut = ''] = symbols
    .split('>')
    .map((symbol) => (symbol === 'ETH' ? NATIVE_ADDRESS : payments.token(symbol)));
  const query = new URLSearchParams({ chainId: '31337', tokenIn, tokenOut, tradeType, amount });
  const { status, body } = await payments.service.request(`/v1/quote?${query}`);
  return { ...(body as Answer), status };
}

async function posted(path: string, body: object): Promise<Answer> {
  const answer = await payments.service.request(path, postOf(body));
  return { ...(answer.body as Answer), status: answer.status };
}

const swapped = (amount: string) =>
  posted('/v1/swap', {
    chainId: 31337,
    tokenIn: payments.token('USDC'),
    tokenOut: payments.token('WETH'),
    tradeType: 'EXACT_IN',
    amount,
    slippageBps: 50,
  });
const paid = (amountIn: string) => posted('/v1/payments', requestOf({ amountIn }));
const paidAtLeast = (minAmountOut: string, corridorId = 'usdc-aud-bank') =>
  posted('/v1/payments', requestOf({ corridorId, options: { mode: 'STANDARD', minAmountOut } }));
const given = (amount: string) =>
  posted('/v1/sandbox/faucet', {
    address: `0x${'5a'.repeat(20)}`,
    asset: { chainId: payments.sandbox.chainId, address: payments.token('USDC') },
    amount,
  });

/** Each asks for an amount, and again for the one that is suggested. */
const MISTAKEN: Readonly<
  Record<string, [ask: (amount: string) => Promise<Answer>, amount: string, meant: string, says: RegExp]>
> = {
  'a quote of 1000 USDC in 18 decimals': [
    (amount) => quoted('USDC>WETH', amount),
    `1000${'0'.repeat(18)}`,
    '1000000000',
    /is 1,000,000,000,000,000 USDC, with 6 decimals; did you mean 1000000000 \(1,000 USDC\)\? .* 18 decimals\.$/,
  ],
  'a quote for 1000 USDC as exact output in 18 decimals': [
    (amount) => quoted('ETH>USDC', amount, 'EXACT_OUT'),
    `1000${'0'.repeat(18)}`,
    '1000000000',
    /did you mean 1000000000 \(1,000 USDC\)/,
  ],
  'a quote of 1000 whole WETH': [
    (amount) => quoted('WETH>USDC', amount),
    '1000',
    `1000${'0'.repeat(18)}`,
    /is 0\.000000000000001 WETH, with 18 decimals; did you mean .* \(1,000 WETH\)\? It looks like whole tokens\.$/,
  ],
  'a swap of 1000 USDC in 18 decimals': [
    swapped,
    `1000${'0'.repeat(18)}`,
    '1000000000',
    /did you mean 1000000000 /,
  ],
  'a payment of 1000 USDC in 18 decimals': [
    paid,
    `1000${'0'.repeat(18)}`,
    '1000000000',
    /^amountIn must be from 1000000 to 100000000000 for corridor usdc-aud-bank\. 1000000000000000000000 is 1,000,000,000,000,000 USDC, with 6 decimals; did you mean 1000000000 \(1,000 USDC\)\?/,
  ],
  'a payment of 250 whole USDC': [paid, '250', '250000000', /did you mean 250000000 \(250 USDC\)/],
  'a payment that must bring 200 tokens of 6 decimals, in 18': [
    (amount) => paidAtLeast(amount),
    `200${'0'.repeat(18)}`,
    '200000000',
    /^minAmountOut is more than the payment brings, .* now\. .*did you mean 200000000 /,
  ],
  'a payment whose floor of 1600, above the price, is in 18 decimals': [
    (amount) => paidAtLeast(amount),
    `1600${'0'.repeat(18)}`,
    '1600000000',
    /did you mean 1600000000 /,
  ],
  'the faucet, asked for 1000 USDC in 18 decimals': [
    given,
    `1000${'0'.repeat(18)}`,
    '1000000000',
    /1,000 USDC/,
  ],
};
for (const [what, [ask, amount, meant, says]] of Object.entries(MISTAKEN)) {
  test(`${what} is refused with the amount that was meant, which is taken`, async () => {
    const { status, detail, errors = [] } = await ask(amount);
    assert.equal(status, 400);
    assert.match(detail ?? '', says);
    assert.equal(errors.length, 1);
    const [{ pointer, suggestions } = assert.fail()] = errors;
    assert.match(pointer, /^(\/query)?\/amount(In)?$|^\/options\/minAmountOut$/);
    assert.deepEqual(suggestions, [meant]);
    assert.equal((await ask(meant)).status, 200);
  });
}

const AS_MEANT: Readonly<Record<string, () => Promise<Answer>>> = {
  'more USDC than the pools have': () => quoted('USDC>WETH', String(9n * 10n ** 14n)),
  'so much WETH that no reading of it has a price': () => quoted('WETH>USDC', String(10n ** 40n)),
  'a payment just over the limit': () => paid('100000000001'),
  'a payment just below the least': () => paid('999999'),
  'a payment of 200,000 USDC, which is over the limit': () => paid('200000000000'),
};
for (const [what, ask] of Object.entries(AS_MEANT)) {
  test(`${what}: refused without a suggestion`, async () => {
    const { status, detail, errors = [] } = await ask();
    assert.equal(status, 400);
    assert.doesNotMatch(detail ?? '', /did you mean/);
    assert.ok(errors.every(({ suggestions }) => suggestions === undefined));
  });
}

test('a floor above what is paid is refused without a swap; above the price, the plan waits', async () => {
  const recipient = { type: 'wallet', chainId: 31337, address: `0x${'5b'.repeat(20)}`, name: 'Jo Citizen' };
  const sent = (minAmountOut: string) => {
    const options = { mode: 'STANDARD', minAmountOut };
    return posted('/v1/payments', requestOf({ corridorId: 'usdc-wallet', recipient, options }));
  };
  const { status, detail, errors } = await sent('250000001');
  assert.deepEqual([status, errors?.length, errors?.[0]?.pointer], [400, 1, '/options/minAmountOut']);
  assert.match(
    detail ?? '',
    /^minAmountOut is more than the payment brings, 250 USDC .*; nothing is swapped\.$/,
  );
  assert.equal((await sent('250000000')).status, 200);
  assert.equal((await paidAtLeast('9000000000')).status, 200);
  const absurd = await paidAtLeast(`777${'0'.repeat(30)}`);
  assert.deepEqual([absurd.status, absurd.errors?.[0]?.pointer], [400, '/options/minAmountOut']);
});
