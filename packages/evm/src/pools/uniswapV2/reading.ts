import type { V2Pool } from '@fairway/engine';
import { encodeFunctionData, parseAbi } from 'viem';
import type { PoolReading } from '../poolKind.ts';
import { NO_OVERLAP } from '../trackedPool.ts';
import type { V2Identity } from './discovery.ts';

const PAIR_ABI = parseAbi([
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
]);

/** How the reserves of V2 pairs are read. */
export const reading: PoolReading<V2Pool, V2Identity> = {
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
  isTradable: ({ reserve0, reserve1 }) => reserve0 > 0n && reserve1 > 0n,
  stateText: ({ pool: { reserve0, reserve1 } }) => `${reserve0}/${reserve1}`,
};
