import type { Address, Leg, V3Pool } from '@fairway/engine';
import { concat, encodeAbiParameters, encodePacked, getCreate2Address, keccak256 } from 'viem';
import { encodeFunctionData } from '../../calls/callData.ts';
import { ROUTER_ABI } from './abi.ts';
import type { RoutedKind, Segment } from './routedKind.ts';

/** Hash of the pool's creation code, a constant of the router (PoolAddress.POOL_INIT_CODE_HASH). */
const POOL_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';

/** V3 pools: a call names tokens and fees. */
export const ROUTED_V3: RoutedKind<V3Pool> = {
  poolAddress({ v3Factory }, { tokens, feePips }) {
    const key = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const;
    return getCreate2Address({
      from: v3Factory,
      salt: keccak256(encodeAbiParameters(key, [...tokens, feePips])),
      bytecodeHash: POOL_CODE_HASH,
    }).toLowerCase() as Address;
  },
  namedFee: ({ feePips }) => feePips,
  // By what the pool pays. A fee that the output itself takes on its way is seen by nobody.
  isExactOutputChecked: true,
  exactInput(legs, { amountIn, minAmountOut: amountOutMinimum, recipient }) {
    const terms = { recipient, amountIn, amountOutMinimum };
    return legs.length > 1
      ? encodeFunctionData({
          abi: ROUTER_ABI,
          functionName: 'exactInput',
          args: [{ path: packPath(legs), ...terms }],
        })
      : encodeFunctionData({
          abi: ROUTER_ABI,
          functionName: 'exactInputSingle',
          args: [{ ...onlyPool(legs), ...terms }],
        });
  },
  exactOutput(legs, { amountOut, maxAmountIn: amountInMaximum, recipient }) {
    const terms = { recipient, amountOut, amountInMaximum };
    return legs.length > 1
      ? encodeFunctionData({
          abi: ROUTER_ABI,
          functionName: 'exactOutput',
          args: [{ path: packPath(reversed(legs)), ...terms }],
        })
      : encodeFunctionData({
          abi: ROUTER_ABI,
          functionName: 'exactOutputSingle',
          args: [{ ...onlyPool(legs), ...terms }],
        });
  },
};

function onlyPool([{ tokenIn, tokenOut, pool }]: Segment) {
  return { tokenIn, tokenOut, fee: pool.feePips, sqrtPriceLimitX96: 0n };
}

/** The packed path of SwapRouter02's V3 functions: token, fee, token, fee, token (its Path library). */
function packPath(legs: readonly Leg[]): `0x${string}` {
  return concat([
    ...legs.slice(0, 1).map(({ tokenIn }) => tokenIn),
    ...legs.map((leg) => encodePacked(['uint24', 'address'], [leg.pool.feePips, leg.tokenOut])),
  ]);
}

/** The router walks an exact output from its end. */
function reversed(legs: Segment): readonly Leg[] {
  return legs.toReversed().map((leg) => ({ ...leg, tokenIn: leg.tokenOut, tokenOut: leg.tokenIn }));
}
