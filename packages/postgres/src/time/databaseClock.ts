import { type QueryExecutorProvider, sql } from 'kysely';
import { pause } from './pause.ts';

/**
 * The time of the database server. It is read every two seconds; in between, the monotonic clock of this process carries
 * it on. The wall clock of this machine plays no part in it, so that all processes of a database have one time.
 */
export type DatabaseClock = {
  /** Milliseconds since 1970: never more than the server's own clock says, and seldom less by more than a journey. */
  nowMs(): number;
  /**
   * How far this machine's clock is ahead of the server's; negative where it is behind, and 0 where the two may agree.
   */
  aheadMs(): number;
  /** Ends the readings. */
  close(): void;
};

/** The clocks of this process; tests give others. */
export type OwnClocks = { readonly monotonicMs: () => number; readonly wallClockMs: () => number };

const OWN_CLOCKS: OwnClocks = { monotonicMs: () => performance.now(), wallClockMs: () => Date.now() };
const READ_EVERY_MS = 2_000;
/** An answer that took longer says too little about the time. */
const SLOWEST_READING_MS = 1_000;

/**
 * Reads the time of the server, and goes on to read it until `close`. While the server does not answer, the time is
 * carried on. Rejects when the first reading fails.
 *
 * @example
 * ```ts
 * import { openDatabase, startDatabaseClock } from '@fairway/postgres';
 *
 * const database = openDatabase({ url: 'postgres://app@127.0.0.1/app' }, console.error);
 * const clock = await startDatabaseClock(database);
 * console.log(new Date(clock.nowMs()).toISOString());
 * clock.close();
 * ```
 */
export async function startDatabaseClock(
  database: QueryExecutorProvider,
  own: OwnClocks = OWN_CLOCKS,
): Promise<DatabaseClock> {
  const closing = new AbortController();
  const read = async () => {
    const sentMs = own.monotonicMs();
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
    const serverMs = rows[0]?.now.getTime();
    if (serverMs === undefined) throw new Error('The database has not said what time it is.');
    return { serverMs, sentMs, receivedMs: own.monotonicMs() };
  };
  let known = comparedWith(undefined, await read());
  const readOn = async () => {
    while (!closing.signal.aborted) {
      await pause(READ_EVERY_MS, closing.signal);
      // A reading that fails is followed by the next one.
      const reading = closing.signal.aborted ? undefined : await read().catch(() => undefined);
      if (reading !== undefined && reading.receivedMs - reading.sentMs <= SLOWEST_READING_MS)
        known = comparedWith(known, reading);
    }
  };
  void readOn();
  const nowMs = () => Math.floor(own.monotonicMs() + known.leastMs);
  return {
    nowMs,
    aheadMs() {
      const aheadMs = own.wallClockMs() - nowMs();
      if (aheadMs < 0) return aheadMs;
      return Math.max(0, aheadMs - (known.mostMs - known.leastMs));
    },
    close: () => closing.abort(),
  };
}

/** When the server's clock was read, between two moments of the monotonic clock. */
type Reading = { readonly serverMs: number; readonly sentMs: number; readonly receivedMs: number };

/** The least and the most by which the server's clock is ahead of the monotonic one. */
type Offset = { readonly leastMs: number; readonly mostMs: number };

/**
 * The offset after a reading. The earlier least one is kept while it agrees with the reading. So the time does not go
 * back and forth with the journeys to the server.
 */
function comparedWith(known: Offset | undefined, { serverMs, sentMs, receivedMs }: Reading): Offset {
  // A millisecond more at most, because the server counts in smaller parts.
  const [leastMs, mostMs] = [serverMs - receivedMs, serverMs + 1 - sentMs];
  const agrees = known !== undefined && known.leastMs >= leastMs && known.leastMs <= mostMs;
  return { leastMs: agrees ? known.leastMs : leastMs, mostMs };
}
