import { type Address, MAX_TICK, MIN_TICK, type V3Pool } from '@fairway/engine';
import { decodeAbiParameters, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem';
import lens from '../../../artifacts/V3PoolLens.json' with { type: 'json' };
import { type BatchRead, mapInBatches } from '../../rpc/multicall.ts';
import { refusalOf } from '../../rpc/refusal.ts';
import { RpcAnswerError } from '../../rpc/errors.ts';
import type { PoolReading, PoolSource } from '../poolKind.ts';
import type { TrackedPool } from '../trackedPool.ts';
import type { V3Identity } from './discovery.ts';
import { liquidityGrossOf, trackV3Pool } from './ticks.ts';

const POOL_ABI = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)',
  'function liquidity() view returns (uint128)',
  'function tickBitmap(int16) view returns (uint256)',
  'function ticks(int24) view returns (uint128 liquidityGross, int128 liquidityNet)',
]);
const LENS_ABI = parseAbi([
  'function read(int24 tickSpacing) view returns (uint160 sqrtPriceX96, int24 tick, uint128 liquidity, int24[] ticks, uint128[] liquidityGross, int128[] liquidityNet)',
]);

/** Pool reads under way at once. */
const READ_WIDTH = 8;

/** How the price and the ticks of V3 pools are read. */
export const reading: PoolReading<V3Pool, V3Identity> = {
  poolsPerRequest: 1,
  readPools: (source, identities) =>
    mapInBatches(identities, READ_WIDTH, (identity) => readV3Pool(source, identity)),
  isTradable: ({ sqrtPriceX96, ticks }) => sqrtPriceX96 > 0n && ticks.indexes.length > 0,
  stateText(tracked) {
    const { sqrtPriceX96, tick, liquidity, ticks } = tracked.pool;
    const gross = liquidityGrossOf(tracked);
    return [sqrtPriceX96, tick, liquidity, ...ticks.indexes, ...ticks.liquidityNet, ...gross].join('/');
  },
};

/**
 * Reads a V3 pool by one eth_call. A state override puts the lens's code at the pool's own address, so that it reads
 * the pool's storage directly. Nodes without state overrides are asked word by word.
 */
async function readV3Pool(
  { request, read, blockHash }: PoolSource,
  identity: V3Identity,
): Promise<TrackedPool | undefined> {
  const data = encodeFunctionData({ abi: LENS_ABI, functionName: 'read', args: [identity.tickSpacing] });
  const override = { [identity.address]: { code: lens.deployedBytecode } };
  let answer: unknown;
  try {
    answer = await request({
      method: 'eth_call',
      params: [{ to: identity.address, data }, { blockHash }, override],
    });
  } catch (error) {
    // Where the node does not have the block, its words are not there either.
    if (!(error instanceof RpcAnswerError) || refusalOf(error) === 'BLOCK_UNKNOWN') throw error;
    return readV3PoolByWords(read, identity);
  }
  const [sqrtPriceX96, tick, liquidity, indexes, liquidityGross, liquidityNet] = decodeFunctionResult({
    abi: LENS_ABI,
    functionName: 'read',
    data: answer as `0x${string}`,
  });
  const price = { sqrtPriceX96, tick, liquidity };
  return trackV3Pool({ ...identity, ...price }, indexes, liquidityNet, liquidityGross);
}

/**
 * Reads a V3 pool through its public getters: slower, but possible on any node. Undefined where one of them does not answer:
 * without a single word of its bitmap the pool would be another one.
 */
export async function readV3PoolByWords(
  read: BatchRead,
  identity: V3Identity,
): Promise<TrackedPool | undefined> {
  const { address: target, tickSpacing } = identity;
  const [slot0, liquidity] = await read([
    { target, callData: encodeFunctionData({ abi: POOL_ABI, functionName: 'slot0' }) },
    { target, callData: encodeFunctionData({ abi: POOL_ABI, functionName: 'liquidity' }) },
  ]);
  if (slot0 === undefined || slot0 === '0x' || liquidity === undefined) return undefined;
  const [sqrtPriceX96, tick] = decodeFunctionResult({ abi: POOL_ABI, functionName: 'slot0', data: slot0 });
  const ticks = await readTicks(read, target, tickSpacing);
  if (ticks === undefined) return undefined;
  const { indexes, liquidityGross, liquidityNet } = ticks;
  const price = { sqrtPriceX96, tick, liquidity: BigInt(liquidity) };
  return trackV3Pool({ ...identity, ...price }, indexes, liquidityNet, liquidityGross);
}

type Ticks = { indexes: number[]; liquidityGross: bigint[]; liquidityNet: bigint[] };

async function readTicks(read: BatchRead, target: Address, tickSpacing: number): Promise<Ticks | undefined> {
  const lastWord = Math.floor(MAX_TICK / tickSpacing) >> 8;
  const firstWord = Math.ceil(MIN_TICK / tickSpacing) >> 8;
  const words = Array.from({ length: lastWord - firstWord + 1 }, (_, index) => firstWord + index);
  const bitmaps = await read(
    words.map((word) => ({
      target,
      callData: encodeFunctionData({ abi: POOL_ABI, functionName: 'tickBitmap', args: [word] }),
    })),
  );
  const indexes: number[] = [];
  for (const [index, word] of words.entries()) {
    const bitmap = bitmaps[index];
    if (bitmap?.length !== 66) return undefined;
    indexes.push(...ticksOfWord(word, BigInt(bitmap), tickSpacing));
  }
  const answers = await read(
    indexes.map((tick) => ({
      target,
      callData: encodeFunctionData({ abi: POOL_ABI, functionName: 'ticks', args: [tick] }),
    })),
  );
  const liquidity: (readonly [bigint, bigint])[] = [];
  for (const data of answers) {
    if (data === undefined || data === '0x') return undefined;
    // The getter returns more fields; the first two words are enough.
    liquidity.push(decodeAbiParameters([{ type: 'uint128' }, { type: 'int128' }], data));
  }
  return {
    indexes,
    liquidityGross: liquidity.map(([gross]) => gross),
    liquidityNet: liquidity.map(([, net]) => net),
  };
}

function ticksOfWord(word: number, bitmap: bigint, tickSpacing: number): number[] {
  const ticks: number[] = [];
  for (let bit = 0; bitmap !== 0n; bit++, bitmap >>= 1n) {
    if ((bitmap & 1n) === 1n) ticks.push(((word << 8) + bit) * tickSpacing);
  }
  return ticks;
}
