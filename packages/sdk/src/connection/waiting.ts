const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** What is added at most to a wait that the service has named, so that callers do not come back all at once. */
const EXTRA_SHARE = 0.1;

/**
 * How long to wait before the next attempt: a random time between half of a doubling wait and all of it. It is never less than
 * the service has asked for, with up to a tenth more of that.
 */
export function waitMs(failures: number, retryAfterSeconds = 0, random: number = Math.random()): number {
  const longestMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
  return Math.max((longestMs * (1 + random)) / 2, retryAfterSeconds * 1000 * (1 + EXTRA_SHARE * random));
}

/** Waits. An abort ends it, and throws the reason of the signal. */
export function sleep(timeMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(reasonOf(signal));
    const timer = setTimeout(done, timeMs);
    signal?.addEventListener('abort', stopped, { once: true });
    function done() {
      signal?.removeEventListener('abort', stopped);
      resolve();
    }
    function stopped() {
      clearTimeout(timer);
      reject(reasonOf(signal));
    }
  });
}

/** Why a signal was aborted, as fetch would throw it. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason as Error;
}
