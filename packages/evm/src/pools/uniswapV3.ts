import type { FeePips, V3Pool } from '@fairway/engine';
import { decodeEventLog, parseAbi, toEventSelector } from 'viem';
import { mapInBatches } from '../rpc/multicall.ts';
import { encodeRead } from '../rpc/multicallCoding.ts';
import { poolEvents, signed } from './eventLayout.ts';
import type { V3Factory, V3Identity } from './factory.ts';
import type { PoolKind } from './poolKind.ts';
import { liquidityGrossOf, withLiquidity } from './trackedV3Pool.ts';
import { readV3Pool } from './v3Reader.ts';

const FACTORY_ABI = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
]);
const EVENTS_ABI = parseAbi([
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
]);
/** Selector of `getPool(address,address,uint24)`. */
const GET_POOL = '0x1698ee82';
/** Selectors of `fee()` and `tickSpacing()`. */
const IDENTITY_CALLS = ['0xddca3f43', '0xd0c93a7c'] as const;

/** Pool reads under way at once. */
const READ_WIDTH = 8;

/** Concentrated liquidity pools: Uniswap V3 and forks. */
export const UNISWAP_V3: PoolKind<V3Pool, V3Factory, V3Identity> = {
  poolCalls: ({ feeTiers }, tokenA, tokenB) => feeTiers.map((fee) => poolCall(tokenA, tokenB, fee)),
  poolCall: ({ token0, token1, feePips }) => poolCall(token0, token1, feePips),
  identityCalls: IDENTITY_CALLS,
  identify({ kind }, pool, [fee, tickSpacing]) {
    if (fee?.length !== 66 || tickSpacing?.length !== 66) return undefined;
    return { ...pool, kind, feePips: Number(fee) as FeePips, tickSpacing: Number(tickSpacing) };
  },
  creationTopic: toEventSelector(FACTORY_ABI[0]),
  createdPool(log) {
    const topics = log.topics as [`0x${string}`, ...`0x${string}`[]];
    return decodeEventLog({ abi: FACTORY_ABI, topics, data: log.data, strict: true }).args.pool;
  },
  poolsPerRequest: 1,
  readPools: (source, identities) =>
    mapInBatches(identities, READ_WIDTH, (identity) => readV3Pool(source, identity)),
  events: poolEvents<V3Pool, typeof EVENTS_ABI>(EVENTS_ABI, {
    Initialize: ({ pool, overlap }, { data }) => ({
      pool: { ...pool, sqrtPriceX96: data(0), tick: signed(data(1)) },
      overlap,
    }),
    Swap: ({ pool, overlap }, { data }) => ({
      pool: { ...pool, sqrtPriceX96: data(2), liquidity: data(3), tick: signed(data(4)) },
      overlap,
    }),
    Mint: (tracked, { topic, data }) => withLiquidity(tracked, signed(topic(2)), signed(topic(3)), data(1)),
    Burn: (tracked, { topic, data }) => withLiquidity(tracked, signed(topic(2)), signed(topic(3)), -data(0)),
  }),
  takesWhatArrives: false,
  isTradable: ({ sqrtPriceX96, ticks }) => sqrtPriceX96 > 0n && ticks.indexes.length > 0,
  stateText(tracked) {
    const { sqrtPriceX96, tick, liquidity, ticks } = tracked.pool;
    const gross = liquidityGrossOf(tracked);
    return [sqrtPriceX96, tick, liquidity, ...ticks.indexes, ...ticks.liquidityNet, ...gross].join('/');
  },
};

function poolCall(tokenA: `0x${string}`, tokenB: `0x${string}`, fee: FeePips): `0x${string}` {
  return encodeRead(GET_POOL, tokenA, tokenB, `0x${fee.toString(16)}`);
}
