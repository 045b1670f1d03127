// Trades that are split over two to eight paths are executed as quoted. They have random large amounts, both trade
// types, one to three hops, native currency and tokens, and pools that several paths share.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { runs } from '@fairway/testing/properties';
import type { Quote } from '@fairway/wire';
import { encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { postOf, startTestService, type TestService } from './harness.ts';
import { createSwapTrials, type SwapTrials, type Trade } from './swapTrial.ts';
import { NATIVE_TOKEN, walletOn } from './wallet.ts';

const WIDTHS = [2, 3, 4, 5, 6, 7, 8] as const;
const TRADE_TYPES = ['EXACT_IN', 'EXACT_OUT'] as const;
/** Swaps for each number of paths and each trade type. */
const SWAPS_OF_EACH = runs(1);
const SWAPS_TO_EXECUTE = WIDTHS.length * TRADE_TYPES.length * SWAPS_OF_EACH;
const random = createRandom();
let service: TestService;
let trials: SwapTrials;

before(async () => {
  service = await startTestService();
  trials = await createSwapTrials(service, random);
  for (const { address } of trials.sandbox.accounts) {
    for (const asset of trials.sandbox.tokens) {
      const amount = String(10n ** BigInt(asset.decimals + 9));
      const given = await service.request('/v1/sandbox/faucet', postOf({ address, asset, amount }));
      assert.equal(given.status, 200, JSON.stringify(given.body));
    }
  }
  for (const [a, b] of ADDED_PAIRS) await createPair(a, b);
  // Gas costs almost nothing, so that only the market decides how many paths are worthwhile.
  await service.rpc('anvil_setNextBlockBaseFeePerGas', ['0x1']);
  await service.rpc('evm_mine');
  await trials.withoutTips();
});
after(() => service?.close());

/** The approximate price of a token in the sandbox in whole dollars; one dollar for other tokens. */
const DOLLARS_OF: Record<string, number> = { WETH: 3000, WBTC: 60_000, LINK: 15, UNI: 8 };

function unitsWorth(dollars: bigint, { symbol, decimals }: { symbol: string; decimals: number }): bigint {
  return (dollars * 10n ** BigInt(decimals)) / BigInt(DOLLARS_OF[symbol] ?? 1);
}

/** The sandbox's V2 pairs form a tree. These further pairs allow more than one path over V2 alone. */
const ADDED_PAIRS = [
  ['USDC', 'USDT'],
  ['USDC', 'DAI'],
  ['WBTC', 'USDC'],
  ['LINK', 'USDC'],
] as const;

const pairAbi = parseAbi([
  'function factoryV2() view returns (address)',
  'function createPair(address, address)',
  'function getPair(address, address) view returns (address)',
  'function transfer(address, uint256)',
  'function mint(address)',
]);

/** Creates a V2 pair with ten million dollars on each side at the sandbox's prices. */
async function createPair(...symbols: readonly [string, string]): Promise<void> {
  const { tokens, accounts, routers } = trials.sandbox;
  const owner = accounts[0]?.address ?? assert.fail();
  const sides = symbols.map((symbol) => tokens.find((token) => token.symbol === symbol) ?? assert.fail());
  const [a, b] = sides.map(({ address }) => getAddress(address)) as [Hex, Hex];
  const ask = async (to: string, data: Hex) =>
    getAddress(`0x${(await service.rpc<string>('eth_call', [{ to, data }, 'latest'])).slice(-40)}`);
  const act = (to: string, data: Hex) => walletOn(service).execute(owner, [{ to, data, value: '0' }]);
  const router = routers.swapRouter02;
  const factory = await ask(router, encodeFunctionData({ abi: pairAbi, functionName: 'factoryV2' }));
  await act(factory, encodeFunctionData({ abi: pairAbi, functionName: 'createPair', args: [a, b] }));
  const pair = await ask(
    factory,
    encodeFunctionData({ abi: pairAbi, functionName: 'getPair', args: [a, b] }),
  );
  for (const side of sides) {
    const args = [pair, unitsWorth(10_000_000n, side)] as const;
    await act(side.address, encodeFunctionData({ abi: pairAbi, functionName: 'transfer', args }));
  }
  await act(pair, encodeFunctionData({ abi: pairAbi, functionName: 'mint', args: [getAddress(owner)] }));
}

/** A trade of up to ten million dollars. */
function randomTrade(tradeType: Trade['tradeType'], maxSplits: number): Trade {
  const known = trials.sandbox.tokens;
  const tokens = [...known.map(({ address }) => address), NATIVE_TOKEN, NATIVE_TOKEN];
  const tokenIn = random.pick(tokens);
  const tokenOut = random.pick(tokens.filter((token) => token !== tokenIn));
  const given = tradeType === 'EXACT_IN' ? tokenIn : tokenOut;
  const side = known.find(({ address }) => address === given) ?? { decimals: 18, symbol: 'WETH' };
  const dollars = BigInt(random.integer(1, 1_000)) * 10n ** BigInt(random.integer(2, 4));
  return {
    tokenIn,
    tokenOut,
    tradeType,
    // With digits down to the smallest unit.
    amount: unitsWorth(dollars, side) + BigInt(random.integer(1, 99_999)),
    slippageBps: random.integer(0, 300),
    maxHops: random.pick([1, 1, 2, 3]),
    maxSplits,
    excludeSources: random.pick([[], [], [], ['uniswap-v2'], ['uniswap-v3']]),
  };
}

const tally: Record<string, number> = {};
function count(what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

function shapeOf(tradeType: string, paths: number): string {
  return `${tradeType} over ${paths} paths`;
}

function countShapes(
  { tokenIn, tokenOut, tradeType, maxHops, excludeSources }: Trade,
  { route }: Quote,
): void {
  const { paths = [], legs = [], surplus } = route ?? {};
  count(shapeOf(tradeType, paths.length));
  count(`at most ${maxHops} hops`);
  for (const { pools } of paths) count(`a path of ${pools.length} hops`);
  for (const kind of new Set(legs.map((leg) => leg.kind))) count(kind);
  for (const source of excludeSources) count(`without ${source}`);
  if (new Set(legs.map(({ pool }) => pool)).size < legs.length) count('a pool in several paths');
  const kindOf = new Map(legs.map(({ pool, kind }) => [pool, kind]));
  const isMixed = paths.some(({ pools }) => new Set(pools.map((pool) => kindOf.get(pool))).size > 1);
  if (isMixed) count('a path over both versions');
  if (tokenIn === NATIVE_TOKEN) count(`native in, ${tradeType}`);
  if (tokenOut === NATIVE_TOKEN) count(`native out, ${tradeType}`);
  if (surplus !== undefined) count('surplus predicted');
}

const shapes = [
  ...['at most 1 hops', 'at most 2 hops', 'at most 3 hops'],
  ...['a path of 1 hops', 'a path of 2 hops', 'a path of 3 hops'],
  ...['UNISWAP_V2', 'UNISWAP_V3', 'without uniswap-v2', 'without uniswap-v3'],
  ...['a pool in several paths', 'a path over both versions', 'surplus predicted'],
  ...TRADE_TYPES.flatMap((tradeType) => [`native in, ${tradeType}`, `native out, ${tradeType}`]),
];

test(`${SWAPS_TO_EXECUTE} split swaps and more pay what was quoted (FC_SEED=${random.seed})`, async () => {
  const wanted = TRADE_TYPES.flatMap((tradeType) =>
    WIDTHS.map((width) => ({ tradeType, width, shape: shapeOf(tradeType, width) })),
  );
  const missing = () => wanted.filter(({ shape }) => (tally[shape] ?? 0) < SWAPS_OF_EACH);
  const unseen = () => shapes.filter((shape) => (tally[shape] ?? 0) === 0);
  for (let tried = 0; missing().length > 0 || unseen().length > 0; tried++) {
    assert.ok(
      tried < 60 * SWAPS_TO_EXECUTE,
      `no trades of some shapes: ${unseen().join()} ${JSON.stringify(tally)}`,
    );
    const left = missing().length > 0 ? missing() : wanted;
    const { tradeType, width } = random.pick(left);
    const trade = randomTrade(tradeType, random.pick([width, 8]));
    const quoted = await trials.quote(trade);
    if (!quoted.ok) continue;
    const shape = shapeOf(tradeType, quoted.quote.route?.paths.length ?? 0);
    if (!left.some((each) => each.shape === shape)) continue;
    const planned = await trials.plan(trade, quoted);
    assert.ok(planned);
    assert.equal(planned.plan.issues?.balance, null, 'every account holds more than any trade takes');
    await trials.execute(planned);
    countShapes(trade, quoted.quote);
  }
  console.log(tally);
});
