import type { Pool } from '@fairway/engine';
import { firstLine } from '../firstLine.ts';
import { samplePools } from '../market/audit.ts';
import type { MarketState } from '../market/state.ts';
import type { ChainRpc } from '../rpc/chainRpc.ts';
import { readGasTerms } from '../rpc/feeHistory.ts';
import { headerToHead, latestHead } from '../rpc/head.ts';
import { BlockGoneError, NodesDisagreeError } from '../rpc/errors.ts';
import { createSaver } from '../snapshot/saveMarket.ts';
import type { Follower, Freshness, GasTerms, Head } from '../types.ts';
import { createContact } from './contact.ts';
import type { FollowerOptions } from './options.ts';
import { listenForHeads } from './headListener.ts';
import { createSync, poolsOf, type Save } from './marketSync.ts';
import { repeat } from './repeat.ts';
import { createReread } from './rereadPools.ts';

/** How often the nodes are asked what transactions pay beyond the base fee. */
const GAS_INTERVAL_MS = 12_000;

/** Pools compared in one audit. */
const AUDIT_SAMPLE_SIZE = 4;

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
  const stopMeasuring = repeatIf(options.measuringIntervalMs, measuring.next, () => {});
  const gas = followGas(rpc);
  const stopSaving = saveRepeatedly(options, sync, save, onFailure);

  return {
    get market() {
      return sync.state().market;
    },
    tokens: sync.tokens,
    behaviours: sync.watch.behaviours,
    pool: (address) => sync.state().pools.get(address)?.pool,
    examine: measuring.examine,
    head: () => sync.state().head(),
    gasTerms: gas.latest,
    reread: createReread((address) => sync.state().pools.get(address)?.pool, sync.audit, onFailure),
    synced: sync.firstDone,
    status: () => ({
      head: sync.state().head(),
      nodeBlockNumber: contact.nodeBlockNumber(),
      lagBlocks: contact.lagBlocks(sync.state().head()),
      contactAgeMs: contact.ageMs(),
      poolCount: sync.state().market.poolCount,
      leftOut: sync.leftOut(),
      ...sync.reading(),
      freshness: sync.isDone() || contact.isSilent() ? contact.freshness(sync.state().head()) : SYNCING,
    }),
    async close() {
      await Promise.all([stopPolling(), stopAuditing(), stopMeasuring(), gas.stop()]);
      listener.stop();
      await pursuit.stop();
      await stopSaving();
    },
  };
}

function repeatIf(
  intervalMs: number | undefined,
  task: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  return intervalMs === undefined ? async () => {} : repeat(intervalMs, task, onFailure);
}

/**
 * Measures tokens at the market's head: one after the other, and those of swaps that failed. It fails silently: nodes that contradict
 * each other about a transfer do not about the market.
 */
function createMeasuring({ state, watch, isDone }: ReturnType<typeof createSync>) {
  const head = () => (isDone() ? state().head() : undefined);
  return {
    async next(): Promise<void> {
      const block = head();
      if (block !== undefined) await watch.turn(block, poolsOf(state()));
    },
    async examine(pools: readonly Pool[]): Promise<void> {
      const block = head();
      // A token that cannot be measured now is measured in its turn.
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

  sync.firstDone
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
