import type { V3Pool } from '@fairway/engine';
import { parseAbi } from 'viem';
import { poolEvents, signed } from '../eventLayout.ts';
import { withLiquidity } from './ticks.ts';

const EVENTS_ABI = parseAbi([
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
]);

/** What a V3 pool's events do to it. */
export const events = poolEvents<V3Pool, typeof EVENTS_ABI>(EVENTS_ABI, {
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
});
