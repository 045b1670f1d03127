// The only node changes logs, cannot simulate, or has a token that keeps a part: no swap leaves that is not as quoted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeHostile, startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import type { Problem, Quote, SwapPlan } from '@fairway/wire';
import { decodeAbiParameters, encodeAbiParameters, toEventSelector } from 'viem';
import { writeConfig } from './configHarness.ts';
import { basic } from './harness.ts';
import { honest, type Lie, type NodeProxy, startNodeProxy } from './nodeProxy.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { NATIVE_TOKEN } from './wallet.ts';
import { runFairway, startFairway, type StartedService } from './commandHarness.ts';

let chain: TestChain;
let node: NodeProxy;
let database: Awaited<ReturnType<typeof startTestDatabase>>;
let env: Record<string, string>;
let authorization: string;
let service: StartedService;

before(async () => {
  [chain, database] = await Promise.all([startTestChain(), startTestDatabase()]);
  node = await startNodeProxy(chain.rpcUrl);
  const { host, user, database: name } = database.connection;
  env = {
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
    FAIRWAY_SEALING_KEYS: `one:${'1f'.repeat(32)}`,
  };
  service = await start({});
  const args = ['credentials', 'create', '--organisation', 'Acme', '--environment', 'production', '--json'];
  const { code, output, printed } = await runFairway(args, env);
  assert.equal(code, 0, output);
  const { username, password } = JSON.parse(printed) as { username: string; password: string };
  authorization = basic(username, password);
  await untilServed(service);
});
after(async () => {
  await endEverything();
  await node?.close();
  await chain?.close();
  await database?.close();
});

function start(changes: object): Promise<StartedService> {
  const { chainId } = chain;
  const corridor = {
    id: 'weth-usdc',
    source: { chainId, token: addressOf('WETH') },
    target: {
      ...{ type: 'BANK', country: 'AU', currency: 'AUD', token: addressOf('USDC'), custodian: 'Test' },
      settlementAddress: `0x${'c5'.repeat(20)}`,
    },
    modes: ['STANDARD'],
    settlementTime: { min: 'PT1M', max: 'P1D' },
  };
  const members = { payments: { corridors: [corridor] } };
  const file = writeConfig(chain, freshFolder(), { rpcUrls: [node.url], ...changes }, members);
  return startFairway(['--port', '0', '--config', file], env);
}

function addressOf(symbol: string): string {
  return chain.tokens.find((token) => token.symbol === symbol)?.address ?? assert.fail(symbol);
}

type Answer<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

async function ask<Body>(of: StartedService, path: string, body?: object): Promise<Answer<Body>> {
  const headers = { authorization, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${of.ready.url}${path}`, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}

const tradeOf = (changes: object = {}) => ({
  chainId: chain.chainId,
  tokenIn: addressOf('WETH'),
  tokenOut: addressOf('USDC'),
  tradeType: 'EXACT_IN',
  amount: String(10n ** 17n),
  ...changes,
});

const swap = (changes: object = {}, of = service) =>
  ask<SwapPlan & Problem>(of, '/v1/swap', tradeOf(changes));

async function quoted(changes: object = {}): Promise<Quote> {
  const query = Object.entries(tradeOf(changes)).map(([name, value]) => [name, String(value)]);
  const { status, body } = await ask<Quote>(service, `/v1/quote?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function untilServed(of: StartedService, changes: object = {}): Promise<void> {
  for (let tries = 0; (await swap(changes, of)).status !== 200; tries++) {
    assert.ok(tries < 2_000, 'no swap is served');
    await sleep(50);
  }
}

const SYNC = toEventSelector('Sync(uint112,uint112)');
const SWAP = toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)');

type Worth = 'half' | 'double';
type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: `0x${string}` };

/** A log of a trade, changed as if WETH were worth half, or double, after it. A bloom does not show such a change. */
function changed(log: Log, worth: Worth): Log {
  const pool = chain.pools.find(({ address }) => address.toLowerCase() === log.address.toLowerCase());
  // The other token becomes scarce, or WETH does.
  const halvesSecond = (pool?.token0 === addressOf('WETH')) === (worth === 'half');
  if (log.topics[0] === SYNC) {
    const words = [{ type: 'uint112' }, { type: 'uint112' }] as const;
    const [a, b] = decodeAbiParameters(words, log.data);
    return { ...log, data: encodeAbiParameters(words, halvesSecond ? [a, b / 2n] : [a / 2n, b]) };
  }
  if (log.topics[0] !== SWAP) return log;
  const words = [
    { type: 'int256' },
    { type: 'int256' },
    { type: 'uint160' },
    { type: 'uint128' },
    { type: 'int24' },
  ] as const;
  const [paid0, paid1, price, liquidity, tick] = decodeAbiParameters(words, log.data);
  const [newPrice, newTick] = halvesSecond
    ? [(price * 7071n) / 10_000n, tick - 6932]
    : [(price * 10_000n) / 7071n, tick + 6931];
  return { ...log, data: encodeAbiParameters(words, [paid0, paid1, newPrice, liquidity, newTick]) };
}

/**
 * Trades a little as `changes` say, has the node lie about what the trade left, and waits until the market believes
 * it. Resolves to the quote before, or to undefined where an audit of the market was faster than this look at it.
 */
async function lieAboutNextTrade(changes: object, worth: Worth): Promise<bigint | undefined> {
  await untilServed(service, changes);
  const before = BigInt((await quoted(changes)).amountOut);
  const sender = chain.accounts[0]?.address ?? '';
  const { body } = await swap({ ...changes, tokenIn: NATIVE_TOKEN, amount: String(10n ** 15n), sender });
  const [trade] = body.instructions ?? [];
  assert.ok(trade);
  let liedAbout: string | undefined;
  node.lie = ({ method, params }, answer) => {
    if (method !== 'eth_getLogs') return answer;
    // The record of payments asks for logs, too; those have no trade.
    const logs = (answer.result as Log[]).map((log) => changed(log, worth));
    const block = JSON.stringify(params);
    if (!logs.some(({ topics: [topic] }) => topic === SYNC || topic === SWAP)) return answer;
    liedAbout ??= block;
    return block === liedAbout ? { result: logs } : answer;
  };
  assert.ok(await chain.send(sender, trade.to, trade.data, BigInt(trade.value)));
  for (let tries = 0; tries < 200; tries++) {
    const lie = BigInt((await quoted(changes)).amountOut);
    if (percentOf(before, lie) < 55 || percentOf(before, lie) > 180) return before;
    await sleep(5);
  }
  return undefined;
}

function percentOf(whole: bigint, part: bigint): number {
  return Number((100n * part) / whole);
}

async function mismatches(): Promise<number> {
  const url = /Metrics +(\S+)/.exec(service.output())?.[1] ?? '';
  const text = await (await fetch(url)).text();
  return Number(/^fairway_market_mismatches_total\{chain="31337"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

for (const [name, excluded, worth] of [
  ['Sync', 'uniswap-v3', 'half'],
  ['Swap', 'uniswap-v2', 'half'],
  ['Sync', 'uniswap-v3', 'double'],
  ['Swap', 'uniswap-v2', 'double'],
] as const)
  test(`a swap at ${worth} its price by a false ${name} log is refused until that is corrected`, async () => {
    // One pool is left: over another the service would find the true price.
    const changes = { tokenOut: addressOf('WBTC'), excludeSources: [excluded], maxHops: 1 };
    const counted = await mismatches();
    // An audit can correct the market first: then the lie is told again.
    for (let round = 0; (await mismatches()) === counted; round++) {
      assert.ok(round < 5, 'no swap met the lie');
      const before = await lieAboutNextTrade(changes, worth);
      if (before === undefined) continue;
      const answers = await Promise.all(Array.from({ length: 10 }, () => swap(changes)));
      const last = await swap(changes);
      assert.equal(last.status, 200, JSON.stringify(last.body));
      const truth = last.body.quote.amountOut;
      assert.equal(last.body.simulation?.amountOut, truth);
      assert.ok([99, 100].includes(percentOf(before, BigInt(truth))), `${truth} after ${before}`);
      for (const { status, headers, body } of answers) {
        if (status === 200) {
          assert.equal(body.quote.amountOut, truth);
          continue;
        }
        assert.deepEqual([status, body.code], [503, 'market-mismatch'], JSON.stringify(body));
        assert.equal(headers.get('retry-after'), '1');
        const difference = worth === 'half' ? `pay ${truth} for` : 'not as quoted';
        assert.ok(body.detail?.includes(difference), JSON.stringify(body));
      }
    }
  });

test('a token that keeps a part of transfers is a 400, and no mismatch is counted', async () => {
  const trades = [{ tokenOut: addressOf('LINK') }, { tokenIn: addressOf('LINK') }].map((tokens) => ({
    ...tokens,
    excludeSources: ['uniswap-v3'],
    slippageBps: 500,
  }));
  // Pools that the lies of earlier tests left wrong are corrected first.
  for (const changes of trades) await untilServed(service, changes);
  const before = await mismatches();
  const undo = await makeHostile(chain.rpc, addressOf('LINK'), 'keeps a part of all transfers');
  try {
    for (const changes of trades) {
      const { status, body } = await swap(changes);
      assert.deepEqual([status, body.code], [400, 'token-not-traded'], JSON.stringify(body));
      assert.match(body.detail ?? '', /: a transfer of \d+ units/);
    }
  } finally {
    await undo();
  }
  assert.equal(await mismatches(), before);
});

const refusesToSimulate: Lie = ({ method }, answer) =>
  method === 'eth_simulateV1' ? { error: { code: -32_601, message: 'Method not found' } } : answer;

test('without simulation no swap is given out, unless the chain is configured to allow it', async () => {
  node.lie = refusesToSimulate;
  const allowing = await start({ allowUnsimulated: true });
  await untilServed(allowing);
  const { status, headers, body } = await swap();
  assert.deepEqual([status, body.code], [503, 'simulation-unavailable']);
  assert.equal(headers.get('retry-after'), '5');
  const allowed = await swap({}, allowing);
  assert.equal(allowed.status, 200);
  assert.deepEqual(allowed.body.simulation, { status: 'UNAVAILABLE' });
  node.lie = honest;
  assert.equal(await allowing.stop(), 0);
  assert.equal((await swap()).body.simulation?.status, 'PASSED');
});

test('a payment plan is not made from a market that the chain contradicts', async () => {
  const payment = (clientReference: string) =>
    ask<Problem>(service, '/v1/payments', {
      clientReference,
      corridorId: 'weth-usdc',
      amountIn: String(10n ** 17n),
      recipient: {
        ...{ type: 'bank', name: 'Jo Citizen', country: 'AU' },
        account: { bsb: '062-000', accountNumber: '12345678' },
      },
      options: { mode: 'STANDARD' },
    });
  let refused = 0;
  for (let round = 0; refused === 0; round++) {
    assert.ok(round < 5, 'no plan met the lie');
    if ((await lieAboutNextTrade({ maxSplits: 1 }, 'double')) === undefined) continue;
    const { status, body } = await payment(`under a lie ${round}`);
    if (status === 200) continue;
    assert.deepEqual([status, body.code], [503, 'market-mismatch']);
    refused += 1;
    let again = await payment(`under a lie ${round}`);
    for (let tries = 0; tries < chain.pools.length && again.status !== 200; tries++) {
      assert.equal(again.body.code, 'market-mismatch', JSON.stringify(again.body));
      again = await payment(`under a lie ${round}`);
    }
    assert.equal(again.status, 200, JSON.stringify(again.body));
  }
});
