/**
 * Waits for a promise, but at most `patienceMs`: undefined when it takes longer. The work behind the promise goes on, and
 * an error that comes later is ignored. No timer is left behind.
 *
 * @example
 * ```ts
 * import { withPatience } from '@fairway/processes';
 *
 * const response = await withPatience(fetch('http://127.0.0.1:8080/health'), 1_000);
 * const isSlow = response === undefined;
 * ```
 */
export async function withPatience<T>(promise: Promise<T>, patienceMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeOver = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  try {
    return await Promise.race([promise, timeOver]);
  } finally {
    clearTimeout(timer);
  }
}
