import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeePips, toAddress } from '@fairway/engine';
import { NO_OVERLAP, type TrackedPool } from '../pools/trackedPool.ts';
import type { Head } from '../types.ts';
import { createMarketState } from './state.ts';

function headAt(number: bigint, hash: `0x${string}`, parentHash: `0x${string}`): Head {
  return { number, hash, parentHash, timestampSeconds: number, baseFeePerGas: 1n };
}

function poolAt(digit: string, reserve: bigint): TrackedPool {
  const addressOf = (each: string) => toAddress(`0x${each.repeat(40)}`);
  const [address, token0, token1] = [addressOf(digit), addressOf('a'), addressOf('b')];
  const reserves = { reserve0: reserve, reserve1: reserve };
  return {
    pool: {
      kind: 'UNISWAP_V2',
      source: 'v2',
      address,
      tokens: [token0, token1],
      feePips: 3000 as FeePips,
      ...reserves,
    },
    overlap: NO_OVERLAP,
  };
}

test('pools added at a head are gone when it is undone; how they were before is not known', () => {
  const state = createMarketState();
  const [bottom, added] = [poolAt('1', 5n), poolAt('2', 7n)];
  state.reset(headAt(1n, '0x01', '0x00'), [bottom]);
  state.advance('0x01', [{ head: headAt(2n, '0x02', '0x01'), logs: [], created: [] }]);
  state.add([added]);
  assert.deepEqual([...state.pools.values()], [bottom, added]);
  assert.equal(state.market.poolCount, 2);
  assert.deepEqual(state.asOf(1)?.pools, [bottom]);
  assert.equal(state.advance('0x01', [{ head: headAt(2n, '0x12', '0x01'), logs: [], created: [] }]), 1);
  assert.deepEqual([...state.pools.values()], [bottom]);
  assert.equal(state.market.poolCount, 1);
});
