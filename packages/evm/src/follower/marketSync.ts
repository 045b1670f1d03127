import type { Address, Pool } from '@fairway/engine';
import { loadMissedBlocks, type MarketSource } from '../market/missedBlocks.ts';
import { createMarketState, type MarketState } from '../market/state.ts';
import { inBackground } from '../rpc/endpoint.ts';
import { createRestorer } from '../snapshot/restoreMarket.ts';
import type { SavedMarket } from '../snapshot/saveMarket.ts';
import { createTokenWatch } from '../tokens/tokenWatch.ts';
import type { Head, LeftOut, TokenInfo } from '../types.ts';
import type { FollowerOptions } from './options.ts';
import { createKeptReading } from './keptReading.ts';
import { rereadPools } from './rereadPools.ts';

/** How long the first market waits for the transfers of its tokens to be measured. The rest is measured one by one. */
const MEASURING_PATIENCE_MS = 3000;

/** Saves a market. */
export type Save = (market: SavedMarket) => Promise<void>;

/** A market that was read or restored. */
type UsableMarket = {
  readonly state: MarketState;
  readonly tokens: readonly TokenInfo[];
  readonly leftOut: readonly LeftOut[];
};

/** What was listed when the market was read. `first`: settled once that is; `isDone`: whether it need not be read again. */
function createListing(onEvent: FollowerOptions['onEvent']) {
  const tokens = new Map<Address, TokenInfo>();
  const first = Promise.withResolvers<void>();
  let leftOut: readonly LeftOut[] = [];
  let done = false;
  return {
    tokens,
    isDone: () => done,
    readAgain(): void {
      done = false;
    },
    first: first.promise,
    leftOut: () => leftOut,
    use(found: Pick<UsableMarket, 'tokens' | 'leftOut'>): void {
      tokens.clear();
      for (const token of found.tokens) tokens.set(token.address, token);
      ({ leftOut } = found);
      done = true;
      for (const each of leftOut) onEvent({ type: 'LEFT_OUT', ...each });
      first.resolve();
    },
  };
}

/**
 * Brings the market state to heads. The first time it starts from a snapshot if there is one. Then it uses logs when
 * possible, and otherwise reads all pools again.
 */
export function createSync(options: FollowerOptions, save: Save) {
  const { rpc, onEvent, snapshot } = options;
  const source: MarketSource = { ...options, request: rpc.request };
  // Requests that somebody waits for go before the reading of a whole market.
  const backgroundSource = { ...source, request: inBackground(rpc.request) };
  const watch = watchTokens(options, () => state);
  const { behaviours } = watch;
  const restore =
    snapshot && createRestorer({ ...backgroundSource, ...snapshot, chainId: options.chainId, behaviours });
  let state = createMarketState(behaviours);
  const reading = createKeptReading(backgroundSource, behaviours, onEvent, save);
  const listing = createListing(onEvent);
  const { tokens, leftOut, isDone, readAgain } = listing;

  /** Up to this point nobody has seen anything of the market. */
  function use(market: UsableMarket): void {
    ({ state } = market);
    for (const token of behaviours.keys()) state.reconsider(token);
    listing.use(market);
  }

  async function start(head: Head): Promise<void> {
    readAgain();
    await assertChain(options);
    const result = await restore?.(head);
    if (result?.outcome === 'DISCARDED') onEvent({ type: 'SNAPSHOT_DISCARDED', detail: result.detail });
    if (result?.outcome !== 'RESTORED') return readAll(head);
    const { snapshotBlock, sampleCount, isWhole } = result;
    const poolCount = result.state.pools.size;
    if (!isWhole) {
      reading.resume(result);
      onEvent({ type: 'READING_RESUMED', head, poolCount, snapshotBlock });
      return readAll(head);
    }
    await watch.begin(head, poolsOf(result.state), MEASURING_PATIENCE_MS);
    use(result);
    onEvent({ type: 'RESTORED', head, poolCount, snapshotBlock, sampleCount });
  }

  async function readAll(first: Head): Promise<void> {
    const whole = await reading.finish(first);
    const head = whole.state.head() ?? first;
    await watch.begin(head, poolsOf(whole.state), MEASURING_PATIENCE_MS);
    use(whole);
    onEvent({ type: 'SYNCED', head, poolCount: state.pools.size, tokenCount: tokens.size });
  }

  return {
    state: () => state,
    tokens,
    watch,
    leftOut,
    firstDone: listing.first,
    isDone,
    heard: reading.heard,
    reading: reading.progress,
    /** What a start would need; a market that was found wrong is being read again. */
    toSave: (): SavedMarket | undefined =>
      isDone() ? { state, tokens: tokens.keys(), isWhole: true } : reading.toSave(),
    async to(head: Head): Promise<void> {
      if (!isDone()) return start(head);
      if (head.hash === state.head()?.hash) return;
      if (!(await follow({ source, state, tokens, onEvent }, head))) await start(head);
    },
    async audit(addresses: readonly Address[]): Promise<boolean | undefined> {
      if (!isDone()) return undefined;
      return rereadPools({ ...source, state, onEvent, readAllAgain: readAgain }, addresses);
    },
  };
}

function watchTokens({ rpc, multicall3, spender, onEvent }: FollowerOptions, state: () => MarketState) {
  const probe = { request: rpc.request, multicall3, spender };
  return createTokenWatch(probe, (token, behaviour) => {
    state().reconsider(token);
    onEvent({ type: 'TOKEN_MEASURED', token, behaviour });
  });
}

/** The pools that a state follows. */
export function poolsOf({ pools }: MarketState): Pool[] {
  return [...pools.values()].map(({ pool }) => pool);
}

/** What follows a chain from block to block. */
type Following = Pick<FollowerOptions, 'onEvent'> & {
  readonly source: MarketSource;
  readonly state: MarketState;
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
};

/** Brings the state to a head by logs; false where all pools must be read again. */
async function follow({ source, state, tokens, onEvent }: Following, head: Head): Promise<boolean> {
  const missed = await loadMissedBlocks(source, state, head, new Set(tokens.keys()));
  if (missed === undefined) return false;
  const lost = state.head()?.commitments !== undefined && head.commitments === undefined;
  const reorgDepth = state.advance(missed.ancestorHash, missed.changes);
  if (lost) onEvent({ type: 'HEADER_RULES_CHANGED', head });
  onEvent({ type: 'HEAD', head, reorgDepth });
  return true;
}

async function assertChain({ rpc, chainId, checkReady }: FollowerOptions): Promise<void> {
  const reported = BigInt((await rpc.request({ method: 'eth_chainId' })) as string);
  if (reported !== BigInt(chainId)) {
    throw new Error(`The node is of chain ${reported}, the configuration says chain ${chainId}`);
  }
  const ready = await checkReady?.();
  if (ready?.ok === false) throw new Error(ready.detail);
}
