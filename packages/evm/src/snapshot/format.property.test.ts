// A snapshot is read as it was written, and bytes that are not a snapshot are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeePips, toAddress } from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import type { Factory } from '../pools/poolKinds.ts';
import { NO_OVERLAP, type TrackedPool } from '../pools/trackedPool.ts';
import { encodeSnapshot, type MarketSnapshot, openSnapshot } from './format.ts';

function addressOf(number: number) {
  return toAddress(`0x${number.toString(16).padStart(40, '0')}`);
}

const factories: Factory[] = [
  { kind: 'UNISWAP_V2', name: 'v2', address: addressOf(1), feePips: 3000 as FeePips },
  { kind: 'UNISWAP_V3', name: 'v3 – „ünïcode“', address: addressOf(2), feeTiers: [100, 500] as FeePips[] },
  { kind: 'UNISWAP_V2', name: 'fork', address: addressOf(3), feePips: 2500 as FeePips },
];
const tokens = [addressOf(10), addressOf(11), addressOf(12)];
const address = fc.bigInt(0n, 2n ** 160n - 1n).map((n) => toAddress(`0x${n.toString(16).padStart(40, '0')}`));
const token = fc.constantFrom(...tokens);
/** Numbers near every limit of a width, and any others. */
const net = fc.oneof(
  fc.bigInt(-(2n ** 127n), 2n ** 127n - 1n),
  fc.constantFrom(
    0n,
    1n,
    -1n,
    2n ** 63n,
    -(2n ** 63n),
    2n ** 64n - 1n,
    2n ** 64n,
    -(2n ** 64n),
    -(2n ** 127n),
  ),
);
const unsigned = fc.oneof(fc.bigInt(0n, 2n ** 128n - 1n), fc.constantFrom(0n, 2n ** 64n - 1n, 2n ** 64n));
const tick = fc.integer({ min: -887_272, max: 887_272 });

const v2Pool = fc
  .record({
    factory: fc.constantFrom(factories[0]!, factories[2]!),
    address,
    tokens: fc.tuple(token, token),
    reserve0: fc.bigInt(0n, 2n ** 112n - 1n),
    reserve1: fc.bigInt(0n, 2n ** 112n - 1n),
  })
  .map(({ factory, ...pool }): TrackedPool => {
    assert.ok(factory.kind === 'UNISWAP_V2');
    const { kind, name, feePips } = factory;
    return { pool: { kind, source: name, feePips, ...pool }, overlap: NO_OVERLAP };
  });

const v3Pool = fc
  .record({
    address,
    tokens: fc.tuple(token, token),
    feePips: fc.integer({ min: 0, max: 1_000_000 }),
    tickSpacing: fc.integer({ min: 1, max: 16_384 }),
    sqrtPriceX96: fc.oneof(fc.bigInt(0n, 2n ** 160n - 1n), fc.constantFrom(0n, 2n ** 95n, 2n ** 160n - 1n)),
    tick,
    liquidity: unsigned,
    rows: fc.uniqueArray(fc.record({ tick, net, overlap: unsigned }), { selector: (row) => row.tick }),
  })
  .map(({ rows, feePips, ...pool }): TrackedPool => {
    rows.sort((a, b) => a.tick - b.tick);
    const ticks = { indexes: rows.map((row) => row.tick), liquidityNet: rows.map((row) => row.net) };
    const overlap = new Map(rows.filter((row) => row.overlap > 0n).map((row) => [row.tick, row.overlap]));
    const source = factories[1]!.name;
    return {
      pool: { kind: 'UNISWAP_V3', source, feePips: feePips as FeePips, ...pool, ticks },
      overlap,
    };
  });

const parts = {
  chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  blockNumber: fc.bigInt(0n, 2n ** 64n - 1n),
  blockHash: fc.bigInt(0n, 2n ** 256n - 1n).map((n) => `0x${n.toString(16).padStart(64, '0')}`),
  isWhole: fc.boolean(),
  factories: fc.constant(factories),
  tokens: fc.constant(tokens),
  pools: fc.array(fc.oneof(v2Pool, v3Pool), { maxLength: 12 }),
};
const snapshots = fc.record(parts, { noNullPrototype: true });

function bytesOf(snapshot: MarketSnapshot): Uint8Array {
  return Buffer.concat([...encodeSnapshot(snapshot)]);
}

function readAll(bytes: Uint8Array, snapshot: Pick<MarketSnapshot, 'chainId' | 'factories'>): MarketSnapshot {
  const opened = openSnapshot(bytes, snapshot);
  assert.ok(opened.ok, opened.ok ? '' : opened.detail);
  const { readPools, poolCount, ...origin } = opened.snapshot;
  const pools = [...readPools()].flat();
  assert.equal(pools.length, poolCount);
  return { ...origin, pools };
}

test(`a snapshot is read as it was written (FC_SEED=${seed})`, () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      assert.deepEqual(readAll(bytesOf(snapshot), snapshot), snapshot);
    }),
    { seed, numRuns: 300 },
  );
});

test('pools of many pieces and batches are read as they were written', () => {
  const [pool] = fc.sample(v3Pool, { seed: 7, numRuns: 1 });
  assert.ok(pool?.pool.kind === 'UNISWAP_V3');
  const indexes = Array.from({ length: 20_000 }, (_, index) => index - 10_000);
  const ticks = { indexes, liquidityNet: indexes.map((index) => BigInt(index) << 70n) };
  const pools = Array.from({ length: 1001 }, (_, index) => {
    const own = { ...pool.pool, address: addressOf(1000 + index) };
    return index % 200 === 0 ? { ...pool, pool: { ...own, ticks } } : { ...pool, pool: own };
  });
  const blockHash = `0x${'ab'.repeat(32)}`;
  const snapshot = { chainId: 1, factories, blockNumber: 1n, blockHash, isWhole: true, tokens, pools };
  assert.ok([...encodeSnapshot(snapshot)].length > 3);
  assert.deepEqual(readAll(bytesOf(snapshot), snapshot), snapshot);
});

test(`changed or cut bytes give pools or a refusal (FC_SEED=${seed})`, () => {
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
  fc.assert(
    fc.property(
      snapshots,
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      (snapshot, changes, cut) => {
        const bytes = bytesOf(snapshot);
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
        const opened = openSnapshot(bytes.subarray(0, bytes.length - (cut % 3)), snapshot);
        if (!opened.ok) return;
        try {
          for (const batch of opened.snapshot.readPools()) assert.ok(batch.length <= 200);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      },
    ),
    { seed, numRuns: 1000 },
  );
});

test('a snapshot of another chain or configuration is refused by its beginning', () => {
  const blockHash = `0x${'ab'.repeat(32)}`;
  const snapshot = { chainId: 5, factories, blockNumber: 9n, blockHash, isWhole: true, tokens, pools: [] };
  const refusals: [Uint8Array, Partial<MarketSnapshot>, RegExp][] = [
    [bytesOf(snapshot), { chainId: 6 }, /^it is of chain 5$/],
    [bytesOf(snapshot), { factories: factories.slice(1) }, /other factories/],
    [bytesOf(snapshot), { factories: factories.toReversed() }, /other factories/],
    [bytesOf(snapshot).with(8, 2), {}, /^it has another format$/],
    [bytesOf(snapshot).with(0, 0), {}, /^it is no snapshot$/],
    [new Uint8Array(0), {}, /cut off/],
    [bytesOf(snapshot).subarray(0, 40), {}, /cut off/],
  ];
  for (const [bytes, changes, says] of refusals) {
    const opened = openSnapshot(bytes, { ...snapshot, ...changes });
    assert.ok(!opened.ok);
    assert.match(opened.detail, says);
  }
});
