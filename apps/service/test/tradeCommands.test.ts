// `fairway quote` and `fairway explain` while a sandbox runs: what they print for people and for scripts, and their
// errors.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Quote, Sandbox } from '@fairway/wire';
import { CommandError } from '../src/cli/commandError.ts';
import { explainCommand } from '../src/cli/trading/explain.ts';
import { quoteCommand } from '../src/cli/trading/quote.ts';
import { startTestService, type TestService } from './harness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway, testTerminal } from './commandHarness.ts';

const { terminal } = testTerminal();

let service: TestService;
let readyFile: string;
let sandbox: Sandbox;

before(async () => {
  service = await startTestService();
  readyFile = join(freshFolder(), 'ready.json');
  const { url, demo } = service.running;
  writeFileSync(readyFile, JSON.stringify({ url, ...demo }));
  sandbox = await service.ask('/v1/sandbox');
});
after(async () => {
  await endEverything();
  await service?.close();
});

type Options = Record<string, string | boolean>;

const trade: Options = { in: 'ETH', out: 'USDC', amount: String(900n * 10n ** 18n) };

function argumentsOf(options: Options): string[] {
  return Object.entries({ 'ready-file': readyFile, ...options }).flatMap(([name, value]) =>
    typeof value === 'string' ? [`--${name}`, value] : value ? [`--${name}`] : [],
  );
}

const quoted = (options: Options = {}) => quoteCommand(argumentsOf({ ...trade, ...options }), terminal);
const explained = (options: Options = {}) => explainCommand(argumentsOf({ ...trade, ...options }), terminal);

type ExplanationBody = {
  quote: Quote | null;
  refusal: { code: string; detail: string } | null;
  pools: {
    inMarket: number;
    notConsidered: number;
    used: { pool: string; shareBps: number; priceBefore: string; priceAfter: string; amountIn: string }[];
    refused: { pool: string; reason: string; worseByBps?: number; gain?: string; gasCost?: string }[];
  };
};

async function explanation(options: Options = {}): Promise<ExplanationBody> {
  return JSON.parse(await explained({ ...options, json: true })) as ExplanationBody;
}

function addressOf(symbol: string): string {
  return sandbox.tokens.find((token) => token.symbol === symbol)?.address ?? '';
}

async function fromService(options: Record<string, string> = {}): Promise<Quote> {
  const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
  const asked = { tokenIn: native, tokenOut: addressOf('USDC'), tradeType: 'EXACT_IN', ...options };
  const query = new URLSearchParams({ chainId: '31337', amount: String(trade.amount), ...asked });
  return service.ask(`/v1/quote?${query}`);
}

test('symbols and addresses both name tokens, and the JSON is the body of the service', async () => {
  const { asOf, expiresAt: _, ...rest } = await fromService();
  const expected = { asOf: { blockNumber: asOf.blockNumber }, ...rest };
  for (const [tokenIn, tokenOut] of [
    ['ETH', 'USDC'],
    ['eth', 'usdc'],
    ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', addressOf('USDC')],
  ] as const) {
    assert.deepEqual(JSON.parse(await quoted({ in: tokenIn, out: tokenOut, json: true })), expected);
  }
});

test('a quote for people shows whole tokens and smallest units, in 100 columns', async () => {
  const { amountOut, route } = await fromService();
  const text = await quoted();
  assert.match(
    text,
    /^900 ETH buys 2,69\d,\d{3}\.\d USDC, on Fairway sandbox \(chain 31337\) at block \d+\.\n/,
  );
  assert.ok(text.includes(`  (${amountOut})`));
  assert.ok(text.includes(`(${String(route?.limits.minAmountOut)}), with 0.5 % slippage`));
  assert.ok(text.includes(String(route?.blockHash)));
  for (const leg of route?.legs ?? []) assert.ok(text.includes(leg.pool));
  assert.equal(text.match(/^Path \d+: [\d.]+ % over WETH -> /gm)?.length, route?.paths.length);
});

test('no text for people is wider than 100 columns', async () => {
  const texts = await Promise.all([
    quoted(),
    explained(),
    explained({ 'max-splits': '16', amount: `9${'0'.repeat(21)}` }),
    explained({ 'max-splits': '1', 'exact-out': true, amount: '20000000000000' }),
    explained({ 'exact-out': true, amount: '1000000000000000000' }),
    explained({ in: 'WBTC', out: 'tEUR', amount: '1000000000' }),
    explained({ out: 'WETH' }),
  ]);
  for (const line of texts.flatMap((text) => text.split('\n'))) assert.ok(line.length <= 100, line);
});

test('native currency and its wrapped token are exchanged 1:1', async () => {
  assert.match(await quoted({ out: 'WETH' }), /^900 ETH buys 900 WETH,[^]*exchanged 1:1, without a pool\.$/);
  assert.match(await explained({ out: 'WETH' }), /exchanged 1:1, without a pool\.$/);
});

test('an explanation lists used pools with their prices, and other pools with the reason', async () => {
  const { quote, refusal, pools } = await explanation();
  assert.equal(refusal, null);
  assert.deepEqual(
    new Set(pools.used.map(({ pool }) => pool)),
    new Set(quote?.route?.legs.map(({ pool }) => pool)),
  );
  assert.equal(pools.used.length + pools.refused.length + pools.notConsidered, pools.inMarket);
  for (const { priceBefore, priceAfter } of pools.used) assert.ok(Number(priceAfter) < Number(priceBefore));
  const byPrice = pools.refused.filter(({ reason }) => reason === 'PRICE');
  assert.ok(byPrice.length > 3);
  for (const { worseByBps } of byPrice) assert.ok((worseByBps ?? -1) >= 0);
  const text = await explained();
  for (const { pool } of pools.used)
    assert.equal(text.split(pool).length - 1, 2, 'the pool is listed in its path and with its prices');
  assert.match(text, /^Pools: 22 in the market, 22 considered, 5 used\.$/m);
  assert.match(text, /^Not used for their price; [^]*^ {2}[\d.]+ bps +0x/m);
});

test('limits that exclude pools are named: paths, hops, sources', async () => {
  const reasonsOf = async (options: Options) =>
    new Set((await explanation(options)).pools.refused.map(({ reason }) => reason));
  assert.ok((await reasonsOf({ 'max-splits': '1' })).has('SPLITS'));
  assert.ok((await reasonsOf({ 'max-hops': '1' })).has('BEYOND_HOPS'));
  assert.ok((await reasonsOf({ 'exclude-sources': 'uniswap-v2' })).has('EXCLUDED_SOURCE'));
  assert.ok((await reasonsOf({ 'exact-out': true, amount: '200000000000' })).has('MIXES_VERSIONS'));
});

test('a refused quote is explained, too', async () => {
  const beyond = { 'exact-out': true, amount: '1000000000000000000' };
  const { quote, refusal, pools } = await explanation(beyond);
  assert.deepEqual([quote, refusal?.code], [null, 'INSUFFICIENT_LIQUIDITY']);
  assert.ok(pools.refused.some(({ reason }) => reason === 'AMOUNT'));
  assert.match(await explained(beyond), /^No quote\. No route can give the whole amount/);
  const dear = { amount: `1${'0'.repeat(24)}` };
  const refused = await explanation(dear);
  assert.equal(refused.refusal?.code, 'PRICE_IMPACT_TOO_HIGH');
  assert.ok(refused.quote !== null, 'the quote is shown in spite of the refusal');
  assert.match(await explained(dear), /\nThe service does not give this quote\. The price impact is \d+ bps/);
});

test('--svg draws the route, or says why there is none to draw', async () => {
  const svg = join(freshFolder(), 'route.svg');
  await explained({ svg });
  const drawn = readFileSync(svg, 'utf8');
  assert.match(drawn, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(drawn, />900 ETH buys 2,69\d,\d{3}\.\d USDC</);
  await assert.rejects(explained({ svg, out: 'WETH' }), { code: 'NO_ROUTE' });
  await assert.rejects(explained({ svg: join(freshFolder(), 'none', 'x.svg') }), {
    code: 'FILE_NOT_WRITTEN',
  });
});

const refusals: [options: () => Options, code: string, says: RegExp][] = [
  [
    () => ({ out: 'NOPE' }),
    'TOKEN_UNKNOWN',
    /No listed token of Fairway sandbox is called NOPE\. Listed are ETH, /,
  ],
  [
    () => ({ out: `0x${'12'.repeat(20)}` }),
    'TOKEN_UNKNOWN',
    /^0x1212\S+ is no listed token of Fairway sandbox/,
  ],
  [() => ({ out: 'ETH' }), 'SAME_TOKEN', /^ETH and ETH are the same token/],
  [() => ({ 'exclude-sources': 'uniswap-v2,uniswap-v3' }), 'NO_ROUTE', /connect ETH and USDC within 3 hops/],
  [
    () => ({ 'exact-out': true, amount: `9${'0'.repeat(14)}` }),
    'INSUFFICIENT_LIQUIDITY',
    /of USDC\. The most now is about .* Ask for less/,
  ],
  [
    () => ({ 'exact-out': true, amount: `1${'0'.repeat(18)}` }),
    'INSUFFICIENT_LIQUIDITY',
    /did you mean 1000000 \(1 USDC\)\? It looks like an amount of a token with 18 decimals\.$/,
  ],
  [() => ({ amount: `1${'0'.repeat(24)}` }), 'PRICE_IMPACT_TOO_HIGH', /raise the chain's maxPriceImpactBps/],
  [() => ({ amount: '1' }), 'AMOUNT_OUT_OF_RANGE', /one smallest unit of USDC/],
  [() => ({ chain: '1' }), 'CHAIN_UNKNOWN', /^--chain 1: use one of 31337 \(Fairway sandbox\)\.$/],
  [() => ({ 'at-block': `0x${'ab'.repeat(32)}` }), 'BLOCK_UNKNOWN', /knows no block 0xabab/],
];
for (const [options, code, says] of refusals) {
  test(`${code} comes with advice: ${says.source}`, async () => {
    await assert.rejects(quoted(options()), (error) => {
      assert.ok(error instanceof CommandError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, says);
      return true;
    });
  });
}

const MISSPELT: [options: Options, says: RegExp][] = [
  [{ amount: '1.5' }, /^--amount must be a string of decimal digits in smallest units/],
  [{ amount: '0' }, /^--amount must be more than zero/],
  [
    { 'max-hops': '9', 'max-splits': '0' },
    /^--max-hops must be an integer.*\n--max-splits must be an integer/,
  ],
  [{ 'at-block': 'latest' }, /^--at-block latest: give a block's hash/],
  [{ 'exclude-sources': 'uniswap' }, /^--exclude-sources names "uniswap", which is no source here/],
  [{ in: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEee' }, /^--in must be an address whose mixed letter case/],
];
for (const [options, says] of MISSPELT) {
  test(`a command line is refused: ${says.source}`, async () => {
    await assert.rejects(quoted(options), { name: 'UsageError', message: says });
  });
}

test('a symbol of several tokens is refused with their addresses', async () => {
  const config = configOf({ nativeSymbol: 'USDC' });
  const asked = argumentsOf({ ...trade, 'ready-file': false, config, in: 'WETH' });
  await assert.rejects(quoteCommand(asked, terminal), (error) => {
    assert.ok(error instanceof CommandError && error.code === 'TOKEN_AMBIGUOUS');
    const [first, ...choices] = error.message.split('\n');
    assert.match(first ?? '', /^2 tokens of Sandbox are called USDC\. Give the address/);
    assert.deepEqual(choices, [
      '  0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE  USDC',
      `  ${addressOf('USDC')}  USDC`,
    ]);
    return true;
  });
});

test('an unreachable node, a node of another chain and a missing multicall are named', async () => {
  const codeOf = async (changes: Record<string, unknown>) => {
    const asked = argumentsOf({ ...trade, 'ready-file': false, config: configOf(changes) });
    return quoteCommand(asked, terminal).catch((error: unknown) =>
      error instanceof CommandError ? error.code : error,
    );
  };
  assert.equal(await codeOf({ rpcUrls: ['http://127.0.0.1:1'] }), 'NODE_UNREACHABLE');
  assert.equal(await codeOf({ chainId: 1 }), 'OTHER_CHAIN');
  assert.equal(await codeOf({ multicall3: `0x${'ab'.repeat(20)}` }), 'NO_MULTICALL');
});

/** A configuration of the sandbox's chain, as an operator would write it. */
function configOf(changes: Record<string, unknown>): string {
  const folder = freshFolder();
  const chain = {
    chainId: 31337,
    name: 'Sandbox',
    maxBlockAgeSeconds: 3600,
    rpcUrls: [service.running.demo?.rpcUrl],
    wrappedNative: addressOf('WETH'),
    factories: [{ kind: 'UNISWAP_V3', name: 'v3', address: `0x${'cd'.repeat(20)}` }],
    routers: [{ kind: 'SWAP_ROUTER_02', address: `0x${'ef'.repeat(20)}` }],
    ...changes,
  };
  const tokens = sandbox.tokens.map((token) => ({
    ...token,
    name: token.symbol,
    chainId: changes.chainId ?? 31337,
  }));
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ name: 'Test', tokens }));
  const file = join(folder, 'fairway.json');
  writeFileSync(file, JSON.stringify({ tokenLists: ['tokens.json'], chains: [chain] }));
  return file;
}

test('a configuration or ready file without a chain is refused before any node is asked', async () => {
  const missing = join(freshFolder(), 'ready.json');
  await assert.rejects(quoted({ 'ready-file': missing }), {
    name: 'ConfigError',
    message: /there is no such file/,
  });
  writeFileSync(missing, JSON.stringify({ url: 'http://127.0.0.1:1' }));
  await assert.rejects(quoted({ 'ready-file': missing }), { message: /names no sandbox chain/ });
  await assert.rejects(quoteCommand(argumentsOf({ ...trade, 'ready-file': false }), terminal), {
    message: /^Which chain\? Give --config FILE/,
  });
});

test('commands print answers on stdout, errors as JSON and no stack trace, and set exit codes', async () => {
  const at = argumentsOf({ ...trade, json: true });
  const { code, printed } = await runFairway(['quote', ...at]);
  assert.equal(code, 0);
  assert.equal((JSON.parse(printed) as Quote).amountOut, (await fromService()).amountOut);
  const refused = await runFairway(['explain', ...at, '--at-block', `0x${'ab'.repeat(32)}`]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.output,
    /\{"error":\{"code":"BLOCK_UNKNOWN","detail":"The node of Fairway sandbox knows no block/,
  );
  assert.doesNotMatch(refused.output, /\n\s+at /);
  const misused = await runFairway(['explain', '--in', 'ETH']);
  assert.deepEqual(misused, {
    code: 2,
    printed: '',
    output: 'explain needs --in TOKEN, --out TOKEN and --amount N. See: fairway help explain\n',
  });
});
