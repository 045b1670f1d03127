import { concatHex, type Hex, keccak256, toRlp } from 'viem';
import { about, type Lie, type NodeObject, quantity, type RpcCall, type Scene, truthOf } from './lie.ts';

/** Blocks that a stale node is behind. */
const STALE_BLOCKS = 5n;
/** Blocks that an invented head is ahead. */
const FUTURE_BLOCKS = 1000n;
const DAY_SECONDS = 86_400n;

const HEADERS = ['eth_getBlockByNumber', 'eth_getBlockByHash'];

/** The latest block is always a few blocks old. */
export const staleHead: Lie = about(
  ['eth_getBlockByNumber', 'eth_blockNumber'],
  async (result, call, scene) => {
    if (call.method === 'eth_blockNumber') return quantity(BigInt(String(result)) - STALE_BLOCKS);
    return isLatest(call) ? headerBelow(scene, result as NodeObject) : undefined;
  },
);

async function headerBelow(scene: Scene, { number }: NodeObject): Promise<unknown> {
  return truthOf(scene, 'eth_getBlockByNumber', [quantity(BigInt(String(number)) - STALE_BLOCKS), false]);
}

/** The latest block stays the one of the moment when the lie began. */
export const frozenHead: Lie = about(['eth_getBlockByNumber', 'eth_blockNumber'], (_, call, scene) => {
  if (call.method === 'eth_blockNumber') return scene.firstHead['number'];
  return isLatest(call) ? scene.firstHead : undefined;
});

/** A block far above the chain, a day ahead of every clock. The blocks below it are the chain's. */
export const futureHead: Lie = about(['eth_getBlockByNumber'], (result, call) => {
  if (!isLatest(call)) return undefined;
  const { number, timestamp } = result as Readonly<Record<string, string>>;
  const place = { number: quantity(BigInt(number ?? 0) + FUTURE_BLOCKS), hash: `0x${'f7'.repeat(32)}` };
  return { ...(result as object), ...place, timestamp: quantity(BigInt(timestamp ?? 0) + DAY_SECONDS) };
});

/** A block far above the chain; requests for a block by its number are then never answered. */
export const futureHeadThenSilence: Lie = async (call, scene) => {
  const asksNumber = call.method === 'eth_getBlockByNumber' && !isLatest(call);
  return asksNumber ? { fault: 'HANG' } : futureHead(call, scene);
};

/** Every header has twice the base fee. Its hash is the block's. */
export const wrongBaseFee: Lie = about(HEADERS, (result) => {
  const { baseFeePerGas } = result as Readonly<Record<string, string>>;
  return { ...(result as object), baseFeePerGas: quantity(2n * BigInt(baseFeePerGas ?? 0) + 1n) };
});

/** Every header is of a minute later. Its hash is the block's. */
export const wrongTimestamp: Lie = about(HEADERS, (result) => {
  const { timestamp } = result as Readonly<Record<string, string>>;
  return { ...(result as object), timestamp: quantity(BigInt(timestamp ?? 0) + 60n) };
});

/** Members of headers that no reader needs are wrong, so that their hash cannot be computed. */
export const unreadMembers: Lie = about(HEADERS, (result) => ({
  ...(result as object),
  stateRoot: `0x${'5a'.repeat(32)}`,
  extraData: '0x',
}));

/** A header with members of some megabytes, which take seconds to hash or to write as decimal numbers. */
export const hugeHeader: Lie = about(HEADERS, (result) => ({
  ...(result as object),
  extraData: `0x${'ab'.repeat(2_000_000)}`,
  number: `0x${'f'.repeat(4_000_000)}`,
}));

/**
 * A block on top of the chain's latest block, whose hash is computed as a real one and whose bloom allows every log.
 * All that is asked about it is answered for the block below, so that it is consistent in itself.
 */
export const sealedBlock: Lie = async (call, scene) => {
  const truth = await scene.ask({ method: 'eth_getBlockByNumber', params: ['latest', false] });
  if (!('result' in truth)) return scene.ask(call);
  const parent = truth.result as Readonly<Record<string, string>>;
  const parents = remembered<string>(scene, 'parents');
  const headers = remembered<NodeObject>(scene, 'headers');
  const block = sealOn(parent);
  parents.set(block.hash, String(parent['hash']));
  headers.set(block.hash, block);
  if (call.method === 'eth_blockNumber') return { result: block.number };
  if (call.method === 'eth_getBlockByNumber' && (isLatest(call) || call.params[0] === block.number))
    return { result: block };
  const [asked] = call.params;
  if (call.method === 'eth_getBlockByHash' && headers.has(String(asked)))
    return { result: headers.get(String(asked)) };
  return scene.ask(parentsInPlace(call, parents));
};

function sealOn(parent: Readonly<Record<string, string>>) {
  const header = {
    ...parent,
    parentHash: parent['hash'],
    number: quantity(BigInt(parent['number'] ?? 0) + 1n),
    timestamp: quantity(BigInt(parent['timestamp'] ?? 0) + 1n),
    logsBloom: `0x${'ff'.repeat(256)}`,
  };
  return { ...header, hash: hashOf(header) };
}

/** The request about the blocks that exist: an invented block's hash becomes its parent's. */
function parentsInPlace(call: RpcCall, parents: ReadonlyMap<string, string>): RpcCall {
  const text = JSON.stringify(call.params).replace(/0x[0-9a-f]{64}/g, (hash) => parents.get(hash) ?? hash);
  return { ...call, params: JSON.parse(text) as unknown[] };
}

function remembered<T>({ memory }: Scene, name: string): Map<string, T> {
  const known = memory.get(name) ?? new Map();
  memory.set(name, known);
  return known as Map<string, T>;
}

const BYTES = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
];
const NUMBERS = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'];
const LATER = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
];
const LATER_NUMBERS = new Set(['baseFeePerGas', 'blobGasUsed', 'excessBlobGas']);

/** The hash of a header (Yellow Paper 4.3), written apart from the product's own. */
function hashOf(header: NodeObject): Hex {
  const bytes = (name: string) => String(header[name]) as Hex;
  const number = (name: string) => shortest(BigInt(String(header[name])));
  const later = LATER.filter((name) => header[name] !== undefined && header[name] !== null);
  return keccak256(
    toRlp([
      ...BYTES.map(bytes),
      ...NUMBERS.map(number),
      ...['extraData', 'mixHash', 'nonce'].map(bytes),
      ...later.map((name) => (LATER_NUMBERS.has(name) ? number(name) : bytes(name))),
    ]),
  );
}

function shortest(value: bigint): Hex {
  const digits = value === 0n ? '' : value.toString(16);
  return concatHex([`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`]);
}

/** Whether a request asks for the latest block. */
function isLatest({ params: [block] }: RpcCall): boolean {
  return block === 'latest';
}
