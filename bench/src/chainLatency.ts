import { type Address, toAddress } from '@fairway/engine';
import { type ChainRpc, createChainRpc, type RpcRequest } from '@fairway/evm';
import { type SandboxChain, startSandboxChain } from '@fairway/sandbox';
import { encodeFunctionData, maxUint256, parseAbi } from 'viem';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { createNumbers } from './measuring/numbers.ts';
import { followSandbox } from './sandboxFollower.ts';
import { percentile, short } from './measuring/statistics.ts';

const WARM_UP_SWAPS = 60;
const SWAPS = 400;
const TARGET_P95_MS = 15;
const RPC_TIMEOUT_MS = 5000;

const ABI = parseAbi([
  'struct Swap { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Swap swap) payable returns (uint256)',
  'function approve(address spender, uint256 amount)',
]);

/** The time of each step of one swap, in milliseconds of one clock. */
type SwapTimes = {
  readonly sentAt: number;
  /** The chain answered with the receipt. */
  readonly minedAt: number;
  /** The head of its block was pushed to the follower. */
  readonly pushedAt: number | undefined;
  /** The follower's market had the pool's new state. */
  readonly appliedAt: number;
};

/** The time from a trade on the chain to a market that includes it, with the follower in this process. */
export const chainLatency: Benchmark = {
  name: 'chain',
  title: 'From a swap on the sandbox chain to the market',
  run: async (progress) => {
    const chain = await startSandboxChain({ log: () => {} });
    try {
      await approveRouter(chain);
      const rows: Row[] = [];
      if (chain.ipcPath !== undefined) rows.push(...(await overUrl(chain, 'IPC', chain.ipcPath, progress)));
      rows.push(...(await overUrl(chain, 'WebSocket', chain.wsUrl, progress)));
      return rows;
    } finally {
      await chain.close();
    }
  },
};

async function overUrl(
  chain: SandboxChain,
  transport: 'IPC' | 'WebSocket',
  url: string,
  progress: Progress,
): Promise<Row[]> {
  progress(`${SWAPS} swaps over ${transport}`);
  const traders = createChainRpc([url], RPC_TIMEOUT_MS);
  const followed = createChainRpc([url], RPC_TIMEOUT_MS);
  try {
    const times = await tradeAndWatch(chain, traders.request, followed);
    const sendToMarket = times.map(({ sentAt, appliedAt }) => appliedAt - sentAt);
    const pushToMarket = times.flatMap(({ pushedAt, appliedAt }) =>
      pushedAt === undefined ? [] : [appliedAt - pushedAt],
    );
    const sendToReceipt = times.map(({ sentAt, minedAt }) => minedAt - sentAt);
    const unpushed = times.length - pushToMarket.length;
    return [
      {
        what: `${transport}: swap sent to market`,
        ...spread(sendToMarket),
        ...(transport === 'IPC'
          ? { target: atMost(percentile(sendToMarket, 0.95), TARGET_P95_MS, 'ms p95') }
          : {}),
      },
      { what: `${transport}: swap sent to its receipt, the chain's own part`, ...spread(sendToReceipt) },
      {
        what: `${transport}: head pushed to market`,
        ...spread(pushToMarket),
        ...(unpushed === 0 ? {} : { note: `${unpushed} of ${times.length} were seen by polling first` }),
      },
    ];
  } finally {
    traders.close();
    followed.close();
  }
}

function spread(timesMs: readonly number[]): Pick<Row, 'measured' | 'note'> {
  const at = (share: number) => short(percentile(timesMs, share));
  return {
    measured: `p95 ${at(0.95)} ms`,
    note: `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, ${timesMs.length} swaps`,
  };
}

/** Sends swaps one after the other and waits for each until the market has it. */
async function tradeAndWatch(
  chain: SandboxChain,
  request: RpcRequest,
  followed: ChainRpc,
): Promise<SwapTimes[]> {
  const pushes = new Map<string, number>();
  const applied = new Map<string, number>();
  const onHead = { applied: () => {} };
  const rpc: ChainRpc = {
    ...followed,
    subscribeHeads: (tell, onEnd) =>
      followed.subscribeHeads((header) => {
        pushes.set((header as { hash: string }).hash, performance.now());
        tell(header);
      }, onEnd),
  };
  const follower = await followSandbox(chain, rpc, (event) => {
    if (event.type !== 'HEAD') return;
    applied.set(event.head.hash, performance.now());
    onHead.applied();
  });
  try {
    const send = createSwapSender(chain, request);
    const times: SwapTimes[] = [];
    for (let turn = 0; turn < WARM_UP_SWAPS + SWAPS; turn += 1) {
      const sentAt = performance.now();
      const { blockHash, pool } = await send(turn);
      const minedAt = performance.now();
      while (!applied.has(blockHash)) {
        const next = Promise.withResolvers<void>();
        onHead.applied = next.resolve;
        await next.promise;
      }
      if (follower.market.get(pool) === undefined) throw new Error(`The market has lost ${pool}`);
      if (turn < WARM_UP_SWAPS) continue;
      times.push({
        sentAt,
        minedAt,
        pushedAt: pushes.get(blockHash),
        appliedAt: applied.get(blockHash) ?? Number.NaN,
      });
    }
    return times;
  } finally {
    await follower.close();
  }
}

/** Approves the trader's tokens for the router; some tokens refuse a second approval. */
async function approveRouter(chain: SandboxChain): Promise<void> {
  const rpc = createChainRpc([chain.rpcUrl], RPC_TIMEOUT_MS);
  const args = [chain.contracts.swapRouter02, maxUint256] as const;
  for (const { address } of chain.tokens) {
    await transact(
      chain,
      rpc.request,
      address,
      encodeFunctionData({ abi: ABI, functionName: 'approve', args }),
    );
  }
  rpc.close();
}

/** Sends the trader's transaction and waits for its receipt; resolves to its block's hash. */
async function transact(chain: SandboxChain, request: RpcRequest, to: string, data: string): Promise<string> {
  const transaction = { from: chain.accounts[0]?.address, to, data, gas: '0x989680' };
  const receipt = await request({ method: 'eth_sendTransactionSync', params: [transaction] });
  const { status, blockHash } = receipt as { status: string; blockHash: string };
  if (status !== '0x1') throw new Error('A transaction of the benchmark was reverted');
  return blockHash;
}

type SendSwap = (turn: number) => Promise<{ readonly blockHash: string; readonly pool: Address }>;

/** Makes the sender of swaps through the V3 pools in turn, there and back, of about a thousandth of a token. */
function createSwapSender(chain: SandboxChain, request: RpcRequest): SendSwap {
  const trader = chain.accounts[0]?.address;
  const pools = chain.pools.filter(({ kind }) => kind === 'V3');
  const decimalsOf = new Map(chain.tokens.map(({ address, decimals }) => [address, decimals]));
  const numbers = createNumbers(11);
  return async (turn) => {
    const pool = pools[(turn >> 1) % pools.length];
    if (pool === undefined || trader === undefined) throw new Error('The sandbox has no pool or no account');
    const [tokenIn, tokenOut] = turn % 2 === 0 ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
    const swap = {
      ...{ tokenIn, tokenOut, fee: pool.fee, recipient: trader },
      amountIn: 10n ** BigInt((decimalsOf.get(tokenIn) ?? 18) - 3) + BigInt(numbers.below(1000)),
      ...{ amountOutMinimum: 0n, sqrtPriceLimitX96: 0n },
    };
    const data = encodeFunctionData({ abi: ABI, functionName: 'exactInputSingle', args: [swap] });
    return {
      blockHash: await transact(chain, request, chain.contracts.swapRouter02, data),
      pool: toAddress(pool.address),
    };
  };
}
