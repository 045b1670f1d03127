import type { V2Pool } from '@fairway/engine';
import { decodeEventLog, encodeFunctionData, parseAbi, toEventSelector } from 'viem';
import { encodeRead } from '../rpc/multicallCoding.ts';
import { poolEvents } from './eventLayout.ts';
import type { V2Factory, V2Identity } from './factory.ts';
import type { PoolKind } from './poolKind.ts';
import { NO_OVERLAP } from './trackedPool.ts';

const FACTORY_ABI = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 pairCount)',
]);
/** Selector of `getPair(address,address)`. */
const GET_PAIR = '0xe6a43905';
const PAIR_ABI = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
]);
const EVENTS_ABI = parseAbi(['event Sync(uint112 reserve0, uint112 reserve1)']);

/** Constant product pairs: Uniswap V2 and forks. */
export const UNISWAP_V2: PoolKind<V2Pool, V2Factory, V2Identity> = {
  poolCalls: (_, tokenA, tokenB) => [pairCall(tokenA, tokenB)],
  poolCall: ({ token0, token1 }) => pairCall(token0, token1),
  identityCalls: [],
  identify: ({ kind, feePips }, pool) => ({ ...pool, kind, feePips }),
  creationTopic: toEventSelector(FACTORY_ABI[0]),
  createdPool(log) {
    const topics = log.topics as [`0x${string}`, ...`0x${string}`[]];
    return decodeEventLog({ abi: FACTORY_ABI, topics, data: log.data, strict: true }).args.pair;
  },
  poolsPerRequest: 500,
  async readPools({ read }, identities) {
    const callData = encodeFunctionData({ abi: PAIR_ABI, functionName: 'getReserves' });
    const answers = await read(identities.map(({ address }) => ({ target: address, callData })));
    return identities.map((identity, index) => {
      const reserves = /^0x([0-9a-f]{64})([0-9a-f]{64})[0-9a-f]{64}$/i.exec(answers[index] ?? '');
      if (reserves === null) return undefined;
      const [reserve0, reserve1] = [BigInt(`0x${reserves[1]}`), BigInt(`0x${reserves[2]}`)];
      return { pool: { ...identity, reserve0, reserve1 }, overlap: NO_OVERLAP };
    });
  },
  events: poolEvents<V2Pool, typeof EVENTS_ABI>(EVENTS_ABI, {
    Sync: ({ pool, overlap }, { data }) => ({
      pool: { ...pool, reserve0: data(0), reserve1: data(1) },
      overlap,
    }),
  }),
  takesWhatArrives: true,
  isTradable: ({ reserve0, reserve1 }) => reserve0 > 0n && reserve1 > 0n,
  stateText: ({ pool: { reserve0, reserve1 } }) => `${reserve0}/${reserve1}`,
};

function pairCall(tokenA: `0x${string}`, tokenB: `0x${string}`): `0x${string}` {
  return encodeRead(GET_PAIR, tokenA, tokenB);
}
