import { TOKEN_CALLS } from '../tokenCalls.ts';
import type { FeePips } from '@fairway/engine';
import { decodeEventLog, parseAbi, toEventSelector } from 'viem';
import { encodeRead } from '../../rpc/multicallCoding.ts';
import type { FactoryOf, IdentityOf } from '../identity.ts';
import type { PoolDiscovery } from '../poolKind.ts';

/** A factory of Uniswap V2 or a fork. */
export type V2Factory = FactoryOf<'UNISWAP_V2'> & {
  /** The fee of every pair: a V2 pair has no function that returns it. */
  readonly feePips: FeePips;
};

/** What never changes about a V2 pair. */
export type V2Identity = IdentityOf<'UNISWAP_V2'>;

const FACTORY_ABI = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 pairCount)',
]);
/** Selector of `getPair(address,address)`. */
const GET_PAIR = '0xe6a43905';

/** How V2 pairs are found. */
export const discovery: PoolDiscovery<V2Factory, V2Identity> = {
  poolCalls: (_, tokenA, tokenB) => [pairCall(tokenA, tokenB)],
  poolCall: ({ tokens }) => pairCall(...tokens),
  tokenCalls: TOKEN_CALLS,
  identityCalls: [],
  identify: ({ kind, feePips }, pool) => ({ ...pool, kind, feePips }),
  creationTopic: toEventSelector(FACTORY_ABI[0]),
  createdPool(log) {
    const topics = log.topics as [`0x${string}`, ...`0x${string}`[]];
    return decodeEventLog({ abi: FACTORY_ABI, topics, data: log.data, strict: true }).args.pair;
  },
};

function pairCall(tokenA: `0x${string}`, tokenB: `0x${string}`): `0x${string}` {
  return encodeRead(GET_PAIR, tokenA, tokenB);
}
