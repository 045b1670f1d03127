// Why a route fails whose pools are as quoted. It is found from transfers in which no caller has a part.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address, Pool, Quote } from '@fairway/engine';
import { HOSTILITIES, makeHostile, makeRefusing, makeShares, type Refusal } from '@fairway/testing';
import { quoteAlong, startSwapSandbox, type SwapSandbox } from '../../test/sandboxSwaps.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError, RpcUnreachableError } from '../rpc/errors.ts';
import { createRouteFaultFinder } from './routeFaults.ts';

/** The pools of the sandbox that trade LINK, UNI or USDC. */
const POOLS = [
  'V2 LINK/WETH',
  'V3 LINK/WETH 3000',
  'V3 LINK/USDC 10000',
  'V3 UNI/WETH 3000',
  'V3 UNI/USDT 10000',
  'V3 USDC/WETH 500',
  'V2 WETH/USDC',
] as const;
const USD = 10n ** 6n;

let sandbox: SwapSandbox;
let pools: readonly Pool[];
/** USDC for WETH over LINK: its two V3 pools, or the V3 pool and the V2 pair. */
let overLink: Quote;
before(async () => {
  sandbox = await startSwapSandbox();
  pools = await Promise.all(POOLS.map((description) => sandbox.pool(description)));
  const path = ['V3 LINK/USDC 10000', 'V3 LINK/WETH 3000'];
  overLink = await quoteAlong(sandbox, 'EXACT_IN', sandbox.token('USDC'), [
    { pools: path, amount: 100n * USD },
  ]);
});
after(() => sandbox.close());

const rpc = <Result>(method: string, params: readonly unknown[] = []) =>
  sandbox.request({ method, params }) as Promise<Result>;
const poolAt = (description: (typeof POOLS)[number]): Address =>
  (pools[POOLS.indexOf(description)] ?? assert.fail()).address;

async function faultsOf(
  quote: Quote,
  request: RpcRequest = sandbox.request,
  onUnavailable: (cause: unknown) => void = (cause) => assert.fail(String(cause)),
  known: readonly Pool[] = pools,
) {
  const poolsOf = (token: Address) => known.filter(({ tokens }) => tokens.includes(token));
  const find = createRouteFaultFinder({ request, poolsOf, timeoutMs: 20_000, onUnavailable });
  return find(quote, await sandbox.head());
}

async function faultsWhile(symbol: string, refusal: Refusal, quote = overLink) {
  const undo = await makeRefusing(rpc, sandbox.token(symbol), refusal);
  try {
    return await faultsOf(quote);
  } finally {
    await undo();
  }
}

const NONE = { tokens: [], pools: [], isOfEnds: false };

test('a route that nothing is wrong with has no faults', async () => {
  assert.deepEqual(await faultsOf(overLink), NONE);
});

test('a token on the way that is paused is at fault, and its pools are not', async () => {
  const link = sandbox.token('LINK');
  assert.deepEqual(await faultsWhile('LINK', 'ALL'), { tokens: [link], pools: [], isOfEnds: false });
});

test('a token that is traded itself is named by no address: nothing else would be kept away from', async () => {
  for (const symbol of ['USDC', 'WETH'])
    assert.deepEqual(await faultsWhile(symbol, 'ALL'), { ...NONE, isOfEnds: true }, symbol);
});

test('a pool that a token refuses is at fault, whether the token is on the way or an end', async () => {
  for (const [symbol, description] of [
    ['LINK', 'V3 LINK/USDC 10000'],
    ['LINK', 'V3 LINK/WETH 3000'],
    ['WETH', 'V3 LINK/WETH 3000'],
  ] as const) {
    const account = poolAt(description);
    assert.deepEqual(await faultsWhile(symbol, { account }), { ...NONE, pools: [account] }, description);
  }
});

test('a pool beside the route that a token refuses is no fault of the route', async () => {
  assert.deepEqual(await faultsWhile('LINK', { account: poolAt('V2 LINK/WETH') }), NONE);
});

test('a token that refuses large amounts, or an account that trades it, is not at fault', async () => {
  const [account = assert.fail()] = sandbox.accounts;
  assert.deepEqual(await faultsWhile('LINK', { above: 10n ** 18n }), NONE);
  assert.deepEqual(await faultsWhile('LINK', { account }), NONE);
});

test('a token on the way that moves other amounts than it is asked to is at fault', async () => {
  const link = sandbox.token('LINK');
  for (const hostility of HOSTILITIES) {
    const undo = await makeHostile(rpc, link, hostility);
    const faults = await faultsOf(overLink);
    await undo();
    // Nobody pulls a token on the way, and one unit less is what rounding by shares does.
    const isFine = ['keeps a part of what is pulled', 'keeps one unit of each transfer'].includes(hostility);
    const tokens = isFine ? [] : [link];
    assert.deepEqual(faults, { ...NONE, tokens }, hostility);
  }
});

test('a token that rounds by its shares is not at fault, nor is its only pool', async () => {
  const [link, weth] = [sandbox.token('LINK'), sandbox.token('WETH')];
  const pair = 'V2 LINK/WETH';
  const routes = [
    await quoteAlong(sandbox, 'EXACT_IN', link, [{ pools: [pair], amount: 10n ** 18n }]),
    await quoteAlong(sandbox, 'EXACT_IN', weth, [{ pools: [pair], amount: 10n ** 18n }]),
    overLink,
  ];
  const undo = await makeShares(rpc, link, { shares: 10n ** 27n, pooled: 1_215_805_471n * 10n ** 18n });
  try {
    for (const route of routes) {
      assert.deepEqual(await faultsOf(route), NONE);
      const only = pools.filter(({ address }) => route.legs.some(({ pool }) => pool.address === address));
      assert.deepEqual(await faultsOf(route, sandbox.request, undefined, only), NONE);
    }
  } finally {
    await undo();
  }
});

test('a token whose contract is gone is at fault', async () => {
  const link = sandbox.token('LINK');
  const code = await rpc<string>('eth_getCode', [link, 'latest']);
  await rpc('anvil_setCode', [link, '0x']);
  const faults = await faultsOf(overLink);
  await rpc('anvil_setCode', [link, code]);
  assert.deepEqual(faults, { ...NONE, tokens: [link] });
});

test('what one token does in its transfers changes nothing for the others', async () => {
  // The token's code is an invalid instruction: every call burns all the gas that it gets.
  const link = sandbox.token('LINK');
  const code = await rpc<string>('eth_getCode', [link, 'latest']);
  await rpc('anvil_setCode', [link, '0xfe']);
  const faults = await faultsOf(overLink);
  await rpc('anvil_setCode', [link, code]);
  assert.deepEqual(faults, { ...NONE, tokens: [link] });
});

test('nothing is found where the nodes do not simulate, or do not answer', async () => {
  const undo = await makeRefusing(rpc, sandbox.token('LINK'), 'ALL');
  try {
    const blind: RpcRequest = async (call) => {
      if (call.method === 'eth_simulateV1') throw new RpcAnswerError(-32_601, 'Method not found', undefined);
      return sandbox.request(call);
    };
    assert.deepEqual(await faultsOf(overLink, blind), NONE);
    const causes: unknown[] = [];
    const away: RpcRequest = () => Promise.reject(new RpcUnreachableError('away'));
    assert.equal(await faultsOf(overLink, away, (cause) => causes.push(cause)), undefined);
    assert.equal(causes.length, 1);
  } finally {
    await undo();
  }
});
