/** How often a key was counted in its window, and the rest of the window, at least one second. */
export type Count = { readonly used: number; readonly restSeconds: number };

/** Counts by key in windows. A window starts with the first count after the end of the window before. */
export type WindowCounter = {
  count(key: string): Count;
  /** How often a key was counted in the window that is open; 0 when none is. */
  used(key: string): number;
  /** How many keys are remembered. */
  size(): number;
};

/** How many keys have a counter. Beyond this the oldest counter is dropped. */
const KEYS_REMEMBERED = 50_000;

/**
 * Makes a counter. Names that callers choose would fill it up to its limit and stay. So each count or question first
 * forgets all windows that have ended.
 */
export function createWindowCounter(
  windowSeconds: number,
  nowMs: () => number = () => performance.now(),
  mostKeys: number = KEYS_REMEMBERED,
): WindowCounter {
  const windowMs = 1000 * windowSeconds;
  // In the order in which the windows began: an entry is made once and deleted when its window has ended.
  const windows = new Map<string, { readonly startMs: number; used: number }>();

  function forgetEnded(now: number): void {
    for (const [key, { startMs }] of windows) {
      if (now - startMs < windowMs) return;
      windows.delete(key);
    }
  }

  return {
    count(key) {
      const now = nowMs();
      forgetEnded(now);
      const open = windows.get(key);
      if (open !== undefined) {
        open.used += 1;
        return { used: open.used, restSeconds: Math.ceil((open.startMs + windowMs - now) / 1000) };
      }
      windows.set(key, { startMs: now, used: 1 });
      const oldest = windows.size > mostKeys ? windows.keys().next().value : undefined;
      if (oldest !== undefined) windows.delete(oldest);
      return { used: 1, restSeconds: windowSeconds };
    },
    used(key) {
      forgetEnded(nowMs());
      return windows.get(key)?.used ?? 0;
    },
    size: () => windows.size,
  };
}
