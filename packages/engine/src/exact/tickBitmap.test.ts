import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTickLeft, nextTickRight, tickBitmapOf, wordCeilingTick, wordFloorTick } from './tickBitmap.ts';

function bitmapOf(indexes: readonly number[], tickSpacing = 1) {
  return tickBitmapOf({ indexes, liquidityNet: indexes.map(() => 1n) }, tickSpacing);
}

test('the next tick is the one the protocol’s own test suite publishes', () => {
  // Uniswap v3-core, TickBitmap spec: nextInitializedTickWithinOneWord.
  const bitmap = bitmapOf([-200, -55, -4, 70, 78, 84, 139, 240, 535]);
  const right: [number, number, boolean][] = [
    [78, 84, true],
    [-55, -4, true],
    [77, 78, true],
    [-56, -55, true],
    [255, 511, false],
    [-257, -200, true],
    [508, 511, false],
    [383, 511, false],
  ];
  const left: [number, number, boolean][] = [
    [78, 78, true],
    [79, 78, true],
    [258, 256, false],
    [256, 256, false],
    [72, 70, true],
    [-257, -512, false],
    [1023, 768, false],
    [900, 768, false],
  ];
  for (const [from, tick, initialised] of right)
    assert.deepEqual(nextTickRight(bitmap, from, 1), { tick, initialised }, `right of ${from}`);
  for (const [from, tick, initialised] of left)
    assert.deepEqual(nextTickLeft(bitmap, from, 1), { tick, initialised }, `left of ${from}`);
});

/** What a walk from grid point to grid point finds before it ends at the last point of a word. */
function walk(indexes: readonly number[], start: number, step: number, tickSpacing: number) {
  const isLastOfWord = (tick: number): boolean => {
    const onGrid = tick / tickSpacing;
    return (((step < 0 ? onGrid : onGrid + 1) % 256) + 256) % 256 === 0;
  };
  let tick = start;
  while (!indexes.includes(tick) && !isLastOfWord(tick)) tick += step;
  return { found: { tick, initialised: indexes.includes(tick) }, isLastOfWord };
}

test('the next tick is the first one that a walk along the grid meets, from every tick', () => {
  for (const tickSpacing of [1, 10]) {
    const indexes = [-513, -512, -511, -300, -256, -1, 0, 3, 255, 256, 511].map((at) => at * tickSpacing);
    const bitmap = bitmapOf(indexes, tickSpacing);
    for (let tick = -540 * tickSpacing; tick <= 540 * tickSpacing; tick += 1) {
      const atOrLeft = tick - (((tick % tickSpacing) + tickSpacing) % tickSpacing);
      const left = walk(indexes, atOrLeft, -tickSpacing, tickSpacing);
      assert.deepEqual(nextTickLeft(bitmap, tick, tickSpacing), left.found, `left of ${tick}`);
      const right = walk(indexes, atOrLeft + tickSpacing, tickSpacing, tickSpacing);
      assert.deepEqual(nextTickRight(bitmap, tick, tickSpacing), right.found, `right of ${tick}`);
      const floor = walk([], atOrLeft, -tickSpacing, tickSpacing).found.tick;
      assert.equal(wordFloorTick(tick, tickSpacing), floor, `floor of ${tick}`);
      const ceiling = walk([], atOrLeft + tickSpacing, tickSpacing, tickSpacing).found.tick;
      assert.equal(wordCeilingTick(tick, tickSpacing), ceiling, `ceiling of ${tick}`);
    }
  }
});
