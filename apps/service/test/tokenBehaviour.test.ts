// Tokens that keep a part of transfers are found and not traded; those that round by shares are traded, and the rounding named.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeHostile, makeShares, startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import type { MarketToken, Problem, Quote, SwapPlan } from '@fairway/wire';
import { encodeFunctionData, erc20Abi } from 'viem';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { runFairway, startFairway, type StartedService } from './commandHarness.ts';

const ETHER = 10n ** 18n;
let chain: TestChain;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let authorization: string;
let service: StartedService;
let [trader, stranger]: [string, string] = ['', ''];

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  [trader, stranger] = [chain.accounts[0]?.address ?? '', `0x${'5e'.repeat(20)}`];
  await makeHostile(chain.rpc, addressOf('LINK'), 'keeps a part of all transfers', 500);
  await makeShares(chain.rpc, addressOf('DAI'), {
    shares: 10n ** 27n,
    pooled: 1_215_805_471_427_693_801n * 10n ** 9n,
  });
  // The pair recorded balances that were no shares yet.
  assert.ok(await chain.send(trader, pairOf('WETH', 'DAI'), '0xfff6cae9'));
  const { host, user, database: name } = database.connection;
  const env = {
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
    FAIRWAY_SEALING_KEYS: `one:${'1f'.repeat(32)}`,
  };
  service = await startFairway(['--port', '0', '--config', writeConfig(chain, freshFolder())], env);
  const args = ['credentials', 'create', '--organisation', 'Acme', '--environment', 'production', '--json'];
  const { code, output, printed } = await runFairway(args, env);
  assert.equal(code, 0, output);
  const { username, password } = JSON.parse(printed) as { username: string; password: string };
  authorization = basic(username, password);
  for (let tries = 0; (await get('/readyz')).status !== 200; tries++) {
    assert.ok(tries < 200, 'the service does not get ready');
    await sleep(50);
  }
});
after(async () => {
  await endEverything();
  await chain?.close();
  await database?.close();
});

function addressOf(symbol: string): string {
  return chain.tokens.find((token) => token.symbol === symbol)?.address ?? assert.fail(symbol);
}

function pairOf(a: string, b: string): string {
  const sides = [addressOf(a), addressOf(b)];
  const pair = chain.pools.find(
    ({ kind, token0, token1 }) => kind === 'V2' && sides.includes(token0) && sides.includes(token1),
  );
  return pair?.address ?? assert.fail(`${a}/${b}`);
}

type Answer<Body> = { readonly status: number; readonly body: Body };

async function get<Body>(path: string, init: RequestInit = {}): Promise<Answer<Body & Problem>> {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${service.ready.url}${path}`, { headers, ...init });
  return { status: response.status, body: (await response.json()) as Body & Problem };
}

type Trade = {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly exactOut?: boolean;
  readonly excludePools?: string;
  readonly maxHops?: number;
};

function fieldsOf({ from, to, amount, exactOut = false, ...limits }: Trade) {
  const tradeType = exactOut ? 'EXACT_OUT' : 'EXACT_IN';
  const tokens = { tokenIn: addressOf(from), tokenOut: addressOf(to) };
  return { chainId: chain.chainId, ...tokens, tradeType, amount: String(amount), slippageBps: 0, ...limits };
}

function quote(trade: Trade): Promise<Answer<Quote & Problem>> {
  const query = Object.entries(fieldsOf(trade)).map(([name, value]) => [name, String(value)]);
  return get<Quote>(`/v1/quote?${new URLSearchParams(query)}`);
}

function swap(trade: Trade, sender?: string): Promise<Answer<SwapPlan & Problem>> {
  const body = JSON.stringify({ ...fieldsOf(trade), ...(sender === undefined ? {} : { sender }) });
  return get<SwapPlan>('/v1/swap', { method: 'POST', body });
}

async function listed(): Promise<ReadonlyMap<string, MarketToken>> {
  const { body } = await get<readonly MarketToken[]>('/v1/markets/tokens');
  return new Map((body as unknown as readonly MarketToken[]).map((token) => [token.symbol, token]));
}

async function balanceOf(symbol: string, owner: string): Promise<bigint> {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner as `0x${string}`],
  });
  return BigInt(await chain.rpc<string>('eth_call', [{ to: addressOf(symbol), data }, 'latest']));
}

/** Waits until the service has read the latest block: without slippage, a quote of an earlier one reverts. */
async function recordAtHead(): Promise<void> {
  const { hash } = await chain.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
  const isLatest = async () => {
    const { body } = await quote({ from: 'WETH', to: 'USDC', amount: ETHER });
    return body.route?.blockHash === hash;
  };
  for (let tries = 0; !(await isLatest()); tries++) {
    assert.ok(tries < 500, 'the service does not follow');
    await sleep(10);
  }
}

/** Swaps and executes what is answered; what it moved is what was quoted, within the rounding that the quote names. */
async function executed(trade: Trade): Promise<{ readonly missing: bigint; readonly untaken: bigint }> {
  await recordAtHead();
  const { status, body } = await swap(trade, trader);
  assert.equal(status, 200, JSON.stringify(body));
  const { quote: quoted, instructions = [], simulation, issues } = body;
  assert.equal(simulation?.status, 'PASSED');
  assert.equal(issues?.balance, null);
  const before = await Promise.all([balanceOf(trade.from, trader), balanceOf(trade.to, trader)]);
  for (const { to, data } of instructions) assert.ok(await chain.send(trader, to, data), 'it was reverted');
  const after = await Promise.all([balanceOf(trade.from, trader), balanceOf(trade.to, trader)]);
  const [taken, arrived] = [before[0] - after[0], after[1] - before[1]];
  const rounding = quoted.route?.rounding ?? assert.fail('no rounding is named');
  assert.deepEqual(
    rounding.assets.map(({ address }) => address),
    [addressOf('DAI')],
  );
  assert.equal(rounding.unitsPerTransfer, '2');
  const surplus = BigInt(quoted.route?.surplus ?? 0);
  const missing = BigInt(quoted.amountOut) + surplus - arrived;
  const untaken = BigInt(quoted.amountIn) - taken;
  assert.ok(
    missing <= BigInt(rounding.amountOut) && missing >= -BigInt(rounding.amountOut),
    `${missing} missing`,
  );
  assert.ok(untaken >= 0n && untaken <= 2n * BigInt(quoted.route?.paths.length ?? 0), `${untaken} not taken`);
  return { missing, untaken };
}

const TEN = [1n, 2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n];

test('a token that keeps 5 % is found at listing: list and quote say that it is not traded', async () => {
  const tokens = await listed();
  assert.equal(tokens.get('LINK')?.traded, false);
  assert.match(
    tokens.get('LINK')?.reason ?? '',
    /^It moves other amounts than it is asked to: a transfer of \d+ units from pool 0x\w{40} takes \d+ and brings \d+\.$/,
  );
  const others = [...tokens.values()].filter(({ symbol }) => symbol !== 'LINK');
  assert.ok(others.length >= 9 && others.every(({ traded, reason }) => traded && reason === undefined));
  for (const [trade, pointer] of [
    [{ from: 'WETH', to: 'LINK', amount: ETHER }, '/query/tokenOut'],
    [{ from: 'LINK', to: 'USDC', amount: ETHER }, '/query/tokenIn'],
    [{ from: 'USDC', to: 'LINK', amount: ETHER, exactOut: true }, '/query/tokenOut'],
  ] as const) {
    const { status, body } = await quote(trade);
    assert.deepEqual([status, body.code], [400, 'token-not-traded'], JSON.stringify(body));
    assert.deepEqual(
      body.errors?.map((error) => error.pointer),
      [pointer],
    );
    assert.ok(body.detail?.includes(tokens.get('LINK')?.reason ?? '?'), body.detail ?? '');
  }
  const { body } = await swap({ from: 'LINK', to: 'USDC', amount: ETHER });
  assert.equal(body.code, 'token-not-traded');
});

test('a share token is bought in ten amounts, and what arrives is within the rounding named', async () => {
  let rounded = 0;
  for (const part of TEN) {
    const { missing } = await executed({ from: 'USDC', to: 'DAI', amount: part * 123_457n });
    if (missing !== 0n) rounded += 1;
  }
  assert.ok(rounded > 0, 'no amount was rounded');
});

test('a share token that is held is approved and sold in ten amounts', async () => {
  let rounded = 0;
  for (const part of TEN) {
    const { untaken } = await executed({
      from: 'DAI',
      to: 'WETH',
      amount: part * 1_234_567_890_123_456_789n,
    });
    if (untaken !== 0n) rounded += 1;
  }
  assert.ok(rounded > 0, 'no amount was rounded');
});

test('exact outputs of a share token, and for one, are executed within the rounding named', async () => {
  for (const part of TEN.slice(0, 5)) {
    await executed({ from: 'WETH', to: 'DAI', amount: part * ETHER + part, exactOut: true });
    await executed({ from: 'DAI', to: 'USDC', amount: part * 1_234_567n, exactOut: true });
  }
});

test('who does not hold a share token is told what to hold, and not to try again later', async () => {
  const trade = { from: 'DAI', to: 'WETH', amount: ETHER };
  for (const sender of [undefined, stranger]) {
    const { status, body } = await swap(trade, sender);
    assert.deepEqual([status, body.code], [400, 'holdings-needed'], JSON.stringify(body));
    assert.ok(body.detail?.includes(`Name a sender that holds ${ETHER} units`), body.detail ?? '');
  }
  assert.equal((await swap({ from: 'WETH', to: 'DAI', amount: ETHER })).status, 200);
});

test('a tax on sales that is switched on later is found by the first swap that fails for it', async () => {
  const sale = { from: 'UNI', to: 'WETH', amount: ETHER };
  const purchase = { from: 'WETH', to: 'UNI', amount: ETHER };
  assert.equal((await swap(sale)).status, 200);
  await makeHostile(chain.rpc, addressOf('UNI'), 'keeps a part of what contracts get', 500);
  const refused = await swap(sale);
  assert.deepEqual(
    [refused.status, refused.body.code],
    [400, 'token-not-traded'],
    JSON.stringify(refused.body),
  );
  assert.match(
    refused.body.detail ?? '',
    /^tokenIn 0x\w{40} is not traded .*a transfer of \d+ units to pool/,
  );
  assert.deepEqual(
    refused.body.errors?.map(({ pointer }) => pointer),
    ['/tokenIn'],
  );
  for (const trade of [sale, purchase]) assert.equal((await quote(trade)).body.code, 'token-not-traded');
  assert.equal((await listed()).get('UNI')?.traded, false);
});

test('a pool that is out of the market for its token can be excluded all the same', async () => {
  const pool = pairOf('WETH', 'LINK');
  const { status, body } = await quote({ from: 'WETH', to: 'USDC', amount: ETHER, excludePools: pool });
  assert.equal(status, 200, JSON.stringify(body));
});

test('a token without a route is said to round, and what is excluded is named', async () => {
  const trade = { from: 'DAI', to: 'WETH', amount: ETHER };
  const { body } = await quote({ ...trade, excludePools: pairOf('WETH', 'DAI'), maxHops: 1 });
  assert.equal(body.code, 'no-route', JSON.stringify(body));
  assert.match(
    body.detail ?? '',
    /within 1 hop without what excludePools has\. tokenIn 0x\w{40} rounds transfers, so that only V2 pairs trade it\.$/,
  );
});
