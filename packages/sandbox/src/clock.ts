import { numberToHex } from 'viem';
import type { Line } from './line.ts';
import type { Rpc } from './rpc.ts';

/** The sandbox's time: the wall clock plus what it was advanced by, and never behind the chain. */
export type ChainClock = {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** How far it is ahead of the wall clock. */
  offsetMs(): number;
  /** Takes note of a block: the clock moves up to the timestamp when that is later. Seconds since 1970. */
  observe(timestampSeconds: number): void;
  /** Sets the node's own time to this clock's, so that its next block is stamped with it. */
  align(): Promise<void>;
  /**
   * Moves the clock and the chain; resolves when a block at the new time or later is mined. Rejects with
   * NodeUnreachable when the node does not answer in time.
   */
  advance(seconds: number): Promise<void>;
};

/** The most a clock may be advanced at once: 100 years. */
export const MAX_ADVANCE_SECONDS = 100 * 366 * 86_400;

/** Makes a clock that starts `offsetMs` ahead of `wallMs`; what changes the node's time waits in `line`. */
export function createClock(rpc: Rpc, offsetMs: number, wallMs: () => number, line: Line): ChainClock {
  let offset = Math.max(0, offsetMs);
  const nowMs = () => wallMs() + offset;
  const observe = (timestampSeconds: number) => {
    offset = Math.max(offset, timestampSeconds * 1_000 - wallMs());
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
    // In the line as well: between an advance's new time and its block it would take the time back.
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
      // One after the other, so that two advances at once add up.
      return line(() => advanceNow(seconds));
    },
  };
}
