import { type Address, executePaths, type Hop, type Pool } from '@fairway/engine';
import { readPools } from '../pools/poolReader.ts';
import { headByHash } from '../rpc/head.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { createBatchRead } from '../rpc/multicall.ts';
import { withinTimeout } from '../rpc/withinTimeout.ts';

/** A route for an exact input: paths in the order in which they are executed, with the input of each in smallest units. */
export type KeptRoute = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly paths: readonly { readonly pools: readonly Address[]; readonly amountIn: bigint }[];
};

/** What reads a route. `pool`: a pool as it is followed. Only its parts that never change are used. */
export type RouteReaderOptions = {
  readonly request: RpcRequest;
  readonly multicall3: `0x${string}`;
  readonly pool: (address: Address) => Pool | undefined;
  readonly timeoutMs: number;
};

/**
 * What a route would have brought at the end of the block before the block with this hash, in smallest units.
 * Undefined when it cannot be told. Nodes may have no state of that block any more or not answer in time. A pool may
 * not be followed, or the pools could not serve the route. Never rejects.
 */
export type RouteReader = (blockHash: string, route: KeptRoute) => Promise<bigint | undefined>;

/**
 * Makes the function that reads what a route would have brought before a block. It asks for the block's header, for all pairs of the route
 * at once, and for each of its V3 pools.
 *
 * @example
 * ```ts
 * import { createRouteReader, type KeptRoute, type RouteReaderOptions } from '@fairway/evm';
 *
 * declare const options: RouteReaderOptions;
 * declare const executedIn: `0x${string}`;
 * declare const route: KeptRoute;
 *
 * const brought = await createRouteReader(options)(executedIn, route);
 * ```
 */
export function createRouteReader(options: RouteReaderOptions): RouteReader {
  return async (blockHash, route) => {
    const { timeoutMs } = options;
    const request = onlyFor(timeoutMs, options.request);
    // It is information: a fault in it must not keep an execution from being recorded.
    const reading = readRoute({ ...options, request }, blockHash, route).catch(() => undefined);
    return withinTimeout(timeoutMs, reading);
  };
}

/** Asks for nothing more once the time is over. */
function onlyFor(timeoutMs: number, request: RpcRequest): RpcRequest {
  const endMs = performance.now() + timeoutMs;
  return async (call) => {
    if (performance.now() > endMs) throw new Error('The time for reading a route is over.');
    return request(call);
  };
}

async function readRoute(
  { request, multicall3, pool }: RouteReaderOptions,
  blockHash: string,
  { tokenIn, tokenOut, paths }: KeptRoute,
): Promise<bigint | undefined> {
  const followed = [...new Set(paths.flatMap(({ pools }) => pools))].map(pool);
  const known = followed.filter((each) => each !== undefined);
  if (known.length === 0 || known.length < followed.length) return undefined;
  const parentHash = (await headByHash(request, blockHash))?.parentHash;
  if (parentHash === undefined) return undefined;
  const read = await readPools(request, createBatchRead(request, multicall3, parentHash), parentHash, known);
  const pools = new Map(read.map((tracked) => [tracked.pool.address, tracked.pool]));
  const planned = paths.map((path) => ({
    hops: hopsAlong(
      tokenIn,
      path.pools.map((address) => pools.get(address)),
    ),
    amount: path.amountIn,
  }));
  if (!planned.every(({ hops }) => hops.at(-1)?.tokenOut === tokenOut)) return undefined;
  const executed = executePaths({ tradeType: 'EXACT_IN' }, planned);
  return executed.ok ? executed.execution.received : undefined;
}

/**
 * The hops over pools from a token; none where one of them is missing or does not trade what arrives. A plan keeps the
 * pools of a path alone. They tell the tokens as long as each pool has one other than the token that arrives.
 */
function hopsAlong(tokenIn: Address, pools: readonly (Pool | undefined)[]): Hop[] {
  const hops: Hop[] = [];
  for (const pool of pools) {
    const arrives = hops.at(-1)?.tokenOut ?? tokenIn;
    const [tokenOut, ...others] = pool?.tokens.filter((token) => token !== arrives) ?? [];
    if (pool === undefined || tokenOut === undefined || others.length > 0) return [];
    hops.push({ pool, tokenIn: arrives, tokenOut });
  }
  return hops;
}
