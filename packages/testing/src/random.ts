import { readPropertySettings } from './propertySettings.ts';

/** Random choices that can be repeated with the printed seed. */
export type Random = {
  readonly seed: number;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
};

/** Makes random choices from the seed in FC_SEED, or else from one taken from the clock. */
export function createRandom(seed = readPropertySettings(process.env, Date.now()).seed): Random {
  let state = seed >>> 0;
  // Mulberry32 (Tommy Ettinger): small, and good enough to spread test cases.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  function integer(min: number, max: number): number {
    return min + Math.floor(next() * (max - min + 1));
  }
  return {
    seed,
    integer,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new Error('There is nothing to pick from');
      return items[integer(0, items.length - 1)] as T;
    },
  };
}
