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

/** How many topics and data words each pool event has, by its first topic: decoded by hand, because a block has hundreds. */
const layouts = new Map(
  poolEventsAbi.map(({ name, inputs }) => {
    const indexed = inputs.filter((input) => 'indexed' in input && input.indexed).length;
    const topic = topicOf(encodeEventTopics({ abi: poolEventsAbi, eventName: name }));
    return [topic, { name, topicCount: 1 + indexed, wordCount: inputs.length - indexed }];
  }),
);

/** The topics a follower asks for: every event that changes what a pool would pay, and pool creations. */
export const followedTopics: readonly `0x${string}`[] = [
  ...layouts.keys(),
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
    if (event.name !== 'Sync') return tracked;
    const { reserve0, reserve1 } = event;
    return { pool: { ...pool, reserve0, reserve1 }, overlap };
  }
  switch (event.name) {
    case 'Initialize': {
      const { sqrtPriceX96, tick } = event;
      return { pool: { ...pool, sqrtPriceX96, tick }, overlap };
    }
    case 'Swap': {
      const { sqrtPriceX96, liquidity, tick } = event;
      return { pool: { ...pool, sqrtPriceX96, liquidity, tick }, overlap };
    }
    case 'Mint':
      return withLiquidity({ pool, overlap }, event.tickLower, event.tickUpper, event.amount);
    case 'Burn':
      return withLiquidity({ pool, overlap }, event.tickLower, event.tickUpper, -event.amount);
    case 'Sync':
      return tracked;
  }
}

type PoolEvent =
  | { readonly name: 'Sync'; readonly reserve0: bigint; readonly reserve1: bigint }
  | { readonly name: 'Initialize'; readonly sqrtPriceX96: bigint; readonly tick: number }
  | {
      readonly name: 'Swap';
      readonly sqrtPriceX96: bigint;
      readonly liquidity: bigint;
      readonly tick: number;
    }
  | {
      readonly name: 'Mint' | 'Burn';
      readonly tickLower: number;
      readonly tickUpper: number;
      readonly amount: bigint;
    };

/** A log as a pool event; undefined for any other, and for one of the same signature with another layout. */
function decode({ topics, data }: Log): PoolEvent | undefined {
  const layout = topics[0] === undefined ? undefined : layouts.get(topics[0]);
  if (layout === undefined || topics.length !== layout.topicCount) return undefined;
  if (data.length < 2 + 64 * layout.wordCount) return undefined;
  const word = (index: number) => BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`);
  try {
    switch (layout.name) {
      case 'Sync':
        return { name: 'Sync', reserve0: word(0), reserve1: word(1) };
      case 'Initialize':
        return { name: 'Initialize', sqrtPriceX96: word(0), tick: signed(word(1)) };
      case 'Swap':
        return { name: 'Swap', sqrtPriceX96: word(2), liquidity: word(3), tick: signed(word(4)) };
      case 'Mint':
      case 'Burn': {
        const [tickLower, tickUpper] = [signed(BigInt(topics[2] ?? '')), signed(BigInt(topics[3] ?? ''))];
        return { name: layout.name, tickLower, tickUpper, amount: word(layout.name === 'Mint' ? 1 : 0) };
      }
    }
  } catch {
    // Not hexadecimal.
    return undefined;
  }
}

function signed(word: bigint): number {
  return Number(BigInt.asIntN(256, word));
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
