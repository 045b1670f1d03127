// Calls as Fairway's service gives them, encoded by another library than the one that reads them.
import type { GivenCall } from '@fairway/sdk/checks';
import { type Abi, encodeFunctionData, type Hex, maxUint256, parseAbi } from 'viem';
import { type Asked, type Known, type Policy, type Proposal, readPolicy } from '../src/index.ts';

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;

export const CHAIN_ID = 1;
export const NOW = 1_800_000_000n;
export const DEADLINE = NOW + 600n;
export const AMOUNT = 1_000_000n;
export const LEAST = 990_000n;

export const USDC = address('a');
export const DAI = address('b');
export const WETH = address('c');
/** It may be received, and not be spent. */
export const WBTC = address('d');
export const NATIVE = address('e');
export const UNKNOWN_TOKEN = address('f');
export const RELAYER = address('1');
export const PAYEE = address('2');
export const ROUTER = address('3');
export const THIEF = address('4');
/** The router as itself. */
export const ITSELF: Hex = `0x${'2'.padStart(40, '0')}`;
export const TAG = '00112233445566778899aabbccddeeff';

const abi = parseAbi([
  'function multicall(uint256 deadline, bytes[] data)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
  'function exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)',
  'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to)',
  'function sweepToken(address token, uint256 amountMinimum, address recipient)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient)',
  'function refundETH()',
  'function wrapETH(uint256 value)',
  'function pull(address token, uint256 value)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function deposit()',
  'function withdraw(uint256 amount)',
]);

/** The same, for functions that a text names. */
const ANY_ABI: Abi = abi;

/** What a function that Fairway never uses is encoded as. */
export function foreign(signature: string, args: readonly unknown[]): Hex {
  const abiOfOne: Abi = parseAbi([`function ${signature}`] as readonly string[]);
  return encodeFunctionData({
    abi: abiOfOne,
    functionName: signature.slice(0, signature.indexOf('(')),
    args,
  });
}

export type SwapParts = {
  tokenIn: Hex;
  tokenOut: Hex;
  recipient: Hex;
  amount: bigint;
  bound: bigint;
  priceLimit: bigint;
};

const SWAP: SwapParts = {
  ...{ tokenIn: USDC, tokenOut: WETH, recipient: PAYEE, amount: AMOUNT, bound: LEAST, priceLimit: 0n },
};

/** The call of a swap of an exact input. */
export function exactIn(parts: Partial<SwapParts> = {}): Hex {
  const { tokenIn, tokenOut, recipient, amount, bound, priceLimit } = { ...SWAP, ...parts };
  const ends = { tokenIn, tokenOut, fee: 3000, recipient, sqrtPriceLimitX96: priceLimit };
  const params = { ...ends, amountIn: amount, amountOutMinimum: bound };
  return encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [params] });
}

/** The call of a swap of an exact output; `bound` is the most input. */
export function exactOut(parts: Partial<SwapParts> = {}): Hex {
  const { tokenIn, tokenOut, recipient, amount, bound, priceLimit } = { ...SWAP, ...parts };
  const ends = { tokenIn, tokenOut, fee: 3000, recipient, sqrtPriceLimitX96: priceLimit };
  const params = { ...ends, amountOut: amount, amountInMaximum: bound };
  return encodeFunctionData({ abi, functionName: 'exactOutputSingle', args: [params] });
}

/** The same over V2 pairs, by way of another token. */
const ofPairs =
  (functionName: 'swapExactTokensForTokens' | 'swapTokensForExactTokens') =>
  (parts: Partial<SwapParts> = {}): Hex => {
    const { tokenIn, tokenOut, recipient, amount, bound } = { ...SWAP, ...parts };
    const path = [tokenIn, UNKNOWN_TOKEN, tokenOut];
    return encodeFunctionData({ abi, functionName, args: [amount, bound, path, recipient] });
  };
export const exactInOfPairs = ofPairs('swapExactTokensForTokens');
export const exactOutOfPairs = ofPairs('swapTokensForExactTokens');

/** A call of a token or of the router, by its name. */
export function encode(
  functionName:
    | 'sweepToken'
    | 'unwrapWETH9'
    | 'refundETH'
    | 'wrapETH'
    | 'pull'
    | 'approve'
    | 'transfer'
    | 'deposit'
    | 'withdraw',
  args: readonly unknown[] = [],
): Hex {
  return encodeFunctionData({ abi: ANY_ABI, functionName, args });
}

export function multicall(data: readonly Hex[], deadline: bigint = DEADLINE): Hex {
  return encodeFunctionData({ abi, functionName: 'multicall', args: [deadline, data] });
}

export function call(to: Hex, data: Hex, value = 0n): GivenCall {
  return { kind: 'EVM_CALL', chainId: CHAIN_ID, to, data, value: value.toString() };
}

export const approval = (spender: Hex = ROUTER, amount: bigint = AMOUNT, token: Hex = USDC): GivenCall =>
  call(token, encode('approve', [spender, amount]));

/** The call of the router with these calls inside. */
export const route = (inner: readonly Hex[], deadline?: bigint, value?: bigint): GivenCall =>
  call(ROUTER, multicall(inner, deadline), value);

export const ASKED: Asked = {
  ...{ chainId: CHAIN_ID, tradeType: 'EXACT_IN', tokenIn: USDC, tokenOut: WETH, amount: AMOUNT },
  ...{ limit: { minAmountOut: LEAST }, sender: RELAYER, recipient: PAYEE },
};

/** USDC for WETH, which goes to somebody else. */
export const honest: Proposal = { asked: ASKED, calls: [approval(), route([exactIn()])] };

const DAY = { window: 'P1D' } as const;
const read = readPolicy({
  chains: [
    {
      chainId: CHAIN_ID,
      routers: [ROUTER],
      wrappedNative: WETH,
      tokens: [
        {
          address: USDC,
          spend: {
            most: '2000000',
            limits: [
              { each: 'ALL', ...DAY, most: '5000000' },
              { each: 'RELAYER', ...DAY, most: '4000000' },
              { each: 'RECIPIENT', ...DAY, most: '3000000', mostCount: 10 },
            ],
          },
        },
        { address: NATIVE, spend: { most: '2000000' } },
        { address: WETH, spend: { most: '2000000' } },
        { address: WBTC },
      ],
      recipients: ['RELAYER', PAYEE],
      maxLifeSec: 1200,
      ...{ maxOptimalityGapBps: 20, minTrust: 'AGREED', maxSlippageBps: 100, simulation: 'DEMANDED' },
      ...{ mostGas: '500000', keepWei: '1000000000' },
      topUps: [{ from: RELAYER, to: PAYEE, belowWei: '500', amountWei: '1000000', ...DAY, mostCount: 3 }],
    },
  ],
  typedData: [{ chainId: CHAIN_ID, verifyingContract: address('5'), primaryType: 'Login' }],
});
if (!read.ok) throw new Error(read.faults.join('\n'));
export const policy: Policy = read.policy;
/** The same, where no slippage is named. */
export const policyWithoutSlippage: Policy = {
  ...policy,
  chains: policy.chains.map(({ maxSlippageBps: _, ...chain }) => chain),
};

const UNUSED = { spent: 0n, count: 0 };

/** What is known of a proposal when all is well. */
export function knownOf({
  asked: { tradeType, tokenIn, tokenOut, sender, recipient, amount },
}: Proposal): Known {
  const isExactIn = tradeType === 'EXACT_IN';
  return {
    nowSeconds: NOW,
    ...{ optimalityGapBps: 3, trust: 'AGREED', ownQuote: AMOUNT },
    changes: [
      { account: sender, token: tokenIn, change: isExactIn ? -amount : -AMOUNT },
      { account: recipient, token: tokenOut, change: amount },
    ],
    ...{ gas: 200_000n, maxFeePerGasWei: 100n, balanceWei: 10n ** 18n, usage: [UNUSED, UNUSED, UNUSED] },
  };
}

export const UNLIMITED = maxUint256;
