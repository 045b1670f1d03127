import type { Address } from '@fairway/engine';
import { discoverPools } from '../pools/discovery.ts';
import { kindOf, POOL_KIND_ENTRIES, type PoolIdentity } from '../pools/poolKinds.ts';
import { readPools } from '../pools/poolReader.ts';
import type { TrackedPool } from '../pools/trackedPool.ts';
import { createBatchRead, WHY_READS_FAIL } from '../rpc/multicall.ts';
import { RpcAnswerError } from '../rpc/errors.ts';
import type { Head, LeftOut, ReadingProgress, TokenBehaviours, TokenInfo } from '../types.ts';
import { isWorthReplaying, type MarketSource, replay } from './missedBlocks.ts';
import { createMarketState, type MarketState } from './state.ts';
import { readTokens } from './tokenReader.ts';

/** Requests after which what was read is kept, and the block of the reading may be changed. */
const REQUESTS_PER_PART = 32;
/** Nodes keep the state of 128 blocks; a reading moves on well before that. */
const OLDEST_BLOCKS = 64n;

/**
 * A market being read. When `proceed` fails, everything that was read is kept, and the next call goes on from there.
 */
export type MarketReading = {
  /** The pools read so far, all at one head. */
  readonly state: MarketState;
  tokens(): readonly TokenInfo[];
  /** What is listed and no part of the market. */
  leftOut(): readonly LeftOut[];
  progress(): ReadingProgress;
  /**
   * Reads until nothing is left. `newest` gives the newest known head. Reading may take so long that nodes drop the
   * state of its block. Then logs bring the pools read so far to the newest head, and the other pools are read there.
   */
  proceed(head: Head, newest: () => Head): Promise<void>;
};

/**
 * How to read a market. `behaviours`: what is known of its tokens; `begun`: what was read of it before; `onPart` is called after each
 * part but the last.
 */
export type ReadingOptions = {
  readonly behaviours?: TokenBehaviours;
  readonly begun?: { readonly state: MarketState; readonly tokens: readonly TokenInfo[] };
  readonly onPart?: (reading: MarketReading) => Promise<void> | void;
};

/** Prepares to read the tokens, to find their pools, and to read those. */
export function createMarketReading(
  source: MarketSource,
  { behaviours, begun, onPart }: ReadingOptions = {},
): MarketReading {
  const state = begun?.state ?? createMarketState(behaviours);
  let tokens = begun?.tokens ?? [];
  let identities: readonly PoolIdentity[] | undefined;
  let unlisted: readonly LeftOut[] = [];
  /** Pools that gave no answer; they are no part of a market. */
  const absent = new Set<Address>();

  const left = () =>
    (identities ?? []).filter(({ address }) => !state.pools.has(address) && !absent.has(address));

  async function find(head: Head): Promise<void> {
    ({ tokens, identities, leftOut: unlisted } = await readListed(source, head));
    absent.clear();
  }

  /** Brings what was read to a head, or gives it up where to read it again is the shorter way. */
  async function moveTo(head: Head): Promise<void> {
    if (isBehind(head, state)) return;
    const missed = head.number - (state.head()?.number ?? 0n);
    const followed = new Set(tokens.map(({ address }) => address));
    const isWorthIt = state.head() !== undefined && isWorthReplaying(missed, state.pools.size);
    if (isWorthIt && (await replay(source, state, head, followed))) return;
    state.reset(head, []);
    identities = undefined;
  }

  async function readPart(part: readonly PoolIdentity[], head: Head): Promise<void> {
    const read = createBatchRead(source.request, source.multicall3, head.hash);
    const pools = await readPools(source.request, read, head.hash, part);
    state.add(pools);
    for (const { address } of part) if (!state.pools.has(address)) absent.add(address);
    if (left().length > 0) await onPart?.(reading);
  }

  const reading: MarketReading = {
    state,
    tokens: () => tokens,
    leftOut: () => [...unlisted, ...[...absent].map(unread)],
    progress: () => progressOf(tokens, identities ?? [], left()),
    async proceed(first, newest) {
      await moveTo(first);
      for (;;) {
        const isOver = identities !== undefined && left().length === 0;
        const isOld = newest().number - (state.head() ?? first).number > OLDEST_BLOCKS;
        if (isOver || isOld) await moveTo(newest());
        const head = state.head() ?? first;
        try {
          if (identities === undefined) await find(head);
          const part = partOf(left());
          if (part.length > 0) await readPart(part, head);
          else if (isOver) return;
        } catch (error) {
          if (!(error instanceof RpcAnswerError)) throw error;
          await moveTo(newest());
          // Otherwise the node had dropped the block or its state, and the pools read so far are not lost with it.
          if (state.head()?.hash === head.hash) throw error;
        }
      }
    },
  };
  return reading;
}

/** Reads the listed tokens, and finds their pools. */
async function readListed({ request, multicall3, ...source }: MarketSource, head: Head) {
  const read = createBatchRead(request, multicall3, head.hash);
  const { tokens, leftOut } = await readTokens(read, source.tokens);
  const addresses = tokens.map(({ address }) => address);
  const found = await discoverPools(read, source.factories, addresses);
  return { tokens, identities: found.identities, leftOut: [...leftOut, ...found.leftOut] };
}

function unread(address: Address): LeftOut {
  return { address, reason: `the state of this pool: ${WHY_READS_FAIL}` };
}

/** Whether a head is one that the state has or had: a node that is behind says nothing new. */
function isBehind(head: Head, state: MarketState): boolean {
  if (state.head() === undefined) return false;
  return state.reaches(head.hash) || head.number < (state.lowestReachable() ?? 0n);
}

function progressOf(
  tokens: readonly TokenInfo[],
  found: readonly PoolIdentity[],
  left: readonly PoolIdentity[],
): ReadingProgress {
  const [pools, requestsLeft] = [found.length, requestsFor(left)];
  return { tokens: tokens.length, pools, poolsRead: pools - left.length, requestsLeft };
}

/** About how many requests read some pools. */
function requestsFor(pools: readonly PoolIdentity[]): number {
  const perKind = POOL_KIND_ENTRIES.map(
    ([kind, { reading }]) => pools.filter((pool) => pool.kind === kind).length / reading.poolsPerRequest,
  );
  return perKind.reduce((sum, requests) => sum + Math.ceil(requests), 0);
}

/** The pools to read next: as many as a part's requests read. */
function partOf(left: readonly PoolIdentity[]): readonly PoolIdentity[] {
  let requests = 0;
  return left.filter((pool) => {
    requests += 1 / kindOf(pool).reading.poolsPerRequest;
    return requests <= REQUESTS_PER_PART;
  });
}

/** Everything a market consists of, read at one block. */
export type ReadMarket = {
  readonly tokens: readonly TokenInfo[];
  readonly pools: readonly TrackedPool[];
  readonly leftOut: readonly LeftOut[];
};

/** Reads the tokens, finds their pools and reads those, all at one pinned block. */
export async function readMarket(
  source: MarketSource,
  head: Head,
  onProgress: (progress: ReadingProgress) => void = () => {},
): Promise<ReadMarket> {
  const onPart = ({ progress }: MarketReading) => onProgress(progress());
  const reading = createMarketReading(source, { onPart });
  await reading.proceed(head, () => head);
  const { state, tokens, leftOut } = reading;
  return { tokens: tokens(), pools: [...state.pools.values()], leftOut: leftOut() };
}
