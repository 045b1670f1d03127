import { setTimeout as sleep } from 'node:timers/promises';
import { withPatience } from '@fairway/processes';
import type { ChainClock } from './clock.ts';
import { NodeUnreachable, type Rpc } from './rpc.ts';
import type { SavedChain } from './savedChain.ts';

/** A loop that reads the latest block, keeps clock and chain at the same time, and saves a chain that has changed. */
export type HeadWatch = {
  /** The highest number of a block that was seen, also of one that the chain has lost since. */
  highestNumber(): number;
  /** Stops the loop, then reads and saves once more; resolves when that is done, or after a limit. */
  stop(): Promise<void>;
};

/** What the loop works on. */
export type HeadWatchOptions = {
  readonly rpc: Rpc;
  readonly clock: ChainClock;
  readonly saved: SavedChain | undefined;
  readonly log: (message: string) => void;
};

type LatestBlock = { readonly number: string; readonly hash: string; readonly timestamp: string };

const LOOK_MS = 500;
const SAVE_MS = 1_000;
/** After a save the loop rests at least this many times as long as the save took. */
const SAVE_REST = 5;
const TOLERATED_DRIFT_MS = 2_000;
const LAST_SAVE_MS = 1_200;

/** Starts the loop. */
export function startHeadWatch(options: HeadWatchOptions): HeadWatch {
  const { rpc, clock, saved, log } = options;
  const stopping = new AbortController();
  let seen: LatestBlock | undefined;
  let highestNumber = 0;
  let savedHash: string | undefined;
  let nextSaveAt = 0;

  const look = async () => {
    const latest = await rpc.request<LatestBlock>('eth_getBlockByNumber', ['latest', false]);
    highestNumber = Math.max(highestNumber, Number(latest.number));
    if (latest.hash === seen?.hash) return;
    const driftMs = Number(latest.timestamp) * 1_000 - clock.nowMs();
    clock.observe(Number(latest.timestamp));
    // A rollback, a reorg or a revert sets the node's clock back to the time of the block it returned to.
    const wentBack = seen !== undefined && BigInt(latest.number) <= BigInt(seen.number);
    if (wentBack || (seen !== undefined && Math.abs(driftMs) > TOLERATED_DRIFT_MS)) await clock.align();
    seen = latest;
  };
  const saveWhatIsNew = async () => {
    const hash = seen?.hash;
    if (saved === undefined || hash === undefined || hash === savedHash) return;
    const startedAt = performance.now();
    await saved.save(rpc, clock.offsetMs());
    savedHash = hash;
    nextSaveAt = performance.now() + Math.max(SAVE_MS, (performance.now() - startedAt) * SAVE_REST);
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await look();
        if (performance.now() >= nextSaveAt) await saveWhatIsNew();
      } catch (error) {
        // A node that restarts does not answer; its supervisor reports the restart.
        if (!(error instanceof NodeUnreachable)) {
          log(`The sandbox chain could not be saved or read: ${(error as Error).message}`);
          nextSaveAt = performance.now() + SAVE_MS * SAVE_REST;
        }
      }
      await sleep(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    highestNumber: () => highestNumber,
    async stop() {
      stopping.abort();
      const finished = running.then(look).then(saveWhatIsNew);
      await withPatience(
        finished.catch(() => undefined),
        LAST_SAVE_MS,
      );
    },
  };
}
