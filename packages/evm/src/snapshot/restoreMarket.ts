import type { Address } from '@fairway/engine';
import { firstLine } from '../firstLine.ts';
import { auditPools, samplePools } from '../market/audit.ts';
import { isWorthReplaying, type MarketSource, replay } from '../market/missedBlocks.ts';
import { createMarketState, type MarketState } from '../market/state.ts';
import { readTokens } from '../market/tokenReader.ts';
import { impostorsAmong } from '../pools/discovery.ts';
import type { TrackedPool } from '../pools/trackedPool.ts';
import { headByNumber } from '../rpc/head.ts';
import { createBatchRead } from '../rpc/multicall.ts';
import type { Head, LeftOut, TokenBehaviours, TokenInfo } from '../types.ts';
import { type MarketSnapshot, openSnapshot } from './format.ts';
import type { SnapshotStore } from './store.ts';

/** A market from a snapshot, brought up to the head and compared with the chain; or the reason why there is none. */
export type RestoreResult =
  | {
      readonly outcome: 'RESTORED';
      readonly state: MarketState;
      readonly tokens: readonly TokenInfo[];
      readonly leftOut: readonly LeftOut[];
      readonly snapshotBlock: bigint;
      readonly sampleCount: number;
      /** Whether it has all pools; else the reading that it was saved in goes on. */
      readonly isWhole: boolean;
    }
  | { readonly outcome: 'DISCARDED'; readonly detail: string }
  | { readonly outcome: 'ABSENT' };

/** How a snapshot is judged. */
export type RestoreOptions = MarketSource & {
  readonly chainId: number;
  readonly store: SnapshotStore;
  readonly sampleSize: number;
  readonly behaviours: TokenBehaviours;
};

type Loaded = Pick<MarketSnapshot, 'blockNumber' | 'blockHash' | 'tokens' | 'pools' | 'isWhole'>;
type Discarded = Extract<RestoreResult, { outcome: 'DISCARDED' }>;

/** At how many heads a snapshot is tried before it is discarded and the pools are read. */
const ATTEMPTS = 5;

/**
 * Begins to load the snapshot at once, while the nodes are being asked for their head. The function returned gives the
 * result of the snapshot once; while it throws, it may be called again with a later head.
 */
export function createRestorer(options: RestoreOptions): (head: Head) => Promise<RestoreResult> {
  let loading: Promise<Loaded | RestoreResult> | undefined = load(options);
  let failures = 0;

  return async (head) => {
    if (loading === undefined) return { outcome: 'ABSENT' };
    const loaded = await loading;
    const result = 'outcome' in loaded ? loaded : await attempt(loaded, head);
    loading = undefined;
    return result;
  };

  async function attempt(snapshot: Loaded, head: Head): Promise<RestoreResult> {
    try {
      return await restoreAt(options, snapshot, head);
    } catch (error) {
      failures++;
      if (failures < ATTEMPTS) throw error;
      return discarded(`it cannot be brought to the latest block: ${firstLine(error)}`);
    }
  }
}

function discarded(detail: string): Discarded {
  return { outcome: 'DISCARDED', detail };
}

async function load({ store, chainId, factories }: RestoreOptions): Promise<Loaded | RestoreResult> {
  const stored = await store.read();
  if (stored.state === 'ABSENT') return { outcome: 'ABSENT' };
  if (stored.state === 'UNUSABLE') return discarded(stored.detail);
  const opened = openSnapshot(stored.bytes, { chainId, factories });
  if (!opened.ok) return discarded(opened.detail);
  const pools: TrackedPool[] = [];
  try {
    for (const batch of opened.snapshot.readPools()) {
      for (const tracked of batch) pools.push(tracked);
      await otherWork();
    }
  } catch {
    return discarded('its pools cannot be read');
  }
  // Only these members: the others keep all bytes of the snapshot in memory.
  const { blockNumber, blockHash, tokens, isWhole } = opened.snapshot;
  return { blockNumber, blockHash, tokens, pools, isWhole };
}

/** Lets requests and other chains do their work. */
function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Checks all that must hold before a market from a snapshot is used, the cheapest first. */
async function restoreAt(options: RestoreOptions, snapshot: Loaded, head: Head): Promise<RestoreResult> {
  const { request } = options;
  const { blockNumber, pools } = snapshot;
  const block = head.number < blockNumber ? undefined : await headByNumber(request, blockNumber);
  if (block === undefined)
    return discarded(`it is of block ${blockNumber}, and the node is at ${head.number}`);
  if (block.hash !== snapshot.blockHash)
    return discarded(`its block ${blockNumber} is not part of the chain (any more)`);
  const missed = head.number - block.number;
  if (!isWorthReplaying(missed, pools.length))
    return discarded(`it is ${missed} blocks old, and reading ${pools.length} pools takes less`);
  const listed = await readTokens(createBatchRead(request, options.multicall3, head.hash), options.tokens);
  const addresses = new Set(listed.tokens.map(({ address }) => address));
  if (!isSameSet(addresses, snapshot.tokens))
    return discarded('it was made with other tokens than are followed now');
  const state = createMarketState(options.behaviours);
  state.reset(block, pools);
  if (!(await replay(options, state, head, addresses)))
    return discarded(`its block ${blockNumber} was taken back while the blocks after it were read`);
  const { isWhole } = snapshot;
  // Reading all of a part back would take as long as reading it first.
  const sampleSize = isWhole ? options.sampleSize : Math.ceil(pools.length / 8);
  const sampleCount = Math.min(options.sampleSize, sampleSize, state.pools.size);
  const found = await differences({ ...options, sampleSize: sampleCount }, state);
  return found ?? { outcome: 'RESTORED', state, ...listed, snapshotBlock: blockNumber, sampleCount, isWhole };
}

function isSameSet(a: ReadonlySet<Address>, b: readonly Address[]): boolean {
  return a.size === b.length && b.every((address) => a.has(address));
}

/** Reads some pools back, their identity and their state. Undefined when the chain agrees in everything. */
async function differences(options: RestoreOptions, state: MarketState): Promise<Discarded | undefined> {
  const { request, multicall3, factories, sampleSize } = options;
  const head = state.head();
  const sample = samplePools(state, sampleSize);
  if (head === undefined || sample.length === 0) return undefined;
  const audit = await auditPools(request, multicall3, state, sample);
  if (audit === undefined) return discarded('the node did not give the pools to compare it with');
  const differing = [...audit.wrong.map(({ pool }) => pool.address), ...audit.missing];
  const read = createBatchRead(request, multicall3, head.hash);
  const claimed = sample.flatMap((address) => state.pools.get(address)?.pool ?? []);
  differing.push(...(await impostorsAmong(read, factories, claimed)));
  if (differing.length === 0) return undefined;
  const count = new Set(differing).size;
  return discarded(
    `${count} of ${sample.length} pools read back differ from the chain, such as ${differing[0]}`,
  );
}
