import { type Address, toAddress } from '@fairway/engine';
import { bytesToHex, hexToBytes } from 'viem';
import { type ByteReader, createByteReader } from '../bytes/byteReader.ts';
import { createByteWriter } from '../bytes/byteWriter.ts';
import { type Factory, kindOf } from '../pools/poolKinds.ts';
import type { TrackedPool } from '../pools/trackedPool.ts';

// Little-endian. The layout is in the order written below: magic, format, chain id, block number, block hash, and
// whether it is whole. Then follow factories as JSON, addresses of tokens, count of pools, and pools. Numbers of up
// to 128 bits take two 64-bit words. Fixed widths make the file larger, but simple and fast to read, and a start
// waits for the reading.

/** Everything a market consists of at one block, and what it belongs to. */
export type MarketSnapshot = {
  readonly chainId: number;
  readonly factories: readonly Factory[];
  readonly blockNumber: bigint;
  readonly blockHash: string;
  /** Whether all pools are in it; else they were still being read. */
  readonly isWhole: boolean;
  /** The tokens whose pools are in it; others were not looked for. */
  readonly tokens: readonly Address[];
  readonly pools: readonly TrackedPool[];
};

/**
 * A snapshot whose pools are still to be read. They are read in batches, with time for other work between two of
 * them.
 */
export type OpenedSnapshot = Omit<MarketSnapshot, 'pools'> & {
  readonly poolCount: number;
  /** Gives the pools in batches. @throws for bytes that are not pools. */
  readPools(): Generator<readonly TrackedPool[], void>;
};

/** The result of reading a snapshot's beginning. `detail` continues a sentence about the snapshot: "it …". */
export type OpenResult =
  | { readonly ok: true; readonly snapshot: OpenedSnapshot }
  | { readonly ok: false; readonly detail: string };

const magic = new TextEncoder().encode('FAIRWAYM');
const FORMAT = 1;
/** Pools read without a break, which takes some milliseconds. */
const BATCH_POOLS = 200;

/**
 * Writes a snapshot piece by piece, so that other work can be done between two pieces.
 *
 * @example
 * ```ts
 * import { encodeSnapshot, type MarketSnapshot, type SnapshotStore } from '@fairway/evm';
 *
 * declare const snapshot: MarketSnapshot;
 * declare const store: SnapshotStore;
 *
 * await store.save(encodeSnapshot(snapshot));
 * ```
 */
export function* encodeSnapshot(snapshot: MarketSnapshot): Generator<Uint8Array, void> {
  const { factories, tokens, pools } = snapshot;
  const writer = createByteWriter();
  writer.bytes(magic);
  writer.uint32(FORMAT);
  writer.int128(BigInt(snapshot.chainId));
  writer.int128(snapshot.blockNumber);
  writer.bytes(hexToBytes(snapshot.blockHash as `0x${string}`));
  writer.uint32(Number(snapshot.isWhole));
  const description = new TextEncoder().encode(describeFactories(factories));
  writer.uint32(description.length);
  writer.bytes(description);
  writer.uint32(tokens.length);
  for (const token of tokens) writer.bytes(hexToBytes(token));
  writer.uint32(pools.length);
  const factoryIndexes = new Map(factories.map(({ name }, index) => [name, index]));
  const tokenIndexes = new Map(tokens.map((token, index) => [token, index]));
  for (const tracked of pools) {
    const { pool } = tracked;
    writer.uint32(indexOf(factoryIndexes, pool.source));
    writer.bytes(hexToBytes(pool.address));
    for (const token of pool.tokens) writer.uint32(indexOf(tokenIndexes, token));
    kindOf(pool).snapshot.write(writer, tracked);
    yield* writer.fullPieces();
  }
  yield* writer.rest();
}

function indexOf<Key>(indexes: ReadonlyMap<Key, number>, key: Key): number {
  const index = indexes.get(key);
  if (index === undefined) throw new Error(`A pool has ${String(key)}, which its market does not know`);
  return index;
}

/** The factories as a text in the snapshot: equal texts mean that the same pools would be found. */
function describeFactories(factories: readonly Factory[]): string {
  return JSON.stringify(
    factories.map((factory) => {
      const { kind, name, address } = factory;
      return { kind, name, address, fees: kindOf(factory).snapshot.fees(factory) };
    }),
  );
}

/** Reads the beginning of a snapshot, which must be of this chain and made with these factories. */
export function openSnapshot(
  bytes: Uint8Array,
  expected: { readonly chainId: number; readonly factories: readonly Factory[] },
): OpenResult {
  try {
    return open(bytes, expected);
  } catch {
    return { ok: false, detail: 'it is cut off or no snapshot' };
  }
}

function open(
  bytes: Uint8Array,
  { chainId, factories }: { readonly chainId: number; readonly factories: readonly Factory[] },
): OpenResult {
  const reader = createByteReader(bytes);
  if (magic.some((byte) => reader.uint8() !== byte)) return { ok: false, detail: 'it is no snapshot' };
  if (reader.uint32() !== FORMAT) return { ok: false, detail: 'it has another format' };
  const chain = reader.uint128();
  if (chain !== BigInt(chainId)) return { ok: false, detail: `it is of chain ${chain}` };
  const blockNumber = reader.uint128();
  const blockHash = bytesToHex(reader.bytes(32));
  const isWhole = reader.uint32() === 1;
  const description = new TextDecoder().decode(reader.bytes(reader.uint32()));
  if (description !== describeFactories(factories))
    return { ok: false, detail: 'it was made with other factories than are configured now' };
  const tokens = Array.from({ length: reader.count(20) }, () => toAddress(bytesToHex(reader.bytes(20))));
  const poolCount = reader.uint32();
  const origin = { chainId, factories, blockNumber, blockHash, isWhole, tokens, poolCount };
  return { ok: true, snapshot: { ...origin, readPools: () => readPools(reader, origin) } };
}

type Origin = Pick<OpenedSnapshot, 'factories' | 'tokens' | 'poolCount'>;

function* readPools(reader: ByteReader, origin: Origin): Generator<readonly TrackedPool[], void> {
  for (let left = origin.poolCount; left > 0; left -= BATCH_POOLS) {
    yield Array.from({ length: Math.min(left, BATCH_POOLS) }, () => readPool(reader, origin));
  }
  if (!reader.isAtEnd()) throw new RangeError('More bytes than pools');
}

function readPool(reader: ByteReader, { factories, tokens }: Origin): TrackedPool {
  const factory = factories[reader.uint32()];
  const address = toAddress(bytesToHex(reader.bytes(20)));
  const [token0, token1] = [tokens[reader.uint32()], tokens[reader.uint32()]];
  if (factory === undefined || token0 === undefined || token1 === undefined)
    throw new RangeError('A pool of an unknown factory or token');
  return kindOf(factory).snapshot.read(reader, factory, {
    address,
    source: factory.name,
    tokens: [token0, token1],
  });
}
