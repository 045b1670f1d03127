import { type Address, createMarket, type Market } from '@fairway/engine';
import { firstLine } from '../firstLine.ts';
import { isFair, isTradable } from '../pools/poolKinds.ts';
import { inBackground, type RpcRequest } from '../rpc/endpoint.ts';
import { readGasTerms } from '../rpc/feeHistory.ts';
import { headByHash, headByNumber, latestHead } from '../rpc/head.ts';
import { RpcAnswerError, RpcUnreachableError } from '../rpc/errors.ts';
import { createTokenWatch } from '../tokens/tokenWatch.ts';
import type { GasTerms, Head, ReadingProgress, TokenBehaviours, TokenInfo } from '../types.ts';
import type { MarketSource } from './missedBlocks.ts';
import { readMarket } from './reading.ts';

/** A chain's market as it was at one block, equal to the market of a follower at this block. */
export type MarketAtBlock = {
  readonly head: Head;
  readonly gasTerms: GasTerms;
  readonly market: Market;
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
  readonly behaviours: TokenBehaviours;
};

/** Why a market cannot be read at a block. `detail` is the text of a node or a decoder and holds no URL. */
export type BlockReadingRefusal =
  | { readonly reason: 'NODE_UNREACHABLE'; readonly detail: string }
  | { readonly reason: 'OTHER_CHAIN'; readonly chainId: bigint }
  | { readonly reason: 'BLOCK_UNKNOWN' }
  /** A reorganisation has replaced the block by another one. */
  | { readonly reason: 'BLOCK_NOT_CANONICAL'; readonly blockNumber: bigint; readonly instead: string }
  /** The node knows the block but no longer has its state. */
  | { readonly reason: 'STATE_UNAVAILABLE'; readonly blockNumber: bigint; readonly detail: string }
  /** There is no Multicall3 at the block: the block is older than the contract, or the address is wrong. */
  | { readonly reason: 'NO_MULTICALL'; readonly blockNumber: bigint }
  | { readonly reason: 'NODE_REFUSES'; readonly detail: string };

/** A market at a block, or why there is none. */
export type BlockReading =
  | ({ readonly ok: true } & MarketAtBlock)
  | { readonly ok: false; readonly refusal: BlockReadingRefusal };

/** The chain to read and its sources. Addresses in lower case. */
type ChainSource = MarketSource & {
  readonly chainId: number;
  /** The contract that pulls tokens from accounts: what their transfers move is measured with it. */
  readonly spender: Address;
};

/**
 * Finds and reads every pool of a chain's sources at exactly one block, or at the latest block. A block is given by
 * its hash, and read only while it is part of the chain. The market equals that of a follower at this block, so the
 * engine answers alike. Failing nodes are refusals, never errors.
 *
 * @example
 * ```ts
 * import { readMarketAt } from '@fairway/evm';
 *
 * declare const source: Parameters<typeof readMarketAt>[0];
 *
 * const reading = await readMarketAt(source, undefined, (head, { pools, poolsRead }) => {
 *   console.log(`block ${head.number}: ${poolsRead} of ${pools} pools`);
 * });
 * if (reading.ok) console.log(reading.market.poolCount);
 * else console.log(reading.refusal.reason);
 * ```
 */
export async function readMarketAt(
  source: ChainSource,
  blockHash: string | undefined,
  onProgress: (head: Head, progress: ReadingProgress) => void,
): Promise<BlockReading> {
  try {
    const found = await findBlock(source, blockHash);
    if ('reason' in found) return { ok: false, refusal: found };
    const request = canonicalOnly(inBackground(source.request));
    const read = await readMarket({ ...source, request }, found, (progress) => onProgress(found, progress));
    const pools = read.pools.map(({ pool }) => pool).filter(isTradable);
    const { multicall3, spender } = source;
    const watch = createTokenWatch({ request, multicall3, spender }, () => {});
    await watch.begin(found, pools, Infinity);
    const { behaviours } = watch;
    const fair = pools.filter((pool) => isFair(pool, behaviours));
    const tokens = new Map(read.tokens.map((token) => [token.address, token]));
    const gasTerms = await readGasTerms(source.request, found);
    return { ok: true, head: found, gasTerms, market: createMarket(fair), tokens, behaviours };
  } catch (error) {
    const reason = error instanceof RpcUnreachableError ? 'NODE_UNREACHABLE' : 'NODE_REFUSES';
    return { ok: false, refusal: { reason, detail: firstLine(error) } };
  }
}

/** The block, after a check that its state can be read. */
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
    // If the node refuses the latest block, too, the age of this block is not the reason.
    await request({ method: 'eth_getCode', params: [multicall3, 'latest'] });
    return { reason: 'STATE_UNAVAILABLE', blockNumber, detail: error.message };
  }
}

/**
 * Adds EIP-1898's condition to calls at a block hash, so that a reorganisation meanwhile gives an error, not mixed
 * states.
 */
function canonicalOnly(request: RpcRequest): RpcRequest {
  return (call) => {
    const [subject, block, ...rest] = call.params ?? [];
    if (call.method !== 'eth_call' || typeof block !== 'object') return request(call);
    return request({ ...call, params: [subject, { ...block, requireCanonical: true }, ...rest] });
  };
}
