import type { StoreClock } from '@fairway/store';
import type { Logger } from 'pino';
import { timestampOf } from '@fairway/api';

/** How far the clock of this machine may differ from the database's. */
const MOST_DIFFERENCE_MS = 10_000;
/** How often the clocks are compared for the log. */
const LOOK_EVERY_MS = 1_000;

/** Compares the clock of this machine with the database's. */
export type ClockGuard = {
  /** A sentence for callers while both differ too much; undefined while they agree. */
  fault(): string | undefined;
  close(): void;
};

/**
 * Starts to compare the clocks. The database's clock decides when something ends. A machine whose own clock differs
 * is not trusted all the same: one of the two is wrong, and nobody knows which. It is logged when that begins and
 * ends.
 */
export function startClockGuard(clock: StoreClock, log: Logger): ClockGuard {
  const guardLog = log.child({ part: 'clock' });
  let isWrong = false;
  const look = () => {
    const aheadMs = clock.aheadMs();
    if (isTooFar(aheadMs) === isWrong) return;
    isWrong = !isWrong;
    const databaseMs = clock.nowMs();
    const times = { databaseTime: timestampOf(databaseMs), machineTime: timestampOf(databaseMs + aheadMs) };
    if (isWrong)
      guardLog.error(
        times,
        'The clocks of this machine and of the database differ: this process quotes nothing and ends nothing. Set the clocks',
      );
    else guardLog.info(times, 'The clocks of this machine and of the database agree again');
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return {
    fault() {
      const aheadMs = clock.aheadMs();
      if (!isTooFar(aheadMs)) return undefined;
      const seconds = Math.round(Math.abs(aheadMs) / 1000);
      return `The clock of this process is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's; quotes resume when both agree.`;
    },
    close: () => clearInterval(timer),
  };
}

function isTooFar(aheadMs: number): boolean {
  return Math.abs(aheadMs) > MOST_DIFFERENCE_MS;
}
