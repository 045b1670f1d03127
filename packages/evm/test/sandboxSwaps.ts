import assert from 'node:assert/strict';
import {
  type Address,
  type Amount,
  type Bps,
  exactInput,
  exactOutput,
  type Leg,
  type Path,
  type Pool,
  type Quote,
  type TradeType,
  toAddress,
} from '@fairway/engine';
import { startTestChain } from '@fairway/testing';
import { encodeFunctionData, keccak256, numberToHex, toHex } from 'viem';
import { startFollower } from '../src/follower/follower.ts';
import { type ChainRpc, createChainRpc } from '../src/rpc/chainRpc.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { TOKEN_ABI } from '../src/calls/contractAbis.ts';
import type { RouterDeployment } from '../src/venues/swapRouter02/deployment.ts';
import type { Venue } from '../src/venues/venue.ts';
import type { Follower, Head, Instruction } from '../src/types.ts';
import { factoriesOf, venueOfTest } from './testVenue.ts';

/** A sandbox chain with what swap tests need. Amounts are in smallest units; an undefined token is native currency. */
export type SwapSandbox = {
  readonly request: RpcRequest;
  readonly deployment: RouterDeployment & { readonly multicall3: Address; readonly venue: Venue };
  readonly positionManager: Address;
  readonly accounts: readonly Address[];
  token(symbol: string): Address;
  /** The latest block. */
  head(): Promise<Head>;
  /** A pool such as `V3 USDC/WETH 500`, as it is at the latest block. */
  pool(description: string): Promise<Pool>;
  balance(token: Address | undefined, owner: Address): Promise<bigint>;
  allowance(token: Address, owner: Address): Promise<bigint>;
  /** Executes an instruction and returns what its gas cost, in wei. Rejects when it reverts. */
  execute(from: Address, instruction: Instruction): Promise<bigint>;
  close(): Promise<void>;
};

/** Starts a sandbox chain and follows it. */
export async function startSwapSandbox(): Promise<SwapSandbox> {
  const chain = await startTestChain();
  const rpc = createChainRpc([chain.rpcUrl], 60_000);
  const { request } = rpc;
  const contracts = {
    router: toAddress(chain.contracts.swapRouter02),
    wrappedNative: toAddress(chain.contracts.weth9),
    v2Factory: toAddress(chain.contracts.v2Factory),
    v3Factory: toAddress(chain.contracts.v3Factory),
    multicall3: toAddress(chain.contracts.multicall3),
  };
  const deployment = { ...contracts, venue: venueOfTest(contracts) };
  const bySymbol = new Map(chain.tokens.map(({ symbol, address }) => [String(symbol), toAddress(address)]));
  const follower = followSandbox(rpc, deployment, [...bySymbol.values()]);
  await follower.synced;

  function token(symbol: string): Address {
    const address = bySymbol.get(symbol);
    assert.ok(address, `the sandbox has no ${symbol}`);
    return address;
  }

  async function read(to: Address, data: `0x${string}`): Promise<bigint> {
    return BigInt(String(await request({ method: 'eth_call', params: [{ to, data }, 'latest'] })));
  }

  return {
    request,
    deployment,
    positionManager: toAddress(chain.contracts.positionManager),
    accounts: chain.accounts.map(({ address }) => toAddress(address)),
    token,
    head: () => latestHead(request),
    async pool(description) {
      await marketAtHead(follower, request);
      return findPool(follower, description, token);
    },
    async balance(of, owner) {
      if (of === undefined)
        return BigInt(String(await request({ method: 'eth_getBalance', params: [owner, 'latest'] })));
      return read(of, encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] }));
    },
    allowance: (of, owner) =>
      read(
        of,
        encodeFunctionData({
          abi: TOKEN_ABI,
          functionName: 'allowance',
          args: [owner, deployment.router],
        }),
      ),
    execute: (from, instruction) => execute(request, from, instruction),
    async close() {
      await follower.close();
      rpc.close();
      await chain.close();
    },
  };
}

function followSandbox(rpc: ChainRpc, deployment: SwapSandbox['deployment'], tokens: readonly Address[]) {
  return startFollower({
    rpc,
    chainId: 31_337,
    multicall3: deployment.multicall3,
    spender: deployment.router,
    factories: factoriesOf(deployment),
    tokens,
    pollIntervalMs: 20,
    staleAfterMs: 10_000,
    nowMs: Date.now,
    monotonicMs: () => performance.now(),
    onEvent: () => undefined,
  });
}

async function marketAtHead(follower: Follower, request: RpcRequest): Promise<void> {
  const latest = BigInt(String(await request({ method: 'eth_blockNumber', params: [] })));
  while ((follower.head()?.number ?? 0n) < latest) await new Promise((resolve) => setTimeout(resolve, 5));
}

function findPool(follower: Follower, description: string, token: (symbol: string) => Address): Pool {
  const [version, pair = '', fee] = description.split(' ');
  const sides = pair.split('/').map(token);
  for (const pool of follower.market.pools()) {
    if (pool.kind !== `UNISWAP_${version}`) continue;
    if (fee !== undefined && pool.feePips !== Number(fee)) continue;
    if (sides.includes(pool.tokens[0]) && sides.includes(pool.tokens[1])) return pool;
  }
  throw new Error(`The sandbox has no pool ${description}.`);
}

async function execute(request: RpcRequest, from: Address, instruction: Instruction): Promise<bigint> {
  const { to, data, value } = instruction;
  const transaction = { from, to, data, value: numberToHex(value), gas: numberToHex(3_000_000) };
  const hash = await request({ method: 'eth_sendTransaction', params: [transaction] });
  const receipt = await receiptOf(request, hash);
  assert.equal(receipt.status, '0x1', 'the transaction reverted');
  return BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
}

type Receipt = { readonly status: string; readonly gasUsed: string; readonly effectiveGasPrice: string };

/**
 * Looks until the receipt is there. `eth_sendTransactionSync` waits for a new block, and after `evm_revert` it may miss the
 * block: then it answers after 30 seconds that it waited too long.
 */
async function receiptOf(request: RpcRequest, hash: unknown): Promise<Receipt> {
  for (;;) {
    const receipt = (await request({
      method: 'eth_getTransactionReceipt',
      params: [hash],
    })) as Receipt | null;
    if (receipt !== null) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** An address that has received nothing yet. */
export function freshAddress(name: string): Address {
  return toAddress(`0x${keccak256(toHex(name)).slice(-40)}`);
}

/** Pools to pass through and the exact side's amount: the input for EXACT_IN, the output for EXACT_OUT. */
export type PathRequest = { readonly pools: readonly string[]; readonly amount: bigint };

/** Quotes exactly the paths asked for, which must not share a pool. */
export async function quoteAlong(
  sandbox: SwapSandbox,
  tradeType: TradeType,
  tokenIn: Address,
  requests: readonly PathRequest[],
): Promise<Quote> {
  const paths: Path[] = [];
  let asked = 0n;
  for (const { pools: descriptions, amount } of requests) {
    const pools: Pool[] = [];
    for (const description of descriptions) pools.push(await sandbox.pool(description));
    paths.push(
      tradeType === 'EXACT_IN' ? pathForward(pools, tokenIn, amount) : pathTo(pools, tokenIn, amount),
    );
    asked += amount;
  }
  const [first] = paths;
  assert.ok(first);
  const sum = (side: 'amountIn' | 'amountOut') => paths.reduce((total, path) => total + path[side], 0n);
  const amountOut = tradeType === 'EXACT_IN' ? sum('amountOut') : asked;
  return {
    tokenIn,
    tokenOut: first.legs.at(-1)?.tokenOut ?? tokenIn,
    tradeType,
    amountIn: sum('amountIn') as Amount,
    amountOut: amountOut as Amount,
    surplus: (sum('amountOut') - amountOut) as Amount,
    legs: paths.flatMap((path) => path.legs),
    paths,
    priceImpactBps: 0 as Bps,
    gas: { units: 0n, cost: 0n as Amount },
    poolFees: [],
  };
}

function otherSide(pool: Pool, token: Address): Address {
  return pool.tokens[0] === token ? pool.tokens[1] : pool.tokens[0];
}

/** The path that pays an exact output: V3 pools exactly, V2 pairs swapped forward from the input they need. */
function pathTo(pools: readonly Pool[], tokenIn: Address, amountOut: bigint): Path {
  const tokens = pools.reduce((path, pool) => [...path, otherSide(pool, path.at(-1) ?? tokenIn)], [tokenIn]);
  const amounts = [amountOut];
  for (const [index, pool] of [...pools.entries()].toReversed()) {
    const hop = { pool, tokenIn: tokens[index] ?? tokenIn, tokenOut: tokens[index + 1] ?? tokenIn };
    const needed = exactOutput(hop, amounts[0] ?? 0n);
    assert.ok(needed, 'the pool cannot give this much');
    amounts.unshift(needed);
  }
  if (pools[0]?.kind === 'UNISWAP_V2') return pathForward(pools, tokenIn, amounts[0] ?? 0n);
  const legs = pools.map(
    (pool, index): Leg => ({
      pool,
      tokenIn: tokens[index] ?? tokenIn,
      tokenOut: tokens[index + 1] ?? tokenIn,
      amountIn: (amounts[index] ?? 0n) as Amount,
      amountOut: (amounts[index + 1] ?? 0n) as Amount,
    }),
  );
  return { legs, amountIn: (amounts[0] ?? 0n) as Amount, amountOut: amountOut as Amount };
}

function pathForward(pools: readonly Pool[], tokenIn: Address, amountIn: bigint): Path {
  const legs: Leg[] = [];
  let token = tokenIn;
  let amount = amountIn;
  for (const pool of pools) {
    const tokenOut = otherSide(pool, token);
    const amountOut = exactInput({ pool, tokenIn: token, tokenOut }, amount);
    assert.ok(amountOut, 'the pool cannot take this much');
    legs.push({
      pool,
      tokenIn: token,
      tokenOut,
      amountIn: amount as Amount,
      amountOut: amountOut as Amount,
    });
    token = tokenOut;
    amount = amountOut;
  }
  return { legs, amountIn: amountIn as Amount, amountOut: amount as Amount };
}
