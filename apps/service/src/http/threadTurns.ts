import type { OrganisationLines } from './organisationLines.ts';
import { takeNext } from './organisationLines.ts';

/** The turns of the thread: short times of work, between which newly arrived requests are read. */
export type ThreadTurns = {
  /** Whether the thread has time left in this turn, and no other request waits for it. */
  hasTime(): boolean;
  /** Counts time that work has used. */
  use(ms: number): void;
  /** A waiting request may be able to run now. Until it was looked for, no other request may run before it. */
  look(): void;
};

/** How long work may use the thread before newly arrived requests are read. */
const TURN_MS = 2;

/**
 * Makes the turns. Each starts with waiting requests.
 * @param afterArrivals - Calls back after the requests that have arrived by now were read.
 */
export function createThreadTurns(
  lines: OrganisationLines,
  afterArrivals: (call: () => void) => void,
): ThreadTurns {
  let usedMs = 0;
  let isEnding = false;
  let isBehind = false;

  function endSoon(): void {
    if (isEnding) return;
    isEnding = true;
    afterArrivals(start);
  }

  function start(): void {
    isEnding = false;
    usedMs = 0;
    while (usedMs < TURN_MS) {
      const next = takeNext(lines);
      if (next === undefined) {
        isBehind = false;
        return;
      }
      next.start();
    }
    endSoon();
  }

  return {
    hasTime: () => !isBehind && usedMs < TURN_MS,
    use(ms) {
      usedMs += ms;
      // A turn ends when it is used up, and not with each look for arrivals, which costs a turn of the event loop.
      if (usedMs >= TURN_MS) endSoon();
    },
    look() {
      isBehind = true;
      endSoon();
    },
  };
}
