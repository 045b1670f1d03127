import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for this long, or until the signal is aborted if that is sooner. Never rejects. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => {});
}
