import type { TickTable } from '../types.ts';

// A pool keeps its initialised ticks as bits, 256 to a word, indexed by tick / tickSpacing.
// A swap looks for the next tick within one word only, so every word edge ends a step. Source: Uniswap v3-core, TickBitmap.

const WORD_BITS = 256;

/** Where a swap step may go: an initialised tick, or the edge of the bitmap word. */
export type NextTick = { readonly tick: number; readonly initialised: boolean };

/** A tick in units of the spacing, rounded towards minus infinity. */
function compressTick(tick: number, tickSpacing: number): number {
  return Math.floor(tick / tickSpacing);
}

/** The lowest tick of the bitmap word that holds `tick`: where a leftward step ends when the word has no initialised tick. */
export function wordFloorTick(tick: number, tickSpacing: number): number {
  const compressed = compressTick(tick, tickSpacing);
  return Math.floor(compressed / WORD_BITS) * WORD_BITS * tickSpacing;
}

/**
 * The highest tick of the bitmap word that holds the first tick right of `tick`. A rightward step ends there
 * when that word has no initialised tick.
 */
export function wordCeilingTick(tick: number, tickSpacing: number): number {
  const compressed = compressTick(tick, tickSpacing) + 1;
  return (Math.floor(compressed / WORD_BITS) * WORD_BITS + WORD_BITS - 1) * tickSpacing;
}

/** A pool's initialised ticks as the contract stores them: bits by word. */
export type TickBitmap = ReadonlyMap<number, bigint>;

/** Builds the bitmap of a tick table. */
export function tickBitmapOf(ticks: TickTable, tickSpacing: number): TickBitmap {
  const words = new Map<number, bigint>();
  for (const tick of ticks.indexes) {
    const compressed = compressTick(tick, tickSpacing);
    const word = Math.floor(compressed / WORD_BITS);
    const bit = compressed - word * WORD_BITS;
    words.set(word, (words.get(word) ?? 0n) | (1n << BigInt(bit)));
  }
  return words;
}

/** The nearest initialised tick at or left of `tick` in its word, else the word's floor. */
export function nextTickLeft(bitmap: TickBitmap, tick: number, tickSpacing: number): NextTick {
  const compressed = compressTick(tick, tickSpacing);
  const word = Math.floor(compressed / WORD_BITS);
  const position = compressed - word * WORD_BITS;
  const atOrBelow = (bitmap.get(word) ?? 0n) & ((1n << BigInt(position + 1)) - 1n);
  if (atOrBelow === 0n) return { tick: (compressed - position) * tickSpacing, initialised: false };
  const highestBit = atOrBelow.toString(2).length - 1;
  return { tick: (compressed - position + highestBit) * tickSpacing, initialised: true };
}

/** The nearest initialised tick right of `tick` in the word of its right neighbour, else that word's ceiling. */
export function nextTickRight(bitmap: TickBitmap, tick: number, tickSpacing: number): NextTick {
  const compressed = compressTick(tick, tickSpacing) + 1;
  const word = Math.floor(compressed / WORD_BITS);
  const position = compressed - word * WORD_BITS;
  const atOrAbove = (bitmap.get(word) ?? 0n) >> BigInt(position);
  if (atOrAbove === 0n) {
    return { tick: (compressed + WORD_BITS - 1 - position) * tickSpacing, initialised: false };
  }
  const lowestBit = (atOrAbove & -atOrAbove).toString(2).length - 1;
  return { tick: (compressed + lowestBit) * tickSpacing, initialised: true };
}
