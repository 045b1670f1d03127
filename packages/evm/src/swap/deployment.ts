import type { Address, Leg, Pool } from '@fairway/engine';
import { concat, encodeAbiParameters, encodePacked, getCreate2Address, keccak256 } from 'viem';

/** One chain's SwapRouter02 and the contracts it was built with; lower case. */
export type RouterDeployment = {
  readonly router: Address;
  readonly wrappedNative: Address;
  /** The only factory whose pairs the router trades; absent where the router has none. */
  readonly v2Factory?: Address;
  /** The only factory whose pools the router trades. */
  readonly v3Factory: Address;
};

/** Hash of the pair's creation code, a constant of the router (UniswapV2Library.pairFor). */
const V2_PAIR_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';

/** Hash of the pool's creation code, a constant of the router (PoolAddress.POOL_INIT_CODE_HASH). */
const V3_POOL_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';

/**
 * The address the router would trade at for a pool's tokens and fee, or undefined where it has no such factory.
 * The router is told tokens and fees, never addresses: a pool of another factory would be silently replaced.
 */
export function routedPoolAddress(deployment: RouterDeployment, pool: Pool): Address | undefined {
  if (pool.kind === 'UNISWAP_V2') {
    if (deployment.v2Factory === undefined) return undefined;
    return getCreate2Address({
      from: deployment.v2Factory,
      salt: keccak256(concat([pool.token0, pool.token1])),
      bytecodeHash: V2_PAIR_CODE_HASH,
    }).toLowerCase() as Address;
  }
  return getCreate2Address({
    from: deployment.v3Factory,
    salt: keccak256(
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }],
        [pool.token0, pool.token1, pool.feePips],
      ),
    ),
    bytecodeHash: V3_POOL_CODE_HASH,
  }).toLowerCase() as Address;
}

/** The packed path of SwapRouter02's V3 functions: token, fee, token, fee, token (its Path library). */
export function packV3Path(legs: readonly Leg[]): `0x${string}` {
  const [first] = legs;
  if (first === undefined) throw new Error('A path needs at least one leg.');
  return concat([
    first.tokenIn,
    ...legs.map((leg) => encodePacked(['uint24', 'address'], [leg.pool.feePips, leg.tokenOut])),
  ]);
}
