/** Numbers that look random and are the same in every run. */
export type Numbers = {
  /** From 0 up to 1, which is excluded. */
  fraction(): number;
  /** A whole number from 0 up to `bound`, which is excluded. */
  below(bound: number): number;
};

/** Makes the numbers of a seed (Mulberry32, Tommy Ettinger). */
export function createNumbers(seed: number): Numbers {
  let state = seed >>> 0;
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return { fraction, below: (bound) => Math.floor(fraction() * bound) };
}
