import { type Address, toAddress } from '@fairway/engine';
import { decodeEventLog, encodeEventTopics, parseAbi } from 'viem';
import type { Factory } from './discovery.ts';
import { type TrackedPool, withLiquidity } from './trackedPool.ts';

const poolEventsAbi = parseAbi([
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
]);
const creationEventsAbi = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 pairCount)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
]);

/** The topics a follower asks for: every event that changes what a pool would pay, and pool creations. */
export const followedTopics: readonly `0x${string}`[] = [
  ...poolEventsAbi.map(({ name }) => topicOf(encodeEventTopics({ abi: poolEventsAbi, eventName: name }))),
  ...creationEventsAbi.map(({ name }) =>
    topicOf(encodeEventTopics({ abi: creationEventsAbi, eventName: name })),
  ),
];

function topicOf(topics: readonly unknown[]): `0x${string}` {
  return topics[0] as `0x${string}`;
}

/** A log as nodes send it, as far as it matters here. */
export type Log = {
  readonly address: `0x${string}`;
  readonly topics: readonly `0x${string}`[];
  readonly data: `0x${string}`;
};

/**
 * The pool after one of its events; the same pool when the event changes nothing, as for look-alike events of
 * another layout.
 */
export function poolAfterLog(tracked: TrackedPool, log: Log): TrackedPool {
  const event = decode(log);
  const { pool, overlap } = tracked;
  if (event === undefined) return tracked;
  if (pool.kind === 'UNISWAP_V2') {
    if (event.eventName !== 'Sync') return tracked;
    const { reserve0, reserve1 } = event.args;
    return { pool: { ...pool, reserve0, reserve1 }, overlap };
  }
  switch (event.eventName) {
    case 'Initialize': {
      const { sqrtPriceX96, tick } = event.args;
      return { pool: { ...pool, sqrtPriceX96, tick }, overlap };
    }
    case 'Swap': {
      const { sqrtPriceX96, liquidity, tick } = event.args;
      return { pool: { ...pool, sqrtPriceX96, liquidity, tick }, overlap };
    }
    case 'Mint':
      return withLiquidity(
        { pool, overlap },
        event.args.tickLower,
        event.args.tickUpper,
        event.args.amount,
      );
    case 'Burn':
      return withLiquidity(
        { pool, overlap },
        event.args.tickLower,
        event.args.tickUpper,
        -event.args.amount,
      );
    case 'Sync':
      return tracked;
  }
}

function decode(log: Log) {
  try {
    return decodeEventLog({
      abi: poolEventsAbi,
      topics: log.topics as [`0x${string}`, ...`0x${string}`[]],
      data: log.data,
      strict: true,
    });
  } catch {
    return undefined;
  }
}

/** The pool a configured factory says it has just made; undefined for anything else. */
export function createdPool(
  log: Log,
  factories: ReadonlyMap<Address, Factory>,
): { factory: Factory; pool: Address } | undefined {
  const factory = factories.get(toAddress(log.address));
  if (factory === undefined) return undefined;
  try {
    const event = decodeEventLog({
      abi: creationEventsAbi,
      topics: log.topics as [`0x${string}`, ...`0x${string}`[]],
      data: log.data,
      strict: true,
    });
    const pool = event.eventName === 'PairCreated' ? event.args.pair : event.args.pool;
    return { factory, pool: toAddress(pool) };
  } catch {
    return undefined;
  }
}
