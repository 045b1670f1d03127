import { unlessAway } from '@fairway/postgres';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@fairway/values';
import type { Events } from './events.ts';
import type { Logger } from 'pino';

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
 * nothing is lost: what is committed is found later. A fault here stops nothing else: it is logged, and tried again.
 *
 * @example
 * ```ts
 * import { type Events, startPublishing } from '@fairway/outbox';
 *
 * declare const events: Events;
 * const ground = { environment: 'production', events, keptMs: 30 * 86_400_000, nowMs: Date.now } as const;
 * const publishing = startPublishing(ground, console);
 * await publishing.close();
 * ```
 */
export function startPublishing(
  { environment, events, keptMs, nowMs }: Publishing,
  log: Pick<Logger, 'error'>,
): { close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  /** Does a part of the work again and again: at once where there may be more, else after a pause. */
  async function repeat(part: () => Promise<number>, pauseMs: number): Promise<void> {
    let isLogged = false;
    while (!signal.aborted) {
      const count = await unlessAway(part()).catch((error: unknown) => {
        if (!isLogged) log.error({ err: error }, 'Events cannot be put in their order, or not be forgotten');
        isLogged = true;
        return 'AWAY' as const;
      });
      if (count !== 'AWAY') isLogged = false;
      if (count === 0 || count === 'AWAY')
        await sleep(count === 0 ? pauseMs : AWAY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  const publishing = repeat(async () => {
    const { published } = await events.publish(environment);
    return published;
  }, LOOK_MS);
  const pruning = repeat(async () => {
    const { pruned } = await events.prune(environment, new Date(nowMs() - keptMs));
    return pruned;
  }, PRUNE_MS);
  return {
    async close() {
      closing.abort();
      await Promise.all([publishing, pruning]);
    },
  };
}
