import type { Address, V2Pool } from '@fairway/engine';
import { concat, getCreate2Address, keccak256, parseAbi } from 'viem';
import { encodeFunctionData } from './callData.ts';
import type { RoutedKind, Segment } from './routedKind.ts';
import { ROUTER_ABI } from './routerAbi.ts';

/** Hash of the pair's creation code, a constant of the router (UniswapV2Library.pairFor). */
const PAIR_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';

const PAIR_ABI = parseAbi(['function getReserves() view', 'function skim(address to)']);

/** V2 pairs: a call names the tokens of its path. */
export const ROUTED_V2: RoutedKind<V2Pool> = {
  poolAddress({ v2Factory }, { token0, token1 }) {
    if (v2Factory === undefined) return undefined;
    const salt = keccak256(concat([token0, token1]));
    return getCreate2Address({
      from: v2Factory,
      salt,
      bytecodeHash: PAIR_CODE_HASH,
    }).toLowerCase() as Address;
  },
  namedFee: () => undefined,
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
  excess: {
    recordCall: encodeFunctionData({ abi: PAIR_ABI, functionName: 'getReserves' }),
    recorded({ token0 }, token, answer) {
      const reserves = /^0x([0-9a-f]{64})([0-9a-f]{64})[0-9a-f]{64}$/i.exec(answer);
      const reserve = reserves?.[token === token0 ? 1 : 2];
      return reserve === undefined ? undefined : BigInt(`0x${reserve}`);
    },
    clearCall: (to) => encodeFunctionData({ abi: PAIR_ABI, functionName: 'skim', args: [to] }),
  },
};

function tokensAlong(legs: Segment): readonly Address[] {
  return [legs[0].tokenIn, ...legs.map(({ tokenOut }) => tokenOut)];
}
