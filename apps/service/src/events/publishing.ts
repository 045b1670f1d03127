import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment, Events } from '@fairway/store';

/** How often committed events are looked for, also while the database is away; how often old ones are forgotten. */
const [LOOK_MS, AWAY_MS, PRUNE_MS] = [200, 1_000, 60_000];

/** What publishing needs. `keptMs`: how long events are kept. */
type Publishing = {
  readonly environment: Environment;
  readonly events: Pick<Events, 'publish' | 'prune'>;
  readonly keptMs: number;
  nowMs(): number;
};

/**
 * Gives committed events the order in which they are read, and forgets the old ones, until `close`. Every process does it; of
 * several one publishes at a time, and when it ends another one goes on. While the database is away nothing is published, and
 * nothing is lost: what is committed is found later.
 */
export function startPublishing({ environment, events, keptMs, nowMs }: Publishing): {
  close(): Promise<void>;
} {
  const closing = new AbortController();
  const { signal } = closing;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  const publishing = (async () => {
    while (!signal.aborted) {
      const outcome = await events.publish(environment);
      if (!outcome.ok) await pause(AWAY_MS);
      else if (outcome.published === 0) await pause(LOOK_MS);
    }
  })();
  const pruning = (async () => {
    while (!signal.aborted) {
      const outcome = await events.prune(environment, new Date(nowMs() - keptMs));
      if (!outcome.ok || outcome.pruned === 0) await pause(PRUNE_MS);
    }
  })();
  return {
    async close() {
      closing.abort();
      await Promise.all([publishing, pruning]);
    },
  };
}
