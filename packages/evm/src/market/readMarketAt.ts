import { type Address, createMarket, type Market } from '@fairway/engine';
import { firstLine } from '../firstLine.ts';
import { isTradable } from '../pools/poolKinds.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { headByHash, headByNumber, latestHead } from '../rpc/head.ts';
import { RpcAnswerError, RpcUnreachableError } from '../rpc/rpcErrors.ts';
import type { Head, TokenInfo } from '../types.ts';
import { type MarketSource, type ReadingProgress, readMarket } from './catchUp.ts';

/** A chain's market as it was at one block: what a follower that stands there has. */
export type MarketAtBlock = {
  readonly head: Head;
  readonly market: Market;
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
};

/** Why a market cannot be read at a block. `detail` is a node's or a decoder's own words, and no URL. */
export type BlockReadingRefusal =
  | { readonly reason: 'NODE_UNREACHABLE'; readonly detail: string }
  | { readonly reason: 'OTHER_CHAIN'; readonly chainId: bigint }
  | { readonly reason: 'BLOCK_UNKNOWN' }
  /** A reorganisation has put another block in its place. */
  | { readonly reason: 'BLOCK_NOT_CANONICAL'; readonly blockNumber: bigint; readonly instead: string }
  /** The node knows the block and has dropped the state after it. */
  | { readonly reason: 'STATE_UNAVAILABLE'; readonly blockNumber: bigint; readonly detail: string }
  /** There is no Multicall3 at the block: it is older, or the address is wrong. */
  | { readonly reason: 'NO_MULTICALL'; readonly blockNumber: bigint }
  | { readonly reason: 'NODE_REFUSES'; readonly detail: string };

/** A market at a block, or why there is none. */
export type BlockReading =
  | ({ readonly ok: true } & MarketAtBlock)
  | { readonly ok: false; readonly refusal: BlockReadingRefusal };

/** What is read: a chain and its sources. Addresses in lower case. */
type ChainSource = MarketSource & { readonly chainId: number };

/**
 * Finds and reads every pool of a chain's sources at exactly one block (by its hash, and only while it is part of the
 * chain), or at the latest one. The market is equal to a follower's that stands at this block, so the engine answers
 * alike. Nodes that fail are refusals, never errors.
 */
export async function readMarketAt(
  source: ChainSource,
  blockHash: string | undefined,
  onProgress: (head: Head, progress: ReadingProgress) => void,
): Promise<BlockReading> {
  try {
    const found = await findBlock(source, blockHash);
    if ('reason' in found) return { ok: false, refusal: found };
    const request = canonicalOnly(source.request);
    const read = await readMarket({ ...source, request }, found, (progress) => onProgress(found, progress));
    const pools = read.pools.map(({ pool }) => pool).filter(isTradable);
    const tokens = new Map(read.tokens.map((token) => [token.address, token]));
    return { ok: true, head: found, market: createMarket(pools), tokens };
  } catch (error) {
    const reason = error instanceof RpcUnreachableError ? 'NODE_UNREACHABLE' : 'NODE_REFUSES';
    return { ok: false, refusal: { reason, detail: firstLine(error) } };
  }
}

/** The block, once it is sure that its state can be read. */
async function findBlock(
  { request, chainId, multicall3 }: ChainSource,
  blockHash: string | undefined,
): Promise<Head | BlockReadingRefusal> {
  const reported = BigInt((await request({ method: 'eth_chainId' })) as string);
  if (reported !== BigInt(chainId)) return { reason: 'OTHER_CHAIN', chainId: reported };
  const head = blockHash === undefined ? await latestHead(request) : await headByHash(request, blockHash);
  if (head === undefined) return { reason: 'BLOCK_UNKNOWN' };
  const blockNumber = head.number;
  const instead = (await headByNumber(request, blockNumber))?.hash ?? 'none';
  if (instead !== head.hash) return { reason: 'BLOCK_NOT_CANONICAL', blockNumber, instead };
  try {
    const pinned = { blockHash: head.hash, requireCanonical: true };
    const code = await request({ method: 'eth_getCode', params: [multicall3, pinned] });
    return code === '0x' ? { reason: 'NO_MULTICALL', blockNumber } : head;
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) throw error;
    // What the node refuses for every block is no matter of this one's age.
    await request({ method: 'eth_getCode', params: [multicall3, 'latest'] });
    return { reason: 'STATE_UNAVAILABLE', blockNumber, detail: error.message };
  }
}

/** Asks calls at a block hash with EIP-1898's condition, so that a reorganisation midway is an error and no mixture. */
function canonicalOnly(request: RpcRequest): RpcRequest {
  return (call) => {
    const [subject, block, ...rest] = call.params ?? [];
    if (call.method !== 'eth_call' || typeof block !== 'object') return request(call);
    return request({ ...call, params: [subject, { ...block, requireCanonical: true }, ...rest] });
  };
}
