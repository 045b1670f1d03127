import { type Address, type Pool, type TradeType, toAddress } from '@fairway/engine';
import type { decodeFunctionData } from '../../calls/callData.ts';
import { decodeCanonical } from '../../calls/decodeCanonical.ts';
import { MULTICALL_ABI, ROUTER_ABI } from './abi.ts';

/** A pool as a router call names it. V2 pairs have no fee in calldata. */
export type Hop = { readonly tokenIn: Address; readonly tokenOut: Address; readonly feePips?: number };

/** The meaning of one swap call, for any of the six functions. Hops are in the order of the swap. */
export type SwapCall = {
  readonly kind: 'SWAP';
  readonly poolKind: Pool['kind'];
  readonly tradeType: TradeType;
  readonly hops: readonly Hop[];
  /** The exact side: input for EXACT_IN, output for EXACT_OUT. */
  readonly exact: bigint;
  /** The other side's bound: minimum output or maximum input. */
  readonly bound: bigint;
  readonly recipient: Address;
};

/** The meaning of one inner call. An absent `payee` means whoever calls the router. */
export type RouterCall =
  | SwapCall
  | { readonly kind: 'SWEEP'; readonly token: Address; readonly minimum: bigint; readonly payee?: Address }
  | { readonly kind: 'UNWRAP'; readonly minimum: bigint; readonly payee?: Address }
  | { readonly kind: 'REFUND' }
  | { readonly kind: 'WRAP'; readonly amount: bigint }
  | { readonly kind: 'PULL'; readonly token: Address; readonly amount: bigint };

/** The router's calldata as it was read back, or what is wrong with it. */
export type ReadResult =
  | { readonly ok: true; readonly deadlineSeconds: bigint; readonly calls: readonly RouterCall[] }
  | { readonly ok: false; readonly mismatch: string };

/**
 * Reads calldata of SwapRouter02's `multicall(uint256,bytes[])` back into its meaning. Accepts only the one
 * canonical encoding of known functions: decoders, the router's among them, tolerate trailing bytes and dirty padding.
 */
export function readRouterCalls(data: `0x${string}`): ReadResult {
  const outer = decodeCanonical(MULTICALL_ABI, data);
  if (outer === undefined) return { ok: false, mismatch: 'The calldata is not a canonical multicall.' };
  const [deadlineSeconds, inner] = outer.args;
  const calls: RouterCall[] = [];
  for (const [index, callData] of inner.entries()) {
    const call = readCall(callData);
    if (call === undefined) return { ok: false, mismatch: `Call ${index} is not a known call.` };
    calls.push(call);
  }
  return { ok: true, deadlineSeconds, calls };
}

function readCall(data: `0x${string}`): RouterCall | undefined {
  const decoded = decodeCanonical(ROUTER_ABI, data);
  if (decoded === undefined) return undefined;
  switch (decoded.functionName) {
    case 'sweepToken': {
      const [token, minimum, payee] = decoded.args;
      return { kind: 'SWEEP', token: toAddress(token), minimum, ...payeeOf(payee) };
    }
    case 'unwrapWETH9': {
      const [minimum, payee] = decoded.args;
      return { kind: 'UNWRAP', minimum, ...payeeOf(payee) };
    }
    case 'refundETH':
      return { kind: 'REFUND' };
    case 'wrapETH':
      return { kind: 'WRAP', amount: decoded.args[0] };
    case 'pull':
      return { kind: 'PULL', token: toAddress(decoded.args[0]), amount: decoded.args[1] };
    default:
      return readSwapCall(decoded);
  }
}

function payeeOf(payee: string | undefined): { payee?: Address } {
  return payee === undefined ? {} : { payee: toAddress(payee) };
}

type DecodedCall = ReturnType<typeof decodeFunctionData<typeof ROUTER_ABI>>;
type DecodedSwap = Extract<
  DecodedCall,
  {
    functionName:
      | 'exactInputSingle'
      | 'exactInput'
      | 'exactOutputSingle'
      | 'exactOutput'
      | 'swapExactTokensForTokens'
      | 'swapTokensForExactTokens';
  }
>;

function readSwapCall(decoded: DecodedSwap): SwapCall | undefined {
  switch (decoded.functionName) {
    case 'swapExactTokensForTokens':
    case 'swapTokensForExactTokens': {
      const [exact, bound, path, to] = decoded.args;
      const tradeType = decoded.functionName === 'swapExactTokensForTokens' ? 'EXACT_IN' : 'EXACT_OUT';
      return swapCall('UNISWAP_V2', tradeType, hopsOfTokens(path), exact, bound, to);
    }
    case 'exactInput': {
      const [{ path, amountIn, amountOutMinimum, recipient }] = decoded.args;
      return swapCall('UNISWAP_V3', 'EXACT_IN', hopsOfPath(path), amountIn, amountOutMinimum, recipient);
    }
    case 'exactOutput': {
      const [{ path, amountOut, amountInMaximum, recipient }] = decoded.args;
      const hops = hopsOfPath(path)
        .map((hop) => ({ ...hop, tokenIn: hop.tokenOut, tokenOut: hop.tokenIn }))
        .toReversed();
      return swapCall('UNISWAP_V3', 'EXACT_OUT', hops, amountOut, amountInMaximum, recipient);
    }
    case 'exactInputSingle': {
      const [params] = decoded.args;
      // With a price limit the swap could be filled in part.
      if (params.sqrtPriceLimitX96 !== 0n) return undefined;
      const { amountIn, amountOutMinimum, recipient } = params;
      return swapCall('UNISWAP_V3', 'EXACT_IN', [hopOf(params)], amountIn, amountOutMinimum, recipient);
    }
    case 'exactOutputSingle': {
      const [params] = decoded.args;
      if (params.sqrtPriceLimitX96 !== 0n) return undefined;
      const { amountOut, amountInMaximum, recipient } = params;
      return swapCall('UNISWAP_V3', 'EXACT_OUT', [hopOf(params)], amountOut, amountInMaximum, recipient);
    }
  }
}

function swapCall(
  poolKind: SwapCall['poolKind'],
  tradeType: TradeType,
  hops: readonly Hop[],
  exact: bigint,
  bound: bigint,
  recipient: string,
): SwapCall | undefined {
  if (hops.length === 0) return undefined;
  return { kind: 'SWAP', poolKind, tradeType, hops, exact, bound, recipient: toAddress(recipient) };
}

function hopOf(params: { tokenIn: string; tokenOut: string; fee: number }): Hop {
  return {
    tokenIn: toAddress(params.tokenIn),
    tokenOut: toAddress(params.tokenOut),
    feePips: params.fee,
  };
}

function hopsOfTokens(tokens: readonly string[]): readonly Hop[] {
  return tokens
    .slice(1)
    .map((tokenOut, index) => ({ tokenIn: toAddress(tokens[index] ?? ''), tokenOut: toAddress(tokenOut) }));
}

/** A packed path holds 20 bytes of token, then 3 of fee and 20 of token for each pool. */
const PACKED_PATH = /^0x[0-9a-f]{40}(?:[0-9a-f]{46})+$/;

function hopsOfPath(path: string): readonly Hop[] {
  if (!PACKED_PATH.test(path)) return [];
  const hops: Hop[] = [];
  for (let at = 2; at + 86 <= path.length; at += 46)
    hops.push({
      tokenIn: toAddress(`0x${path.slice(at, at + 40)}`),
      feePips: Number.parseInt(path.slice(at + 40, at + 46), 16),
      tokenOut: toAddress(`0x${path.slice(at + 46, at + 86)}`),
    });
  return hops;
}
