// The calldata of the API does on the chain exactly what the API quoted, to the wei. Random swaps go over one hop and
// several, on V2, V3 and mixed routes. They have both trade types, native currency and tokens, and amounts from one wei
// to more than the pools hold.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { runs } from '@fairway/testing/properties';
import type { Quote } from '@fairway/wire';
import { encodeFunctionData, encodePacked, parseAbi } from 'viem';
import { startTestService, type TestService } from './harness.ts';
import { createSwapTrials, type SwapTrials, type Trade } from './swapTrial.ts';
import { NATIVE_TOKEN } from './wallet.ts';

const SWAPS_TO_EXECUTE = runs(30);
const random = createRandom();
let service: TestService;
let trials: SwapTrials;

before(async () => {
  service = await startTestService();
  trials = await createSwapTrials(service, random);
  await trials.withoutTips();
});
after(() => service?.close());

function randomTrade(): Trade {
  const known = trials.sandbox.tokens;
  const tokens = [...known.map(({ address }) => address), NATIVE_TOKEN];
  const tokenIn = random.pick(tokens);
  const tokenOut = random.pick(tokens.filter((token) => token !== tokenIn));
  const tradeType = random.pick(['EXACT_IN', 'EXACT_OUT'] as const);
  const given = tradeType === 'EXACT_IN' ? tokenIn : tokenOut;
  const decimals = known.find(({ address }) => address === given)?.decimals ?? 18;
  return {
    tokenIn,
    tokenOut,
    tradeType,
    amount: randomAmount(decimals),
    slippageBps: random.integer(0, 300),
    maxHops: random.integer(1, 3),
    maxSplits: random.integer(1, 4),
    excludeSources: random.pick([[], [], ['uniswap-v2'], ['uniswap-v3']]),
  };
}

/** Mostly usual amounts; also dust, very large amounts, and more than any pool holds. */
function randomAmount(decimals: number): bigint {
  const dice = random.integer(1, 100);
  const mantissa = BigInt(random.integer(1, 1_000_000));
  if (dice <= 15) return mantissa % 10n ** BigInt(random.integer(1, 5)) || 1n;
  if (dice <= 80) return (mantissa * 10n ** BigInt(decimals)) / 10n ** BigInt(random.integer(3, 7)) || 1n;
  if (dice <= 92) return (mantissa * 10n ** BigInt(decimals)) / 1000n;
  return mantissa * 10n ** BigInt(decimals + random.integer(1, 6));
}

const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn) returns (uint256)',
  'function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256)',
]);

/** The answer of Uniswap's own QuoterV2 for the same route; undefined for a route with a V2 pair. */
async function quoterAnswer(quote: Quote): Promise<bigint | undefined> {
  const { legs = [], paths = [] } = quote.route ?? {};
  const [path] = paths;
  if (path === undefined || paths.length > 1 || legs.some(({ kind }) => kind !== 'UNISWAP_V3'))
    return undefined;
  const fees = legs.map(({ feeBps }) => Math.round(feeBps * 100));
  const exactIn = quote.tradeType === 'EXACT_IN';
  const route = path.assets.map(({ address }) => address);
  const tokens = exactIn ? route : route.toReversed();
  const hops = exactIn ? fees : fees.toReversed();
  const types = tokens.flatMap((_, index) => (index === 0 ? ['address'] : ['uint24', 'address']));
  const values = tokens.flatMap((token, index) => (index === 0 ? [token] : [hops[index - 1], token]));
  const packed = encodePacked(types, values);
  const data = exactIn
    ? encodeFunctionData({
        abi: quoterAbi,
        functionName: 'quoteExactInput',
        args: [packed, BigInt(quote.amountIn)],
      })
    : encodeFunctionData({
        abi: quoterAbi,
        functionName: 'quoteExactOutput',
        args: [packed, BigInt(quote.amountOut)],
      });
  const answer = await service.rpc<string>('eth_call', [
    { to: trials.sandbox.routers.quoterV2, data },
    'latest',
  ]);
  return BigInt(answer.slice(0, 66));
}

const tally: Record<string, number> = {};
function count(what: string): void {
  tally[what] = (tally[what] ?? 0) + 1;
}

/** Quotes, plans and executes one trade and compares every figure. Returns false when the API refused the trade. */
async function tradeAndCompare(trade: Trade): Promise<boolean> {
  const quoted = await trials.quote(trade);
  const planned = await trials.plan(trade, quoted);
  if (!quoted.ok) count(quoted.code);
  if (!quoted.ok || planned === undefined) return false;
  const quoter = await quoterAnswer(quoted.quote);
  if (quoter !== undefined) {
    const { tradeType, amountIn, amountOut } = quoted.quote;
    assert.equal(String(quoter), tradeType === 'EXACT_IN' ? amountOut : amountIn);
    count('equal to QuoterV2');
  }
  if (planned.plan.issues?.balance) {
    count('beyond the balance');
    return false;
  }
  await trials.execute(planned);
  countShape(trade, quoted.quote);
  return true;
}

function countShape({ tokenIn, tokenOut, tradeType }: Trade, { route }: Quote): void {
  const kinds = new Set(route?.legs.map(({ kind }) => kind));
  count('executed');
  count(tradeType);
  count(`${route?.paths.length} paths`);
  for (const { pools } of route?.paths ?? []) count(`${pools.length} hops`);
  count([...kinds].sort().join('+') || 'plain wrap');
  if (tokenIn === NATIVE_TOKEN) count('native in');
  if (tokenOut === NATIVE_TOKEN) count('native out');
  if (route?.surplus !== undefined) count('surplus predicted');
}

/** Trades of all these shapes must be seen. */
const SHAPES = [
  ...['UNISWAP_V2', 'UNISWAP_V3', 'UNISWAP_V2+UNISWAP_V3', 'plain wrap', '1 hops', '2 hops', '3 hops'],
  ...['native in', 'native out', 'EXACT_IN', 'EXACT_OUT', 'surplus predicted', 'equal to QuoterV2'],
  'insufficient-liquidity',
];

test(`${SWAPS_TO_EXECUTE} random swaps and more pay what was quoted (FC_SEED=${random.seed})`, async () => {
  const unseen = () => SHAPES.filter((shape) => (tally[shape] ?? 0) === 0);
  let executed = 0;
  for (let tried = 0; executed < SWAPS_TO_EXECUTE || unseen().length > 0; tried++) {
    assert.ok(
      tried < 40 * SWAPS_TO_EXECUTE,
      `no trades of some shapes: ${unseen().join()} ${JSON.stringify(tally)}`,
    );
    if (await tradeAndCompare(randomTrade())) executed++;
  }
  console.log(tally);
});
