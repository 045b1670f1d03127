import { encodeFunctionData, maxUint256, parseAbi } from 'viem';
import type { TestChain } from './chain.ts';
import type { Random } from './random.ts';

const ABI = parseAbi([
  'struct SwapParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'struct DecreaseParams { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }',
  'function exactInputSingle(SwapParams params) payable returns (uint256)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)',
  'function mint(MintParams params) payable returns (uint256, uint128, uint256, uint256)',
  'function decreaseLiquidity(DecreaseParams params) payable returns (uint256, uint256)',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)',
  'function createPair(address tokenA, address tokenB) returns (address)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
]);
const SPACINGS = new Map([
  [100, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
]);
const NO_MINIMUM = { amount0Min: 0n, amount1Min: 0n, deadline: 4_000_000_000n };

/** Random trading against a chain's pools, as many unrelated people would cause it. */
export type Traffic = {
  /** Sends one random transaction: a swap, liquidity added or taken, a new pool. False when it was reverted. */
  trade(): Promise<boolean>;
};

/** Makes the traffic of one account, which trades in every pool. */
export async function createTraffic(chain: TestChain, random: Random): Promise<Traffic> {
  const trader: Trader = { chain, random, address: random.pick(chain.accounts).address };
  for (const { address } of chain.tokens) {
    for (const spender of [chain.contracts.swapRouter02, chain.contracts.positionManager]) {
      const data = encodeFunctionData({ abi: ABI, functionName: 'approve', args: [spender, maxUint256] });
      await chain.send(trader.address, address, data);
    }
  }
  return {
    trade() {
      const dice = random.integer(1, 100);
      if (dice <= 60) return swap(trader);
      if (dice <= 80) return addLiquidity(trader);
      return dice <= 95 ? takeLiquidity(trader) : createPool(trader);
    },
  };
}

type Trader = { readonly chain: TestChain; readonly random: Random; readonly address: `0x${string}` };

function unitOf({ tokens }: TestChain, token: string): bigint {
  return 10n ** BigInt(tokens.find(({ address }) => address === token)?.decimals ?? 18);
}

function swap({ chain, random, address }: Trader): Promise<boolean> {
  const pool = random.pick(chain.pools);
  const [tokenIn, tokenOut] = random.pick([
    [pool.token0, pool.token1],
    [pool.token1, pool.token0],
  ] as const);
  const portion = BigInt(random.pick([10, 1000, 100_000]));
  const amountIn = (unitOf(chain, tokenIn) * BigInt(random.integer(1, 1_000_000))) / portion;
  const data = SWAP_CALLS[pool.kind](tokenIn, tokenOut, pool.fee, address, amountIn);
  return chain.send(address, chain.contracts.swapRouter02, data);
}

type Hex = `0x${string}`;
type SwapCall = (tokenIn: Hex, tokenOut: Hex, fee: number, recipient: Hex, amountIn: bigint) => Hex;

/** The router's call for a swap through a pool, by the pool's kind. */
const SWAP_CALLS: Readonly<Record<TestChain['pools'][number]['kind'], SwapCall>> = {
  V2: (tokenIn, tokenOut, _, recipient, amountIn) =>
    encodeFunctionData({
      abi: ABI,
      functionName: 'swapExactTokensForTokens',
      args: [amountIn, 0n, [tokenIn, tokenOut], recipient],
    }),
  V3: (tokenIn, tokenOut, fee, recipient, amountIn) => {
    const swap = { tokenIn, tokenOut, fee, recipient, amountIn };
    return encodeFunctionData({
      abi: ABI,
      functionName: 'exactInputSingle',
      args: [{ ...swap, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }],
    });
  },
};

function addLiquidity({ chain, random, address }: Trader): Promise<boolean> {
  const { token0, token1, fee } = random.pick(chain.pools.filter(({ kind }) => kind === 'V3'));
  const spacing = SPACINGS.get(fee) ?? 60;
  const lower = random.integer(-4000, 3999);
  const range = { tickLower: lower * spacing, tickUpper: random.integer(lower + 1, 4000) * spacing };
  const amounts = {
    amount0Desired: unitOf(chain, token0) * BigInt(random.integer(1, 100)),
    amount1Desired: unitOf(chain, token1) * BigInt(random.integer(1, 100)),
    ...NO_MINIMUM,
  };
  const params = { token0, token1, fee, ...range, ...amounts, recipient: address };
  const data = encodeFunctionData({ abi: ABI, functionName: 'mint', args: [params] });
  return chain.send(address, chain.contracts.positionManager, data);
}

/** Takes all of a position's liquidity, so that its ticks may be removed, or a third, so that they stay. */
async function takeLiquidity(trader: Trader): Promise<boolean> {
  const { chain, random, address } = trader;
  const position = await positionOf(trader);
  if (position === undefined) return addLiquidity(trader);
  const liquidity = random.pick([position.liquidity, position.liquidity / 3n]);
  const params = { tokenId: position.tokenId, liquidity, ...NO_MINIMUM };
  const data = encodeFunctionData({ abi: ABI, functionName: 'decreaseLiquidity', args: [params] });
  return chain.send(address, chain.contracts.positionManager, data);
}

async function createPool({ chain, random, address }: Trader): Promise<boolean> {
  const [a, b] = [random.pick(chain.tokens).address, random.pick(chain.tokens).address];
  if (a === b) return false;
  const [token0, token1] = a.toLowerCase() < b.toLowerCase() ? [a, b] : [b, a];
  if (random.integer(0, 1) === 0) {
    const data = encodeFunctionData({ abi: ABI, functionName: 'createPair', args: [token0, token1] });
    return chain.send(address, chain.contracts.v2Factory, data);
  }
  const args = [token0, token1, random.pick([...SPACINGS.keys()]), 2n ** 96n] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'createAndInitializePoolIfNecessary', args });
  return chain.send(address, chain.contracts.positionManager, data);
}

const POSITION_ABI = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function tokenOfOwnerByIndex(address, uint256) view returns (uint256)',
  'function positions(uint256) view returns (uint96, address, address, address, uint24, int24, int24, uint128)',
]);

/** One of the trader's positions with its liquidity. */
async function positionOf({ chain, random, address }: Trader) {
  async function ask(data: `0x${string}`): Promise<`0x${string}`> {
    return chain.rpc('eth_call', [{ to: chain.contracts.positionManager, data }, 'latest']);
  }
  const balance = encodeFunctionData({ abi: POSITION_ABI, functionName: 'balanceOf', args: [address] });
  const count = Number(await ask(balance));
  if (count === 0) return undefined;
  const index = BigInt(random.integer(0, count - 1));
  const byIndex = encodeFunctionData({
    abi: POSITION_ABI,
    functionName: 'tokenOfOwnerByIndex',
    args: [address, index],
  });
  const tokenId = BigInt(await ask(byIndex));
  const position = await ask(
    encodeFunctionData({ abi: POSITION_ABI, functionName: 'positions', args: [tokenId] }),
  );
  // The eighth of the words that `positions` returns.
  return { tokenId, liquidity: BigInt(`0x${position.slice(2 + 7 * 64, 2 + 8 * 64)}`) };
}
