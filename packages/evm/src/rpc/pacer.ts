import { createLearntRate } from './learntRate.ts';
import { RpcBusyError } from './errors.ts';

/** Says when requests may be sent to one URL, and learns how many it bears. */
export type Pacer = {
  /**
   * Resolves when a request may be sent; `finished` must be called when it is over. Rejects with RpcBusyError if it
   * cannot be sent by `untilMs`: at once if this is known already, else at the request's turn.
   */
  turn(isBackground: boolean, untilMs: number): Promise<void>;
  finished(): void;
  /** How long a request would have to wait now. */
  waitMs(isBackground: boolean): number;
  /** The node answered a request. */
  answered(): void;
  /** The node refused a request that was sent at this time, as too many; `pauseMs`: how long it wants to be left alone. */
  refused(sentAtMs: number, pauseMs: number | undefined): void;
  /** Rejects what waits, and what comes. */
  close(reason: Error): void;
};

/** The most requests under way at one URL, and how many of them may be in the background. */
const MOST_AT_ONCE = 32;
const MOST_IN_BACKGROUND = 24;
/** A waiting background request is sent after at most this many others: it must not wait for ever. */
const OTHERS_IN_A_ROW = 3;
type Waiting = {
  readonly untilMs: number;
  go(): void;
  fail(error: Error): void;
  /** Whether it had to wait before it could be sent. */
  hasWaited: boolean;
};

/**
 * Paces the requests to one URL by what it has learnt of it. Requests that somebody waits for go first, and requests
 * in the background have a share. Nothing runs while nobody asks.
 */
export function createPacer(nowMs: () => number = () => performance.now()): Pacer {
  const rate = createLearntRate(nowMs);
  const lines = createLines();
  let underWay = 0;
  let nextAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed: Error | undefined;

  const startsAtMs = () => Math.max(nextAtMs, rate.pausedUntilMs());

  function sendWaiting(): void {
    clearTimeout(timer);
    timer = undefined;
    while (underWay < MOST_AT_ONCE && !lines.areEmpty()) {
      const now = nowMs();
      if (startsAtMs() > now) {
        timer = setTimeout(sendWaiting, startsAtMs() - now);
        return;
      }
      const next = lines.take(underWay < MOST_IN_BACKGROUND);
      if (next === undefined) return;
      // A request that has not waited here is sent even after `untilMs`. It lost that time at another URL.
      if (next.hasWaited && next.untilMs < now) {
        next.fail(busyWithOthers());
        continue;
      }
      underWay++;
      nextAtMs = Math.max(now, nextAtMs) + rate.gapMs();
      next.go();
    }
  }

  function waitMs(isBackground: boolean): number {
    return Math.max(0, startsAtMs() - nowMs()) + lines.before(isBackground) * rate.gapMs();
  }

  return {
    turn(isBackground, untilMs) {
      if (closed !== undefined) return Promise.reject(closed);
      const wait = waitMs(isBackground);
      if (wait > 0 && nowMs() + wait > untilMs) return Promise.reject(busyWithOthers());
      return new Promise((go, fail) => {
        const waiting: Waiting = { untilMs, go, fail, hasWaited: false };
        lines.push(isBackground, waiting);
        sendWaiting();
        waiting.hasWaited = true;
      });
    },
    finished() {
      underWay--;
      sendWaiting();
    },
    waitMs,
    answered: rate.answered,
    refused(sentAtMs, pauseMs) {
      rate.refused(sentAtMs, pauseMs);
      nextAtMs = Math.max(nextAtMs, nowMs() + rate.gapMs());
      lines.fail(new RpcBusyError('it asked for a pause'), startsAtMs());
      sendWaiting();
    },
    close(reason) {
      closed = reason;
      clearTimeout(timer);
      lines.fail(reason, Number.POSITIVE_INFINITY);
    },
  };
}

function busyWithOthers(): RpcBusyError {
  return new RpcBusyError('other requests wait before this one');
}

/** The requests that wait for their turn. */
function createLines() {
  const live: Waiting[] = [];
  const background: Waiting[] = [];
  let othersInARow = 0;
  return {
    push: (isBackground: boolean, each: Waiting) => (isBackground ? background : live).push(each),
    areEmpty: () => live.length + background.length === 0,
    /** How many are sent before one that comes now. */
    before: (isBackground: boolean) => live.length + (isBackground ? background.length : 0),
    take(mayBeBackground: boolean): Waiting | undefined {
      const isBackgroundDue = othersInARow >= OTHERS_IN_A_ROW || live.length === 0;
      if (isBackgroundDue && background.length > 0 && mayBeBackground) {
        othersInARow = 0;
        return background.shift();
      }
      if (background.length > 0) othersInARow++;
      return live.shift();
    },
    /** Fails the requests whose `untilMs` is before a time; all of them before infinity. */
    fail(error: Error, timeMs: number): void {
      for (const line of [live, background])
        for (const each of line.splice(0))
          if (each.untilMs < timeMs || timeMs === Number.POSITIVE_INFINITY) each.fail(error);
          else line.push(each);
    },
  };
}
