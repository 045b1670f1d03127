import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeePips, type Pool, toAddress } from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem';
import type { Log } from '../rpc/blockLogs.ts';
import { NO_OVERLAP, type TrackedPool } from '../pools/trackedPool.ts';
import type { Head } from '../types.ts';
import { type BlockChange, createMarketState, type MarketState } from './state.ts';

// Blocks are added and undone at random. The state always equals that of applying the remaining blocks to the first
// one.

const syncTopics = encodeEventTopics({ abi: parseAbi(['event Sync(uint112 reserve0, uint112 reserve1)']) });
const POOL_COUNT = 3;

function poolAddress(index: number) {
  return toAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`);
}

function pairOf(index: number, reserve: bigint): TrackedPool {
  const pool: Pool = {
    kind: 'UNISWAP_V2',
    address: poolAddress(index),
    source: 'uniswap-v2',
    tokens: [poolAddress(100 + index), poolAddress(101 + index)],
    feePips: 3000 as FeePips,
    reserve0: reserve,
    reserve1: reserve,
  };
  return { pool, overlap: NO_OVERLAP };
}

function syncLog(index: number, reserve: bigint): Log {
  const data = encodeAbiParameters([{ type: 'uint112' }, { type: 'uint112' }], [reserve, reserve]);
  return { address: poolAddress(index), topics: syncTopics as `0x${string}`[], data };
}

function headAt(number: number, salt: number, parent: Head | undefined): Head {
  const hash = `0x${number.toString(16).padStart(32, '0')}${salt.toString(16).padStart(32, '0')}` as const;
  return {
    number: BigInt(number),
    hash,
    parentHash: parent?.hash ?? '0x',
    timestampSeconds: 0n,
    baseFeePerGas: 0n,
  };
}

const step = fc.record({
  undo: fc.nat(6),
  blocks: fc.array(
    fc.array(fc.record({ pool: fc.nat(POOL_COUNT), reserve: fc.bigInt(0n, 2n ** 112n - 1n) }), {
      maxLength: 4,
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

test(`after blocks are undone and applied, only those that remain count (FC_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const first = headAt(0, 0, undefined);
      const initial = Array.from({ length: POOL_COUNT }, (_, index) => pairOf(index, 1000n));
      const state = createMarketState();
      state.reset(first, initial);
      const chain: BlockChange[] = [];
      let salt = 0;
      for (const { undo, blocks } of steps) {
        chain.splice(Math.max(0, chain.length - undo));
        const ancestor = chain.at(-1)?.head ?? first;
        const added: BlockChange[] = [];
        for (const logs of blocks) {
          const parent = added.at(-1)?.head ?? ancestor;
          added.push({
            head: headAt(Number(parent.number) + 1, ++salt, parent),
            logs: logs.map(({ pool, reserve }) => syncLog(pool, reserve)),
            created: logs.length === 4 ? [pairOf(POOL_COUNT, 5n)] : [],
          });
        }
        state.advance(ancestor.hash, added);
        chain.push(...added);
      }
      const rebuilt = createMarketState();
      rebuilt.reset(first, initial);
      rebuilt.advance(first.hash, chain);
      assert.deepEqual(new Map([...state.pools].sort()), new Map([...rebuilt.pools].sort()));
      assert.deepEqual(
        [...state.market.pools()].map(({ address }) => address).sort(),
        tradable(rebuilt.pools),
      );
      assert.equal(state.head()?.hash, (chain.at(-1)?.head ?? first).hash);
      for (const depth of [0, 1, 3, 1000]) assertAsOf(state, depth, first, initial, chain);
    }),
    { seed, numRuns: 500 },
  );
});

/** Asserts that `asOf` gives the state that fewer blocks make. */
function assertAsOf(
  state: MarketState,
  depth: number,
  first: Head,
  initial: readonly TrackedPool[],
  chain: readonly BlockChange[],
): void {
  const earlier = chain.slice(0, Math.max(0, chain.length - depth));
  const rebuilt = createMarketState();
  rebuilt.reset(first, initial);
  rebuilt.advance(first.hash, earlier);
  const then = state.asOf(depth);
  assert.equal(then?.head.hash, rebuilt.head()?.hash);
  const byAddress = new Map(then?.pools.map((tracked) => [tracked.pool.address, tracked]));
  assert.deepEqual(new Map([...byAddress].sort()), new Map([...rebuilt.pools].sort()));
}

function tradable(pools: ReadonlyMap<string, TrackedPool>): string[] {
  return [...pools]
    .filter(([, { pool }]) => pool.kind === 'UNISWAP_V2' && pool.reserve0 > 0n && pool.reserve1 > 0n)
    .map(([address]) => address)
    .sort();
}

test('after a correction, a reorg cannot return to a block with the wrong pool', () => {
  const first = headAt(0, 0, undefined);
  const state = createMarketState();
  state.reset(first, [pairOf(0, 1000n)]);
  const second = headAt(1, 1, first);
  state.advance(first.hash, [{ head: second, logs: [syncLog(0, 7n)], created: [] }]);
  state.correct([pairOf(0, 8n)]);
  assert.equal(state.reaches(first.hash), false);
  assert.equal(state.reaches(second.hash), true);
  assert.deepEqual(state.pools.get(poolAddress(0)), pairOf(0, 8n));
});
