import { TOKEN_CALLS } from '../tokenCalls.ts';
import type { FeePips } from '@fairway/engine';
import { decodeEventLog, parseAbi, toEventSelector } from 'viem';
import { encodeRead } from '../../rpc/multicallCoding.ts';
import type { FactoryOf, IdentityOf } from '../identity.ts';
import type { PoolDiscovery } from '../poolKind.ts';

/** A factory of Uniswap V3 or a fork. */
export type V3Factory = FactoryOf<'UNISWAP_V3'> & {
  /** The fee tiers to look for. */
  readonly feeTiers: readonly FeePips[];
};

/** What never changes about a V3 pool. */
export type V3Identity = IdentityOf<'UNISWAP_V3'> & { readonly tickSpacing: number };

const FACTORY_ABI = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
]);
/** Selector of `getPool(address,address,uint24)`. */
const GET_POOL = '0x1698ee82';
/** Selectors of `fee()` and `tickSpacing()`. */
const IDENTITY_CALLS = ['0xddca3f43', '0xd0c93a7c'] as const;

/** How V3 pools are found. */
export const discovery: PoolDiscovery<V3Factory, V3Identity> = {
  poolCalls: ({ feeTiers }, tokenA, tokenB) => feeTiers.map((fee) => poolCall(tokenA, tokenB, fee)),
  poolCall: ({ tokens, feePips }) => poolCall(...tokens, feePips),
  tokenCalls: TOKEN_CALLS,
  identityCalls: IDENTITY_CALLS,
  identify({ kind }, pool, [fee, tickSpacing]) {
    if (fee?.length !== 66 || tickSpacing?.length !== 66) return undefined;
    return { ...pool, kind, feePips: Number(fee) as FeePips, tickSpacing: Number(tickSpacing) };
  },
  creationTopic: toEventSelector(FACTORY_ABI[0]),
  createdPool(log) {
    const topics = log.topics as [`0x${string}`, ...`0x${string}`[]];
    return decodeEventLog({ abi: FACTORY_ABI, topics, data: log.data, strict: true }).args.pool;
  },
};

function poolCall(tokenA: `0x${string}`, tokenB: `0x${string}`, fee: FeePips): `0x${string}` {
  return encodeRead(GET_POOL, tokenA, tokenB, `0x${fee.toString(16)}`);
}
