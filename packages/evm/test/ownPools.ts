import assert from 'node:assert/strict';
import { type Address, createMarket, type FeePips, type Market, type Pool, toAddress } from '@fairway/engine';
import { encodeFunctionData, type Hex, maxUint256, numberToHex, parseAbi } from 'viem';
import { readMarket } from '../src/market/reading.ts';
import type { SwapSandbox } from './sandboxSwaps.ts';

/** A pool that a test makes. Without a fee it is a V2 pair. */
export type OwnPool = {
  readonly tokens: readonly [Address, Address];
  readonly fee?: 100 | 500 | 3000 | 10_000;
};

/** A provider's liquidity in an own pool. In a V2 pair both amounts are `amount` and there is no range. */
export type Deposit = {
  readonly provider: Address;
  /** Ticks away from the first price, counted the way a sale of the first token moves it; multiples of the spacing. */
  readonly range: readonly [number, number];
  /** The most of each token, in smallest units. */
  readonly amount: bigint;
};

/** Takes liquidity out of its pool again: all of it, or this many hundredths. */
export type Withdraw = (percent?: bigint) => Promise<void>;

/** Pools that a test makes on a sandbox chain, at a price of one smallest unit for one. */
export type OwnPools = {
  create(pool: OwnPool): Promise<void>;
  provide(pool: OwnPool, deposit: Deposit): Promise<Withdraw>;
  /** The created pools as they are at the latest block, and nothing else. */
  market(): Promise<Market>;
};

const ONE_TO_ONE = 1n << 96n;

const MANAGER_ABI = parseAbi([
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'struct DecreaseParams { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }',
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96)',
  'function mint(MintParams params)',
  'function decreaseLiquidity(DecreaseParams params)',
  'function collect(CollectParams params)',
]);
const PAIR_ABI = parseAbi([
  'function createPair(address a, address b)',
  'function getPair(address a, address b) view returns (address)',
  'function mint(address to)',
  'function burn(address to)',
]);
const TOKEN_ABI = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
]);

/** `IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)`. */
const INCREASED = '0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f';

type Log = { readonly topics: readonly Hex[]; readonly data: Hex };

/** The account that creates the pools. */
const CREATOR = toAddress(`0x${'0'.repeat(36)}abcd`);

/** Starts without any pool. */
export function makeOwnPools(sandbox: SwapSandbox): OwnPools {
  const created: OwnPool[] = [];
  return {
    async create(pool) {
      await createPool(sandbox, pool);
      created.push(pool);
    },
    provide: (pool, deposit) =>
      pool.fee === undefined
        ? provideV2(sandbox, pool, deposit)
        : provideV3(sandbox, pool.tokens, pool.fee, deposit),
    async market() {
      const tokens = [...new Set(created.flatMap((pool) => pool.tokens))];
      const read = await readMarket(marketSource(sandbox, tokens), await sandbox.head());
      const pools = read.pools.map(({ pool }) => pool);
      return createMarket(pools.filter((pool) => created.some((own) => isSame(own, pool))));
    },
  };
}

/** The pool of a market that is the own one. */
export function findOwn(market: Market, own: OwnPool): Pool {
  const found = [...market.pools()].find((pool) => isSame(own, pool));
  assert.ok(found, 'the market has not this pool');
  return found;
}

function marketSource({ request, deployment }: SwapSandbox, tokens: readonly Address[]) {
  const { multicall3, router, v3Factory } = deployment;
  const feeTiers = [100, 500, 3000, 10_000] as FeePips[];
  return {
    ...{ request, chainId: 31_337, multicall3, spender: router, tokens },
    factories: [
      { kind: 'UNISWAP_V2', name: 'v2', address: v2FactoryOf(deployment), feePips: 3000 as FeePips },
      { kind: 'UNISWAP_V3', name: 'v3', address: v3Factory, feeTiers },
    ] as const,
  };
}

function v2FactoryOf({ v2Factory }: SwapSandbox['deployment']): Address {
  assert.ok(v2Factory);
  return v2Factory;
}

async function send(
  { request }: SwapSandbox,
  from: Address,
  to: Address,
  data: Hex,
): Promise<readonly Log[]> {
  const transaction = { from, to, data, gas: numberToHex(8_000_000) };
  const answer = await request({ method: 'eth_sendTransactionSync', params: [transaction] });
  const { status, logs } = answer as { readonly status: string; readonly logs: readonly Log[] };
  assert.equal(status, '0x1', 'a transaction of the set-up reverted');
  return logs;
}

async function createPool(sandbox: SwapSandbox, { tokens, fee }: OwnPool): Promise<void> {
  const { request, deployment, positionManager } = sandbox;
  await request({ method: 'anvil_setBalance', params: [CREATOR, numberToHex(10n ** 24n)] });
  await request({ method: 'anvil_impersonateAccount', params: [CREATOR] });
  const [token0, token1] = sorted(tokens);
  if (fee === undefined) {
    const data = encodeFunctionData({ abi: PAIR_ABI, functionName: 'createPair', args: [token0, token1] });
    await send(sandbox, CREATOR, v2FactoryOf(deployment), data);
    return;
  }
  const args = [token0, token1, fee, ONE_TO_ONE] as const;
  const functionName = 'createAndInitializePoolIfNecessary';
  await send(sandbox, CREATOR, positionManager, encodeFunctionData({ abi: MANAGER_ABI, functionName, args }));
}

function sorted([a, b]: OwnPool['tokens']): OwnPool['tokens'] {
  return a < b ? [a, b] : [b, a];
}

async function provideV2(
  sandbox: SwapSandbox,
  { tokens }: OwnPool,
  { provider, amount }: Deposit,
): Promise<Withdraw> {
  const question = encodeFunctionData({ abi: PAIR_ABI, functionName: 'getPair', args: tokens });
  const params = [{ to: v2FactoryOf(sandbox.deployment), data: question }, 'latest'];
  const answer = String(await sandbox.request({ method: 'eth_call', params }));
  const pair = toAddress(`0x${answer.slice(-40)}`);
  const give = (units: bigint) =>
    encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [pair, units] });
  for (const token of tokens) await send(sandbox, provider, token, give(amount));
  const mint = encodeFunctionData({ abi: PAIR_ABI, functionName: 'mint', args: [provider] });
  await send(sandbox, provider, pair, mint);
  const minted = await sandbox.balance(pair, provider);
  return async (percent = 100n) => {
    await send(sandbox, provider, pair, give((minted * percent) / 100n));
    const burn = encodeFunctionData({ abi: PAIR_ABI, functionName: 'burn', args: [provider] });
    await send(sandbox, provider, pair, burn);
  };
}

async function provideV3(
  sandbox: SwapSandbox,
  tokens: OwnPool['tokens'],
  fee: number,
  { provider, range, amount }: Deposit,
): Promise<Withdraw> {
  const { positionManager } = sandbox;
  const args = [positionManager, maxUint256] as const;
  const approve = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args });
  for (const token of tokens) await send(sandbox, provider, token, approve);
  const [token0, token1] = sorted(tokens);
  // A pool counts in units of its first token by address.
  const [tickLower, tickUpper] = token0 === tokens[0] ? [-range[1], -range[0]] : range;
  const bounds = { amount0Min: 0n, amount1Min: 0n, deadline: maxUint256 };
  const place = { token0, token1, fee, tickLower, tickUpper, recipient: provider };
  const params = { ...place, amount0Desired: amount, amount1Desired: amount, ...bounds };
  const mint = encodeFunctionData({ abi: MANAGER_ABI, functionName: 'mint', args: [params] });
  const logs = await send(sandbox, provider, positionManager, mint);
  const increased = logs.find(({ topics }) => topics[0] === INCREASED);
  assert.ok(increased);
  const tokenId = BigInt(increased.topics[1] ?? '0x0');
  const minted = BigInt(increased.data.slice(0, 66));
  return async (percent = 100n) => {
    const less = { tokenId, liquidity: (minted * percent) / 100n, ...bounds };
    const all = 2n ** 128n - 1n;
    const collected = { tokenId, recipient: provider, amount0Max: all, amount1Max: all };
    for (const data of [
      encodeFunctionData({ abi: MANAGER_ABI, functionName: 'decreaseLiquidity', args: [less] }),
      encodeFunctionData({ abi: MANAGER_ABI, functionName: 'collect', args: [collected] }),
    ])
      await send(sandbox, provider, positionManager, data);
  };
}

function isSame({ tokens, fee }: OwnPool, pool: Pool): boolean {
  const isKind = fee === undefined ? pool.kind === 'UNISWAP_V2' : pool.kind === 'UNISWAP_V3';
  return (
    isKind &&
    tokens.includes(pool.tokens[0]) &&
    tokens.includes(pool.tokens[1]) &&
    (fee === undefined || pool.feePips === fee)
  );
}
