import type { Pool, V2Pool, V3Pool } from '@fairway/engine';
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem';
import type { NodeLog } from './inProcessNode.ts';
import type { LargeMarket } from './largeMarket.ts';
import type { Numbers } from './measuring/numbers.ts';
import { numbered } from './syntheticMarket.ts';

const EVENTS = parseAbi([
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
]);
const someone = numbered(0xabc);

/**
 * The logs of a block: of some pools of a market, and of strangers, which are not its pools. TRADED moves reserves and
 * prices and adds liquidity to every tenth V3 pool; UNCHANGED sets pools to their current state.
 */
export function blockLogs(
  { pools }: LargeMarket,
  numbers: Numbers,
  changed: number,
  strangers: number,
  kind: 'TRADED' | 'UNCHANGED',
): NodeLog[] {
  const logs: NodeLog[] = [];
  const by = kind === 'TRADED' ? 1n : 0n;
  const first = numbers.below(pools.length);
  for (let index = 0; index < changed; index += 1) {
    // The step has no factor in common with the number of pools, so no pool is touched twice.
    const pool = pools[(first + index * 7919) % pools.length]?.pool;
    if (pool !== undefined) logs.push(logOf(pool, by, kind === 'TRADED' && index % 10 === 0));
  }
  const template = logs.slice();
  for (let index = 0; index < strangers; index += 1) {
    const log = template[index % template.length];
    if (log !== undefined) logs.push({ ...log, address: numbered(0x9000000 + numbers.below(1_000_000)) });
  }
  return logs;
}

function logOf(pool: Pool, by: bigint, mayAddLiquidity: boolean): NodeLog {
  switch (pool.kind) {
    case 'UNISWAP_V2':
      return sync(pool, by);
    case 'UNISWAP_V3':
      return mayAddLiquidity ? mint(pool) : swap(pool, by);
  }
}

function sync({ address, reserve0, reserve1 }: V2Pool, by: bigint): NodeLog {
  const data = encodeAbiParameters(
    [{ type: 'uint112' }, { type: 'uint112' }],
    [reserve0 + by, reserve1 - by],
  );
  return { address, topics: encodeEventTopics({ abi: EVENTS, eventName: 'Sync' }) as string[], data };
}

function swap({ address, sqrtPriceX96, liquidity, tick }: V3Pool, by: bigint): NodeLog {
  const args = { sender: someone, recipient: someone };
  const data = encodeAbiParameters(
    [{ type: 'int256' }, { type: 'int256' }, { type: 'uint160' }, { type: 'uint128' }, { type: 'int24' }],
    [1n, -1n, sqrtPriceX96 + by, liquidity, tick],
  );
  return { address, topics: encodeEventTopics({ abi: EVENTS, eventName: 'Swap', args }) as string[], data };
}

function mint({ address, tick, tickSpacing }: V3Pool): NodeLog {
  const lower = Math.floor(tick / tickSpacing) * tickSpacing - 7 * tickSpacing;
  const args = { owner: someone, tickLower: lower, tickUpper: lower + 20 * tickSpacing };
  const data = encodeAbiParameters(
    [{ type: 'address' }, { type: 'uint128' }, { type: 'uint256' }, { type: 'uint256' }],
    [someone, 10n ** 20n, 1n, 1n],
  );
  return { address, topics: encodeEventTopics({ abi: EVENTS, eventName: 'Mint', args }) as string[], data };
}
