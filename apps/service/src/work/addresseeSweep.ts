import { setTimeout as sleep } from 'node:timers/promises';
import type { Collect } from '@fairway/store';
import type { Logger } from 'pino';

/** How long between two sweeps, and how many rounds are looked at at once. */
const [SWEEP_MS, SWEPT_AT_ONCE] = [30_000, 200];

/**
 * Notes to which addresses collect links went that a process of an earlier version made, now and every 30 seconds, until
 * `close`: links of before the update, and links that such a process still makes while the update is rolled out.
 */
export function startAddresseeSweep(
  collect: Pick<Collect, 'noteAddressees'>,
  log: Pick<Logger, 'error'>,
): { close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  let isTold = false;
  async function sweepOn(): Promise<void> {
    while (!signal.aborted) {
      await sweep(collect, signal).catch((error: unknown) => {
        if (!isTold) log.error({ err: error }, 'The addressees of collect links cannot be noted');
        isTold = true;
      });
      await sleep(SWEEP_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  const sweeping = sweepOn();
  return {
    async close() {
      closing.abort();
      await sweeping;
    },
  };
}

/** Goes once through all rounds whose addressee is not noted. */
async function sweep(collect: Pick<Collect, 'noteAddressees'>, signal: AbortSignal): Promise<void> {
  let after: Parameters<Collect['noteAddressees']>[0]['after'];
  do {
    const part = await collect.noteAddressees({ limit: SWEPT_AT_ONCE, after });
    // The database is away. What is left is found by the next sweep.
    if (!part.ok) return;
    after = part.next;
  } while (after !== undefined && !signal.aborted);
}
