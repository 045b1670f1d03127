import { type Address, type Pool, toAddress, type V3Pool } from '@fairway/engine';
import { type ChainRpc, liquidityGrossOf, type TrackedPool } from '@fairway/evm';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  numberToHex,
  parseAbi,
  toHex,
} from 'viem';
import type { LargeMarket } from './largeMarket.ts';

export const CHAIN_ID = 1;
/** Where the node has its Multicall3. */
export const MULTICALL3 = toAddress(`0x${'ca11'.repeat(10)}`);

const MULTICALL_ABI = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) view returns (Result[])',
]);
/** Functions by selector: looked up without decoding, so that the node takes little time of its own. */
const SELECTORS = {
  '0x313ce567': 'decimals',
  '0x95d89b41': 'text',
  '0x06fdde03': 'text',
  '0x0902f1ac': 'getReserves',
  '0x0dfe1681': 'token0',
  '0xd21220a7': 'token1',
  '0xddca3f43': 'fee',
  '0xd0c93a7c': 'tickSpacing',
  '0xe6a43905': 'getPair',
  '0x1698ee82': 'getPool',
} as const;
const text = encodeAbiParameters([{ type: 'string' }], ['Token']);
const LENS_ABI = parseAbi([
  'function read(int24 tickSpacing) view returns (uint160, int24, uint128, int24[], uint128[], int128[])',
]);

/** A log of a block, as the node returns it. */
export type NodeLog = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

/** A node inside this process that measures its own time, so that it can be subtracted. */
export type InProcessNode = ChainRpc & {
  /** How long the node has worked on its answers so far. */
  readonly busyMs: () => number;
  readonly blockHash: (number: bigint) => `0x${string}`;
  /** Makes the next block with these logs and pushes it. */
  mine(logs: readonly NodeLog[]): void;
};

/** Makes a node whose chain is at a block and has a market's pools. */
export function inProcessNode(market: LargeMarket, startBlock: bigint): InProcessNode {
  let latest = startBlock;
  let busyMs = 0;
  let push: ((header: unknown) => void) | undefined;
  const logsOf = new Map<string, readonly NodeLog[]>();
  const pools = new Map(market.pools.map((tracked) => [tracked.pool.address, tracked]));
  const poolOf = new Map(market.pools.map(({ pool }) => [keyOf(pool), pool.address]));

  function answer(method: string, params: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return toHex(CHAIN_ID);
      case 'eth_getBlockByNumber':
        return headerOf(params[0] === 'latest' ? latest : BigInt(params[0] as string));
      case 'eth_getBlockByHash':
        return headerOf(BigInt(params[0] as string));
      case 'eth_getLogs':
        return logsOf.get((params[0] as { blockHash: string }).blockHash) ?? [];
      case 'eth_call': {
        const { to, data } = params[0] as { to: Address; data: `0x${string}` };
        return to === MULTICALL3 ? multicall(data, pools, poolOf) : lens(pools.get(to));
      }
      default:
        throw new Error(`The node of the benchmark has no ${method}`);
    }
  }

  return {
    blockHash,
    busyMs: () => busyMs,
    mine(logs) {
      latest += 1n;
      logsOf.set(blockHash(latest), logs);
      push?.(headerOf(latest));
    },
    async request({ method, params = [] }) {
      // A remote node answers in a later turn of the event loop, and so does this one.
      await new Promise((resolve) => setImmediate(resolve));
      const startedAt = performance.now();
      const answered = answer(method, params);
      busyMs += performance.now() - startedAt;
      return answered;
    },
    async subscribeHeads(onHead) {
      push = onHead;
      return { state: 'SUBSCRIBED', stop() {} };
    },
    close() {},
  };
}

function blockHash(number: bigint): `0x${string}` {
  return numberToHex(number, { size: 32 });
}

function headerOf(number: bigint): unknown {
  return {
    number: numberToHex(number),
    hash: blockHash(number),
    parentHash: blockHash(number - 1n),
    timestamp: numberToHex(number),
    baseFeePerGas: '0x1',
  };
}

function keyOf({ kind, tokens: [token0, token1], feePips }: Pool): string {
  return `${kind}/${token0}/${token1}/${feePips}`;
}

function multicall(
  data: `0x${string}`,
  pools: ReadonlyMap<Address, TrackedPool>,
  poolOf: ReadonlyMap<string, Address>,
): `0x${string}` {
  const { args } = decodeFunctionData({ abi: MULTICALL_ABI, data });
  const result = args[0].map(({ target, callData }) => ({
    success: true,
    returnData: contractAnswer(pools.get(toAddress(target))?.pool, callData, poolOf),
  }));
  return encodeFunctionResult({ abi: MULTICALL_ABI, result });
}

function contractAnswer(
  pool: Pool | undefined,
  data: `0x${string}`,
  poolOf: ReadonlyMap<string, Address>,
): `0x${string}` {
  const asked = SELECTORS[data.slice(0, 10) as keyof typeof SELECTORS];
  const argument = (index: number) => data.slice(10 + 64 * index, 74 + 64 * index);
  const pair = () => `0x${argument(0).slice(24)}/0x${argument(1).slice(24)}`;
  switch (asked) {
    case 'decimals':
      return words(18n);
    case 'text':
      return text;
    case 'getReserves':
      return pool?.kind === 'UNISWAP_V2' ? words(pool.reserve0, pool.reserve1, 0n) : '0x';
    case 'token0':
      return words(BigInt(pool?.tokens[0] ?? 0));
    case 'token1':
      return words(BigInt(pool?.tokens[1] ?? 0));
    case 'fee':
      return words(BigInt(pool?.feePips ?? 0));
    case 'tickSpacing':
      return pool?.kind === 'UNISWAP_V3' ? words(BigInt(pool.tickSpacing)) : '0x';
    case 'getPair':
      return words(BigInt(poolOf.get(`UNISWAP_V2/${pair()}/3000`) ?? 0));
    case 'getPool':
      return words(BigInt(poolOf.get(`UNISWAP_V3/${pair()}/${Number(`0x${argument(2)}`)}`) ?? 0));
  }
}

function words(...values: readonly bigint[]): `0x${string}` {
  return `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`;
}

function lens(tracked: TrackedPool | undefined): `0x${string}` {
  if (tracked?.pool.kind !== 'UNISWAP_V3') return '0x';
  const pool: V3Pool = tracked.pool;
  const gross = liquidityGrossOf({ pool, overlap: tracked.overlap });
  return encodeFunctionResult({
    abi: LENS_ABI,
    result: [
      pool.sqrtPriceX96,
      pool.tick,
      pool.liquidity,
      pool.ticks.indexes,
      gross,
      pool.ticks.liquidityNet,
    ],
  });
}
