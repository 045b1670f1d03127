import type { V2Pool } from '@fairway/engine';
import { encodeFunctionData, parseAbi } from 'viem';
import type { PoolExcess } from '../poolKind.ts';

const PAIR_ABI = parseAbi(['function getReserves() view', 'function skim(address to)']);

/** A V2 pair counts as input whatever it holds beyond its reserves. */
export const excess: PoolExcess<V2Pool> = {
  recordCall: encodeFunctionData({ abi: PAIR_ABI, functionName: 'getReserves' }),
  recorded({ tokens }, token, answer) {
    const reserves = /^0x([0-9a-f]{64})([0-9a-f]{64})[0-9a-f]{64}$/i.exec(answer);
    const reserve = reserves?.[1 + tokens.indexOf(token)];
    return reserve === undefined ? undefined : BigInt(`0x${reserve}`);
  },
  clearCall: (to) => encodeFunctionData({ abi: PAIR_ABI, functionName: 'skim', args: [to] }),
};
