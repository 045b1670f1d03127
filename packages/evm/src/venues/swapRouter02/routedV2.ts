import type { Address, V2Pool } from '@fairway/engine';
import { concat, getCreate2Address, keccak256 } from 'viem';
import { encodeFunctionData } from '../../calls/callData.ts';
import { ROUTER_ABI } from './abi.ts';
import type { RoutedKind, Segment } from './routedKind.ts';

/** Hash of the pair's creation code, a constant of the router (UniswapV2Library.pairFor). */
const PAIR_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';

/** V2 pairs: a call names the tokens of its path. */
export const ROUTED_V2: RoutedKind<V2Pool> = {
  poolAddress({ v2Factory }, { tokens }) {
    if (v2Factory === undefined) return undefined;
    const salt = keccak256(concat(tokens));
    return getCreate2Address({
      from: v2Factory,
      salt,
      bytecodeHash: PAIR_CODE_HASH,
    }).toLowerCase() as Address;
  },
  namedFee: () => undefined,
  // The router computes the input, and never looks at what comes out: a token that takes a fee makes it less.
  isExactOutputChecked: false,
  exactInput: (legs, { amountIn, minAmountOut, recipient }) =>
    encodeFunctionData({
      abi: ROUTER_ABI,
      functionName: 'swapExactTokensForTokens',
      args: [amountIn, minAmountOut, tokensAlong(legs), recipient],
    }),
  exactOutput: (legs, { amountOut, maxAmountIn, recipient }) =>
    encodeFunctionData({
      abi: ROUTER_ABI,
      functionName: 'swapTokensForExactTokens',
      args: [amountOut, maxAmountIn, tokensAlong(legs), recipient],
    }),
};

function tokensAlong(legs: Segment): readonly Address[] {
  return [legs[0].tokenIn, ...legs.map(({ tokenOut }) => tokenOut)];
}
