import { numberToHex } from 'viem';
import type { Line } from './line.ts';
import type { Rpc } from './rpc.ts';

/** The sandbox's time: the wall clock plus all advances, and never before the latest block. */
export type ChainClock = {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** How far this clock is ahead of the wall clock. */
  offsetMs(): number;
  /** Moves the clock up to a block's timestamp if that is later. Seconds since 1970. */
  observe(timestampSeconds: number): void;
  /** Sets the node's time to this clock's, for the timestamp of its next block. */
  align(): Promise<void>;
  /**
   * Moves the clock and the chain; resolves when a block at the new time or later is mined. Rejects with
   * NodeUnreachable when the node does not answer in time.
   */
  advance(seconds: number): Promise<void>;
};

/** The most a clock may be advanced at once: 100 years. */
export const MAX_ADVANCE_SECONDS = 100 * 366 * 86_400;

/** Makes a clock that starts `offsetMs` ahead of `wallClockMs`. Changes of the node's time wait for each other in `line`. */
export function createClock(rpc: Rpc, offsetMs: number, wallClockMs: () => number, line: Line): ChainClock {
  let offset = Math.max(0, offsetMs);
  const nowMs = () => wallClockMs() + offset;
  const observe = (timestampSeconds: number) => {
    offset = Math.max(offset, timestampSeconds * 1_000 - wallClockMs());
  };
  const advanceNow = async (seconds: number) => {
    const target = Math.ceil((nowMs() + seconds * 1_000) / 1_000);
    await rpc.request('evm_setTime', [target]);
    await rpc.request('evm_mine');
    const { timestamp } = await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
    if (Number(timestamp) < target)
      throw new Error(`The chain did not reach ${target}: it is at ${Number(timestamp)}`);
    observe(Number(timestamp));
  };
  return {
    nowMs,
    offsetMs: () => offset,
    observe,
    // It waits in the line, too. Between the new time of an advance and its block, it would set the node's time back.
    align: () =>
      line(async () => {
        await rpc.request('evm_setTime', [numberToHex(Math.floor(nowMs() / 1_000))]);
      }),
    advance(seconds) {
      if (!(seconds >= 0 && seconds <= MAX_ADVANCE_SECONDS)) {
        return Promise.reject(
          new RangeError(`advance must be 0 to ${MAX_ADVANCE_SECONDS} seconds, not ${seconds}`),
        );
      }
      // One after the other, so that two advances at the same time add up.
      return line(() => advanceNow(seconds));
    },
  };
}
