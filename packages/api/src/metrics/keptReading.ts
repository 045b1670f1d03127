/**
 * How long a reading is kept before it is made anew, so that scrapes of several collectors cost one. When reading takes
 * long, it is kept longer, so that it takes a hundredth of the time at most.
 */
const LIFE_MS = 10_000;
const MOST_SHARE = 1 / 100;

/**
 * Gives the same reading for some time. A caller who asks while it is being made waits for the same one. `monotonicMs`: a
 * clock that never jumps.
 *
 * @example
 * ```ts
 * import { keptReading } from '@fairway/api';
 *
 * declare const countRows: () => Promise<number>;
 * const read = keptReading(countRows);
 * const count = await read();
 * ```
 */
export function keptReading<Figures>(
  read: () => Promise<Figures>,
  monotonicMs: () => number = () => performance.now(),
): () => Promise<Figures> {
  let latest: Promise<Figures> | undefined;
  let isReading = false;
  let untilMs = 0;
  return () => {
    const startedMs = monotonicMs();
    if (latest !== undefined && (isReading || startedMs < untilMs)) return latest;
    isReading = true;
    latest = read().finally(() => {
      isReading = false;
      untilMs = startedMs + Math.max(LIFE_MS, (monotonicMs() - startedMs) / MOST_SHARE);
    });
    return latest;
  };
}
