// A token on the route is paused, or a token refuses a pool: swaps and plans avoid it at once, quotes for a while. No
// caller can make others avoid pools that work.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { makeRefusing, type Refusal } from '@fairway/testing';
import type { Problem, Quote, SwapPlan } from '@fairway/wire';
import { encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { postOf } from '../harness.ts';
import { freshAddress, type PaymentsTest, startPaymentsTest, stepOf } from '../paymentsHarness.ts';

const ABI = parseAbi([
  'function factoryV2() view returns (address)',
  'function createPair(address, address)',
  'function getPair(address, address) view returns (address)',
  'function transfer(address, uint256)',
  'function mint(address)',
]);
const USDC = 10n ** 6n;

let payments: PaymentsTest;
let usdc: Hex;
let link: Hex;
let aud: Hex;

before(async () => {
  payments = await startPaymentsTest(undefined, []);
  usdc = getAddress(payments.token('USDC'));
  link = getAddress(payments.token('LINK'));
  aud = getAddress(payments.token('tAUD'));
  await createLinkPair();
  await payments.service.recordAtHead();
});
after(() => payments?.close());
// The service forgets the tokens and pools that it avoids because of earlier tests.
beforeEach(() => payments.advance('PT40M'));

/** A pair of LINK and tAUD that pays 8 % more for LINK than it is worth: from USDC over LINK, tAUD is cheap. */
async function createLinkPair(): Promise<void> {
  const owner = payments.accountWallet(0);
  const ask = async (to: string, data: Hex) =>
    getAddress(`0x${(await payments.service.rpc<string>('eth_call', [{ to, data }, 'latest'])).slice(-40)}`);
  const act = (to: string, data: Hex) => owner.execute([{ to, data, value: '0' }]);
  const { swapRouter02: router } = payments.sandbox.routers as { swapRouter02: string };
  const factory = await ask(router, encodeFunctionData({ abi: ABI, functionName: 'factoryV2' }));
  const args = [link, aud] as const;
  await act(factory, encodeFunctionData({ abi: ABI, functionName: 'createPair', args }));
  const pair = await ask(factory, encodeFunctionData({ abi: ABI, functionName: 'getPair', args }));
  const sides = [
    [link, 100_000n * 10n ** 18n],
    [aud, 2_492_000n * 10n ** 6n],
  ] as const;
  for (const [token, amount] of sides)
    await act(token, encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [pair, amount] }));
  await act(pair, encodeFunctionData({ abi: ABI, functionName: 'mint', args: [owner.address as Hex] }));
}

async function whileRefusing<Result>(token: string, refusal: Refusal, body: () => Promise<Result>) {
  const undo = await makeRefusing(payments.service.rpc, token, refusal);
  try {
    return await body();
  } finally {
    await undo();
  }
}

const trade = () => ({ tokenIn: usdc, tokenOut: aud, tradeType: 'EXACT_IN', amount: String(1000n * USDC) });

async function quoted(changes: Record<string, string> = {}): Promise<Quote> {
  const chainId = String(payments.sandbox.chainId);
  const query = new URLSearchParams({ chainId, ...trade(), ...changes });
  const { status, body } = await payments.service.request(`/v1/quote?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Quote;
}

async function swapped(changes: object = {}): Promise<{ status: number; body: SwapPlan & Problem }> {
  const asked = { chainId: payments.sandbox.chainId, ...trade(), slippageBps: 50, ...changes };
  const { status, body } = await payments.service.request('/v1/swap', postOf(asked));
  return { status, body: body as SwapPlan & Problem };
}

async function plannedSwap(changes: object = {}): Promise<SwapPlan> {
  const { status, body } = await swapped(changes);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.simulation?.status, 'PASSED');
  return body;
}

async function refusedSwap(changes: object = {}): Promise<Problem> {
  const { status, body } = await swapped(changes);
  assert.deepEqual([status, body.code], [400, 'simulation-failed'], JSON.stringify(body));
  return body;
}

/** LINK as every asset is shown. */
const linkAsset = () => ({ chainId: 31337, address: link, symbol: 'LINK', decimals: 18 });

/** Whether a route passes a token. */
const passes = ({ route }: Quote, token: string): boolean =>
  route?.paths.some(({ assets }) => assets.some(({ address }) => address === token)) ?? assert.fail();
const poolsOf = ({ route }: Quote): readonly string[] => route?.legs.map(({ pool }) => pool) ?? assert.fail();

/** A quote without its times and without the list of what it avoids. */
function answerOf({ asOf: _, expiresAt: __, route, ...rest }: Quote): object {
  const { avoided: ___, ...others } = route ?? assert.fail();
  return { ...rest, route: others };
}

test('a paused token on the way is gone around at once and for a while, and then used again', async () => {
  const direct = await quoted({ excludeTokens: link });
  const overLink = await quoted();
  assert.ok(passes(overLink, link) && !passes(direct, link));
  assert.ok(
    100n * BigInt(overLink.amountOut) > 105n * BigInt(direct.amountOut),
    'over LINK it is 5 % better',
  );
  assert.equal(overLink.route?.avoided, undefined);

  const LINK_AVOIDED = { assets: [linkAsset()], pools: [] };
  await whileRefusing(link, 'ALL', async () => {
    const { quote } = await plannedSwap();
    assert.deepEqual(quote.route?.avoided, LINK_AVOIDED);
    assert.deepEqual(answerOf(quote), answerOf(await quoted({ excludeTokens: link })));
    assert.deepEqual(answerOf(await quoted()), answerOf(quote));
  });
  assert.deepEqual((await quoted()).route?.avoided, LINK_AVOIDED);
  await payments.advance('PT31S');
  assert.equal((await quoted()).route?.avoided, undefined);
  assert.ok(passes(await quoted(), link));
  assert.ok(passes((await plannedSwap()).quote, link));

  // A token or pool that fails again is avoided for twice as long.
  await whileRefusing(link, 'ALL', plannedSwap);
  await payments.advance('PT31S');
  assert.deepEqual((await quoted()).route?.avoided, LINK_AVOIDED);
  await payments.advance('PT30S');
  assert.equal((await quoted()).route?.avoided, undefined);
});

test('a payment plan goes around a paused token on the way, too', async () => {
  const plan = await whileRefusing(link, 'ALL', () => payments.plan({ amountIn: String(1000n * USDC) }));
  const { quote } = plan;
  assert.equal(stepOf(plan, 'EXECUTE_SWAP').instructions?.length, 1);
  assert.ok(quote !== undefined && !passes(quote, link));
  assert.deepEqual(quote.route?.avoided?.assets, [linkAsset()]);
});

test('a plan whose floor only the failing way reached waits for a price', async () => {
  const { amountOut } = await quoted();
  const options = { mode: 'STANDARD', minAmountOut: String((99n * BigInt(amountOut)) / 100n) };
  const plan = await whileRefusing(link, 'ALL', () =>
    payments.plan({ amountIn: String(1000n * USDC), options }),
  );
  assert.deepEqual(stepOf(plan, 'EXECUTE_SWAP').instructions, []);
  assert.match(JSON.stringify(plan.next), /below options\.minAmountOut/);
});

test('a pool that a token refuses is gone around alone: other pools of the token are used', async () => {
  const [pool = assert.fail()] = poolsOf(await quoted({ excludeTokens: link }));
  await whileRefusing(aud, { account: pool }, async () => {
    const { quote } = await plannedSwap({ excludeTokens: [link] });
    assert.ok(!poolsOf(quote).includes(pool) && passes(quote, aud));
    assert.deepEqual(quote.route?.avoided, { assets: [], pools: [pool] });
    assert.deepEqual(answerOf(await quoted({ excludeTokens: link, excludePools: pool })), answerOf(quote));
  });
  await payments.advance('PT31S');
  assert.ok(poolsOf(await quoted({ excludeTokens: link })).includes(pool));
});

test('what is avoided is tried all the same where there is no other way', async () => {
  const direct = ['uniswap-v2', 'uniswap-v3'].map((excludeSources) =>
    quoted({ excludeSources, maxHops: '1' }),
  );
  const excludePools = (await Promise.all(direct)).flatMap(poolsOf);
  const only = { excludePools, excludeTokens: [payments.token('tEUR')] };
  await whileRefusing(link, 'ALL', async () => {
    await plannedSwap();
    const { detail } = await refusedSwap(only);
    assert.match(detail ?? '', /would revert/);
  });
  assert.ok((await quoted()).route?.avoided !== undefined);
  const { quote } = await plannedSwap(only);
  assert.ok(passes(quote, link));
  assert.equal(quote.route?.avoided, undefined);
});

const account = freshAddress();

for (const [what, token, refusal, ask] of [
  ['a sender whom the token paid with refuses', 'USDC', { account }, () => refusedSwap({ sender: account })],
  [
    'a recipient whom the token bought refuses',
    'tAUD',
    { account },
    () => refusedSwap({ recipient: account }),
  ],
  [
    'a paused token that is paid with',
    'LINK',
    'ALL',
    () => refusedSwap({ tokenIn: link, amount: String(10n ** 18n) }),
  ],
  ['a paused token that is bought', 'LINK', 'ALL', () => refusedSwap({ tokenOut: link })],
  ['an amount that a token on the way refuses', 'LINK', { above: 20n * 10n ** 18n }, () => plannedSwap()],
] as const)
  test(`${what} makes nobody keep away from anything`, async () => {
    const answer = await whileRefusing(payments.token(token), refusal, async () => {
      const asked = await ask();
      // Others, who trade less, still get the better price: so much better that the price of gas does not matter.
      const others = await quoted({ amount: String(200n * USDC) });
      assert.ok(passes(others, link), JSON.stringify(others));
      assert.equal(others.route?.avoided, undefined);
      return asked;
    });
    if (!('quote' in answer)) return;
    // The answer with another route says so, and its caller can ask for the same route again.
    assert.ok(!passes(answer.quote, link));
    const { assets, pools } = answer.quote.route?.avoided ?? assert.fail('the detour is not named');
    const tokens = assets.map(({ address }) => address);
    assert.ok(tokens.includes(link) && pools.length === 0);
    assert.deepEqual(answerOf(answer.quote), answerOf(await quoted({ excludeTokens: tokens.join(',') })));
  });
