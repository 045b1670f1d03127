import type { Address, Pool } from '@fairway/engine';
import { firstLine } from '../firstLine.ts';
import { samplePools } from '../market/audit.ts';
import { loadCatchUp, type MarketSource } from '../market/catchUp.ts';
import { createMarketState, type MarketState } from '../market/marketState.ts';
import type { Factory } from '../pools/factory.ts';
import type { ChainRpc } from '../rpc/chainRpc.ts';
import { inBackground } from '../rpc/endpoint.ts';
import { readGasTerms } from '../rpc/feeHistory.ts';
import { headerToHead, latestHead } from '../rpc/head.ts';
import { BlockGoneError, NodesDisagreeError } from '../rpc/rpcErrors.ts';
import { createRestorer } from '../snapshot/restoreMarket.ts';
import { createSaver, type SavedMarket } from '../snapshot/saveMarket.ts';
import type { SnapshotOptions } from '../snapshot/snapshotStore.ts';
import { createTokenWatch } from '../tokens/tokenWatch.ts';
import type {
  Follower,
  FollowerStatus,
  Freshness,
  GasTerms,
  Head,
  LeftOut,
  TokenBehaviour,
  TokenInfo,
} from '../types.ts';
import { type ContactOptions, createContact } from './contact.ts';
import { listenForHeads } from './headListener.ts';
import { createKeptReading, type ReadingEvent } from './keptReading.ts';
import { repeat } from './repeat.ts';
import { type AuditEvent, createReread, rereadPools } from './rereadPools.ts';

/** What happened, for logs and metrics. Details are short and hold no URL and no request body. */
export type FollowerEvent =
  | { readonly type: 'SYNCED'; readonly head: Head; readonly poolCount: number; readonly tokenCount: number }
  | {
      readonly type: 'RESTORED';
      readonly head: Head;
      readonly poolCount: number;
      /** The block of the snapshot; the blocks after it were replayed. */
      readonly snapshotBlock: bigint;
      /** How many pools were read back and compared. */
      readonly sampleCount: number;
    }
  /** A listed token, or a pool of two, is not part of the market that was read or restored. */
  | ({ readonly type: 'LEFT_OUT' } & LeftOut)
  | ReadingEvent
  /** A reading that an earlier run did not end goes on with the pools that it had read. */
  | {
      readonly type: 'READING_RESUMED';
      readonly head: Head;
      readonly poolCount: number;
      readonly snapshotBlock: bigint;
    }
  | { readonly type: 'SNAPSHOT_DISCARDED'; readonly detail: string }
  | { readonly type: 'SNAPSHOT_SAVED'; readonly blockNumber: bigint; readonly byteCount: number }
  | { readonly type: 'SNAPSHOT_NOT_SAVED'; readonly detail: string }
  | { readonly type: 'HEAD'; readonly head: Head; readonly reorgDepth: number }
  /** The nodes named a block below the market's own as their latest: they are behind, and nothing was reorganised. */
  | { readonly type: 'NODE_BEHIND'; readonly head: Head; readonly blocks: bigint }
  /** The hash of the latest block is no longer computed by the rules known here, so its bloom proves nothing. */
  | { readonly type: 'HEADER_RULES_CHANGED'; readonly head: Head }
  | AuditEvent
  /** A token turned out to move other amounts than it is asked to, or to do so no more. */
  | { readonly type: 'TOKEN_MEASURED'; readonly token: Address; readonly behaviour: TokenBehaviour }
  | { readonly type: 'FAILED'; readonly detail: string };

/** How often the nodes are asked what transactions pay beyond the base fee. */
const GAS_INTERVAL_MS = 12_000;

/** Pools compared in one audit. */
const AUDIT_SAMPLE_SIZE = 4;

/** How long the first market waits for the transfers of its tokens to be measured. The rest is measured one by one. */
const MEASURING_PATIENCE_MS = 3000;

/** How to follow one chain. Addresses in lower case. */
export type FollowerOptions = ContactOptions & {
  readonly rpc: ChainRpc;
  readonly chainId: number;
  readonly multicall3: Address;
  readonly factories: readonly Factory[];
  /** The tokens whose pools are followed. */
  readonly tokens: readonly Address[];
  /** How often a sample of pools is read back and compared; absent: never. */
  readonly auditIntervalMs?: number;
  /** The router, which pulls tokens from accounts: what their transfers move is measured with it. */
  readonly router: Address;
  /** How often the transfers of one token are measured again; absent: only at the start and when a swap fails. */
  readonly measuringIntervalMs?: number;
  /** Where the market is kept between runs; absent: it is read from the chain at every start. */
  readonly snapshot?: SnapshotOptions;
  /** Asked before every full read: whether the contracts around the market are those configured. */
  readonly checkReady?: () => Promise<
    { readonly ok: true } | { readonly ok: false; readonly detail: string }
  >;
  readonly onEvent: (event: FollowerEvent) => void;
};

/**
 * Follows a chain. Returns at once; `synced` resolves when the first market is complete, and keeps trying while the
 * nodes do not answer. Heads are both pushed and polled for: either alone can miss some.
 *
 * @example
 * ```ts
 * import { type FollowerOptions, startFollower } from '@fairway/evm';
 *
 * declare const options: FollowerOptions;
 *
 * const follower = startFollower(options);
 * await follower.synced;
 * console.log(follower.head()?.number, follower.market.poolCount);
 * await follower.close();
 * ```
 */
export function startFollower(options: FollowerOptions): Follower & { readonly synced: Promise<void> } {
  const { rpc } = options;
  const contact = createContact(options);
  const save = createSaving(options);
  const sync = createSync(options, save);
  const pursuit = createPursuit(sync, contact, onFailure, options.onEvent);

  function onFailure(error: unknown): void {
    if (error instanceof NodesDisagreeError) contact.contradicted();
    options.onEvent({ type: 'FAILED', detail: firstLine(error) });
  }

  const listener = listenForHeads(rpc, options.monotonicMs, (header) => {
    try {
      pursuit.aimAt(headerToHead(header));
      contact.pushed();
    } catch (error) {
      onFailure(error);
    }
  });

  async function poll(): Promise<void> {
    const pushesBefore = contact.pushes();
    const head = await latestHead(rpc.request);
    // A head pushed while the poll was under way is newer than the poll's answer.
    if (contact.pushes() === pushesBefore) pursuit.aimAt(head);
    listener.ensure().catch(onFailure);
  }

  async function audit(): Promise<void> {
    if (!pursuit.isUnderWay()) await sync.audit(samplePools(sync.state(), AUDIT_SAMPLE_SIZE));
  }

  const stopPolling = repeat(options.pollIntervalMs, poll, onFailure);
  const stopAuditing = repeatIf(options.auditIntervalMs, audit, onFailure);
  const measuring = createMeasuring(sync);
  // Nodes that contradict each other about a transfer do not about the market.
  const stopMeasuring = repeatIf(options.measuringIntervalMs, measuring.next, () => {});
  const gas = followGas(rpc);
  const stopSaving = saveRepeatedly(options, sync, save, onFailure);

  return {
    get market() {
      return sync.state().market;
    },
    tokens: sync.listing.tokens,
    behaviours: sync.watch.behaviours,
    pool: (address) => sync.state().pools.get(address)?.pool,
    examine: measuring.examine,
    head: () => sync.state().head(),
    gasTerms: gas.latest,
    reread: createReread((address) => sync.state().pools.get(address)?.pool, sync.audit, onFailure),
    synced: sync.listing.first,
    status: () => statusOf(sync, contact),
    async close() {
      await Promise.all([stopPolling(), stopAuditing(), stopMeasuring(), gas.stop()]);
      listener.stop();
      await pursuit.stop();
      await stopSaving();
    },
  };
}

function statusOf(
  sync: ReturnType<typeof createSync>,
  contact: ReturnType<typeof createContact>,
): FollowerStatus {
  const { market, head } = sync.state();
  return {
    head: head(),
    nodeBlockNumber: contact.nodeBlockNumber(),
    lagBlocks: contact.lagBlocks(head()),
    contactAgeMs: contact.ageMs(),
    poolCount: market.poolCount,
    leftOut: sync.listing.leftOut(),
    ...sync.reading(),
    freshness: sync.isDone() || contact.isSilent() ? contact.freshness(head()) : SYNCING,
  };
}

function repeatIf(
  intervalMs: number | undefined,
  task: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  return intervalMs === undefined ? async () => {} : repeat(intervalMs, task, onFailure);
}

/** Measures tokens at the market's head: one after the other, and those of swaps that failed. */
function createMeasuring({ state, watch, isDone }: ReturnType<typeof createSync>) {
  const head = () => (isDone() ? state().head() : undefined);
  return {
    async next(): Promise<void> {
      const block = head();
      if (block !== undefined) await watch.turn(block, poolsOf(state()));
    },
    async examine(pools: readonly Pool[]): Promise<void> {
      const block = head();
      // What cannot be measured now is measured in the tokens' turns.
      if (block !== undefined) await watch.examine(block, pools).catch(() => undefined);
    },
  };
}

/** Asks again and again what gas costs. Nodes may lack an answer: then quotes are made without, and say so. */
function followGas({ request }: ChainRpc) {
  let latest: GasTerms = {};
  async function ask(): Promise<void> {
    latest = { ...latest, ...(await readGasTerms(request)) };
  }
  return { latest: () => latest, stop: repeat(GAS_INTERVAL_MS, ask, () => {}) };
}

type Save = (market: SavedMarket) => Promise<void>;

/** Makes the function that saves a market and tells of it. */
function createSaving({ snapshot, onEvent, ...options }: FollowerOptions): Save {
  if (snapshot === undefined) return async () => {};
  const saver = createSaver(snapshot, options);
  return async (market) => {
    const result = await saver(market);
    if (result.outcome === 'SAVED') {
      const { blockNumber, byteCount } = result;
      onEvent({ type: 'SNAPSHOT_SAVED', blockNumber, byteCount });
    }
    if (result.outcome === 'FAILED') onEvent({ type: 'SNAPSHOT_NOT_SAVED', detail: result.detail });
  };
}

/** Saves the market once it is there, at intervals, and when it is stopped. Returns the function that stops it. */
function saveRepeatedly(
  { snapshot }: FollowerOptions,
  sync: ReturnType<typeof createSync>,
  save: Save,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  if (snapshot === undefined) return async () => {};
  let stopInterval: (() => Promise<void>) | undefined;
  let stopped = false;

  async function saveNow(): Promise<void> {
    const market = sync.toSave();
    if (market !== undefined) await save(market);
  }

  sync.listing.first
    .then(() => {
      if (!stopped) stopInterval = repeat(snapshot.saveIntervalMs, saveNow, onFailure);
    })
    .catch(onFailure);
  return async () => {
    stopped = true;
    await stopInterval?.();
    await saveNow();
  };
}

/**
 * How many blocks a head is behind the market of its own chain; 0 when it is newer or of a reorganisation. A head below
 * everything that can be returned to counts as one of the same chain: a reorganisation that deep ends above it.
 */
function blocksBehind(head: Head, state: MarketState): bigint {
  const followed = state.head();
  if (followed === undefined || head.number >= followed.number) return 0n;
  const isOlder = state.reaches(head.hash) || head.number < (state.lowestReachable() ?? 0n);
  return isOlder ? followed.number - head.number : 0n;
}

/** Brings the market to the latest head that it was given, one head at a time; blocks in between are caught up with. */
function createPursuit(
  sync: ReturnType<typeof createSync>,
  contact: ReturnType<typeof createContact>,
  onFailure: (error: unknown) => void,
  onEvent: FollowerOptions['onEvent'],
) {
  let target: { readonly head: Head; readonly heardAtMs: number } | undefined;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (target !== undefined) {
      const aim = target;
      target = undefined;
      try {
        await sync.to(aim.head);
        contact.reached(sync.state().head(), aim.heardAtMs);
      } catch (error) {
        // Nothing has changed; the next head or the next poll tries again.
        if (!(error instanceof BlockGoneError)) onFailure(error);
      }
    }
  }

  return {
    aimAt(head: Head): void {
      sync.heard(head);
      const blocks = sync.isDone() ? blocksBehind(head, sync.state()) : 0n;
      if (blocks > 0n) {
        contact.passedOver();
        return onEvent({ type: 'NODE_BEHIND', head, blocks });
      }
      target = { head, heardAtMs: contact.heard(head, sync.state().head()) };
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    isUnderWay: () => working !== undefined,
    async stop(): Promise<void> {
      target = undefined;
      await working;
    },
  };
}

const SYNCING: Freshness = {
  fresh: false,
  why: 'SYNCING',
  detail: 'The markets of this chain are being read; quotes start when that is done.',
  retryAfterSeconds: 2,
};

/** A market that was read or restored. */
type UsableMarket = {
  readonly state: MarketState;
  readonly tokens: readonly TokenInfo[];
  readonly leftOut: readonly LeftOut[];
};

/** What was listed when the market was read. `first`: settled once that is. */
function createListing(onEvent: FollowerOptions['onEvent']) {
  const tokens = new Map<Address, TokenInfo>();
  const first = Promise.withResolvers<void>();
  let leftOut: readonly LeftOut[] = [];
  return {
    tokens,
    first: first.promise,
    leftOut: () => leftOut,
    use(found: Pick<UsableMarket, 'tokens' | 'leftOut'>): void {
      tokens.clear();
      for (const token of found.tokens) tokens.set(token.address, token);
      ({ leftOut } = found);
      for (const each of leftOut) onEvent({ type: 'LEFT_OUT', ...each });
      first.resolve();
    },
  };
}

/**
 * Brings the market state to heads: the first time from a snapshot if there is one, then by logs where possible and
 * by reading all pools again where not.
 */
function createSync(options: FollowerOptions, save: Save) {
  const { rpc, onEvent, snapshot } = options;
  const source: MarketSource = { ...options, request: rpc.request };
  // What somebody waits for goes before the reading of a whole market.
  const backgroundSource = { ...source, request: inBackground(rpc.request) };
  const watch = watchTokens(options, () => state);
  const { behaviours } = watch;
  const restore =
    snapshot && createRestorer({ ...backgroundSource, ...snapshot, chainId: options.chainId, behaviours });
  let state = createMarketState(behaviours);
  const reading = createKeptReading(backgroundSource, behaviours, onEvent, save);
  const listing = createListing(onEvent);
  const { tokens } = listing;
  let done = false;

  /** Up to this point nobody has seen anything of the market. */
  async function use(market: UsableMarket, head: Head, event: FollowerEvent): Promise<void> {
    await watch.begin(head, poolsOf(market.state), MEASURING_PATIENCE_MS);
    ({ state } = market);
    for (const token of behaviours.keys()) state.reconsider(token);
    done = true;
    onEvent(event);
    listing.use(market);
  }

  async function start(head: Head): Promise<void> {
    done = false;
    await assertChain(options);
    const result = await restore?.(head);
    if (result?.outcome === 'DISCARDED') onEvent({ type: 'SNAPSHOT_DISCARDED', detail: result.detail });
    if (result?.outcome !== 'RESTORED') return readAll(head);
    const { snapshotBlock, sampleCount, isWhole } = result;
    const poolCount = result.state.pools.size;
    if (isWhole) return use(result, head, { type: 'RESTORED', head, poolCount, snapshotBlock, sampleCount });
    reading.resume(result);
    onEvent({ type: 'READING_RESUMED', head, poolCount, snapshotBlock });
    return readAll(head);
  }

  async function readAll(first: Head): Promise<void> {
    const whole = await reading.finish(first);
    const head = whole.state.head() ?? first;
    const [poolCount, tokenCount] = [whole.state.pools.size, whole.tokens.length];
    await use(whole, head, { type: 'SYNCED', head, poolCount, tokenCount });
  }

  return {
    state: () => state,
    listing,
    watch,
    isDone: () => done,
    heard: reading.heard,
    reading: reading.progress,
    /** What a start would need; a market that was found wrong is being read again. */
    toSave: (): SavedMarket | undefined =>
      done ? { state, tokens: tokens.keys(), isWhole: true } : reading.toSave(),
    async to(head: Head): Promise<void> {
      if (!done) return start(head);
      if (head.hash === state.head()?.hash) return;
      if (!(await follow({ source, state, tokens, onEvent }, head))) await start(head);
    },
    async audit(addresses: readonly Address[]): Promise<boolean | undefined> {
      if (!done) return undefined;
      const readAllAgain = () => void (done = false);
      return rereadPools({ ...source, state, onEvent, readAllAgain }, addresses);
    },
  };
}

function watchTokens({ rpc, multicall3, router, onEvent }: FollowerOptions, state: () => MarketState) {
  const probe = { request: rpc.request, multicall3, spender: router };
  return createTokenWatch(probe, (token, behaviour) => {
    state().reconsider(token);
    onEvent({ type: 'TOKEN_MEASURED', token, behaviour });
  });
}

function poolsOf({ pools }: MarketState): Pool[] {
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
  const catchUp = await loadCatchUp(source, state, head, new Set(tokens.keys()));
  if (catchUp === undefined) return false;
  const lost = state.head()?.commitments !== undefined && head.commitments === undefined;
  const reorgDepth = state.advance(catchUp.ancestorHash, catchUp.changes);
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
