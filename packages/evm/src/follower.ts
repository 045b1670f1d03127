import type { Address } from '@fairway/engine';
import { auditSample } from './audit.ts';
import { BlockGoneError, loadCatchUp, type MarketSource, readMarket } from './catchUp.ts';
import { type ContactOptions, createContact } from './contact.ts';
import type { Factory } from './discovery.ts';
import { headerToHead, latestHead } from './head.ts';
import { listenForHeads } from './headListener.ts';
import { createMarketState } from './marketState.ts';
import { repeat } from './repeat.ts';
import type { ChainRpc } from './rpc.ts';
import type { Follower, Freshness, Head, TokenInfo } from './types.ts';

/** What happened, for logs and metrics. Details are short and hold no URL and no request body. */
export type FollowerEvent =
  | { readonly type: 'SYNCED'; readonly head: Head; readonly poolCount: number; readonly tokenCount: number }
  | { readonly type: 'HEAD'; readonly head: Head; readonly reorgDepth: number }
  | { readonly type: 'AUDITED'; readonly poolCount: number }
  | { readonly type: 'AUDIT_MISMATCH'; readonly pool: Address; readonly blockNumber: bigint }
  | { readonly type: 'FAILED'; readonly detail: string };

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
  /** Asked before every full read: whether the contracts around the market are those configured. */
  readonly checkReady?: () => Promise<
    { readonly ok: true } | { readonly ok: false; readonly detail: string }
  >;
  readonly onEvent: (event: FollowerEvent) => void;
};

/**
 * Follows a chain. Returns at once; `synced` resolves with the first complete market, which is tried for as
 * long as the nodes do not answer. Driven by pushed heads and by polling: neither alone tells everything.
 */
export function startFollower(options: FollowerOptions): Follower & { readonly synced: Promise<void> } {
  const { rpc } = options;
  const contact = createContact(options);
  const sync = createSync(options);
  const pursuit = createPursuit(sync, contact, onFailure);

  function onFailure(error: unknown): void {
    options.onEvent({ type: 'FAILED', detail: describe(error) });
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
    if (!pursuit.isUnderWay()) await sync.audit();
  }

  const stopPolling = repeat(options.pollIntervalMs, poll, onFailure);
  const stopAuditing =
    options.auditIntervalMs === undefined ? undefined : repeat(options.auditIntervalMs, audit, onFailure);

  return {
    market: sync.state.market,
    tokens: sync.tokens,
    head: () => sync.state.head(),
    synced: sync.firstDone,
    status: () => ({
      head: sync.state.head(),
      nodeBlockNumber: contact.nodeBlockNumber(),
      lagBlocks: contact.lagBlocks(sync.state.head()),
      contactAgeMs: contact.ageMs(),
      poolCount: sync.state.market.poolCount,
      freshness: sync.isDone() ? contact.freshness(sync.state.head()) : syncing,
    }),
    async close() {
      await Promise.all([stopPolling(), stopAuditing?.()]);
      listener.stop();
      await pursuit.stop();
    },
  };
}

/** Brings the market to the latest head it was told of, one head at a time; heads in between are caught up on the way. */
function createPursuit(
  sync: ReturnType<typeof createSync>,
  contact: ReturnType<typeof createContact>,
  onFailure: (error: unknown) => void,
) {
  let target: { readonly head: Head; readonly heardAtMs: number } | undefined;
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (target !== undefined) {
      const aim = target;
      target = undefined;
      try {
        await sync.to(aim.head);
        contact.reached(sync.state.head(), aim.heardAtMs);
      } catch (error) {
        // Nothing has changed; the next head, or the next poll, brings the next try.
        if (!(error instanceof BlockGoneError)) onFailure(error);
      }
    }
  }

  return {
    aimAt(head: Head): void {
      target = { head, heardAtMs: contact.heard(head, sync.state.head()) };
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

const syncing: Freshness = {
  fresh: false,
  why: 'SYNCING',
  detail: 'The markets of this chain are being read; quotes start when that is done.',
  retryAfterSeconds: 2,
};

/** Brings the market state to heads, by logs where possible and by reading all pools again where not. */
function createSync(options: FollowerOptions) {
  const { rpc, onEvent } = options;
  const source: MarketSource = { ...options, request: rpc.request };
  const state = createMarketState();
  const tokens = new Map<Address, TokenInfo>();
  const first = Promise.withResolvers<void>();
  let done = false;

  async function readAll(head: Head): Promise<void> {
    done = false;
    await assertChain(options);
    const market = await readMarket(source, head);
    tokens.clear();
    for (const token of market.tokens) tokens.set(token.address, token);
    state.reset(head, market.pools);
    done = true;
    first.resolve();
    onEvent({ type: 'SYNCED', head, poolCount: market.pools.length, tokenCount: market.tokens.length });
  }

  return {
    state,
    tokens,
    firstDone: first.promise,
    isDone: () => done,
    async to(head: Head): Promise<void> {
      if (!done) return readAll(head);
      if (head.hash === state.head()?.hash) return;
      const catchUp = await loadCatchUp(source, state, head, new Set(tokens.keys()));
      if (catchUp === undefined) return readAll(head);
      const reorgDepth = state.advance(catchUp.ancestorHash, catchUp.changes);
      onEvent({ type: 'HEAD', head, reorgDepth });
    },
    async audit(): Promise<void> {
      const audited = done ? await auditSample(rpc.request, options.multicall3, state) : undefined;
      if (audited === undefined) return;
      onEvent({ type: 'AUDITED', poolCount: audited.checked });
      const { wrong, missing, head } = audited;
      for (const pool of [...wrong.map((tracked) => tracked.pool.address), ...missing]) {
        onEvent({ type: 'AUDIT_MISMATCH', pool, blockNumber: head.number });
      }
      if (wrong.length + missing.length === 0) return;
      // What cannot be mended pool by pool, because the state moved on or a pool is no more, is read again whole.
      if (missing.length === 0 && state.head()?.hash === head.hash) state.correct(wrong);
      else done = false;
    },
  };
}

async function assertChain({ rpc, chainId, checkReady }: FollowerOptions): Promise<void> {
  const reported = BigInt((await rpc.request({ method: 'eth_chainId' })) as string);
  if (reported !== BigInt(chainId)) {
    throw new Error(`The node is of chain ${reported}, the configuration says chain ${chainId}`);
  }
  const ready = await checkReady?.();
  if (ready?.ok === false) throw new Error(ready.detail);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : 'unknown failure';
}
