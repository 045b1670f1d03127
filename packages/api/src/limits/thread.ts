import { type OrganisationLines, takeNext } from './lines.ts';

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

/** Tells how much of the thread's time each request has used, as far as that can be known. */
export type ThreadShares = {
  /** A request begins that waits in between, for example for the database. Returns what `end` needs. */
  begin(): number;
  /** The request has ended. Returns its time on the thread, in milliseconds. */
  end(begunAt: number): number;
  /** Work that did not wait took this long. It is not shared among the requests that are under way. */
  exclude(ms: number): void;
};

/**
 * Shares the time in which the thread is busy among the requests that are under way, in equal parts. It cannot be
 * measured cheaply which of several waiting requests an answer of the database belongs to. But all the time of the
 * thread is charged once, and a request that costs more stays longer.
 * @param busyMs - How long the thread has been busy since it started.
 */
export function createThreadShares(busyMs: () => number): ThreadShares {
  let underWay = 0;
  /** The charge of a request that was under way since the start. */
  let sharedMs = 0;
  let countedMs = busyMs();

  function count(): void {
    const nowMs = busyMs();
    if (underWay > 0) sharedMs += Math.max(0, nowMs - countedMs) / underWay;
    countedMs = nowMs;
  }

  return {
    begin() {
      count();
      underWay += 1;
      return sharedMs;
    },
    end(begunAt) {
      count();
      underWay -= 1;
      return sharedMs - begunAt;
    },
    exclude(ms) {
      countedMs += ms;
    },
  };
}

/** What operations have cost, in milliseconds of the thread. */
export type MeanCosts = {
  /** What the next run of an operation is expected to cost. */
  expected(name: string): number;
  /** Notes what a run has cost. */
  add(name: string, costMs: number): void;
};

/** The cost of an operation before it was measured, and the weight of each new measurement in its mean. */
const FIRST_COST_MS = 1;
const WEIGHT = 1 / 8;

/** Makes the moving means of what operations cost. */
export function createMeanCosts(): MeanCosts {
  const means = new Map<string, number>();
  const expected = (name: string) => means.get(name) ?? FIRST_COST_MS;
  return {
    expected,
    add: (name, costMs) => means.set(name, expected(name) + (costMs - expected(name)) * WEIGHT),
  };
}
