import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a promise, though no longer than this: undefined when the time is over first. The promise goes on, and a
 * rejection that comes later is ignored. No timer is left behind.
 *
 * @example
 * ```ts
 * import { withPatience } from '@fairway/postgres';
 *
 * const answer = await withPatience(fetch('http://127.0.0.1:8080/health'), 1_000);
 * const isSlow = answer === undefined;
 * ```
 */
export async function withPatience<T>(promise: Promise<T>, patienceMs: number): Promise<T | undefined> {
  const ended = new AbortController();
  const timeOver = pause(patienceMs, ended.signal).then(() => undefined);
  try {
    return await Promise.race([promise, timeOver]);
  } finally {
    ended.abort();
  }
}

/** Waits for this long, or until the signal is aborted if that is sooner. Never rejects. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => {});
}
