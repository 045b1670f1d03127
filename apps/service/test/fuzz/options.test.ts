import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeHeap } from './heap.ts';
import { readFuzzOptions } from './options.ts';

test('a run of the fuzzer that would send nothing does not start', () => {
  assert.partialDeepStrictEqual(readFuzzOptions([]), { requests: 980_000, rounds: 50, isWhole: true });
  assert.partialDeepStrictEqual(readFuzzOptions(['--requests', '0']), { sequences: 20_000, isWhole: false });
  for (const option of ['requests', 'sequences', 'rounds', 'seed'])
    for (const text of ['abc', '', '1.5', '1e3'])
      assert.throws(() => readFuzzOptions([`--${option}`, text]), new RegExp(`--${option} must be`));
  assert.throws(() => readFuzzOptions(['--rounds', '0']), /at least 1/);
  assert.throws(() => readFuzzOptions(['--requests', '0', '--sequences', '0']), /both 0/);
});

test('a run of the fuzzer says when it was too short to judge the heap; a whole one then fails', () => {
  const minuteByMinute = (count: number, bytesAt: (minute: number) => number) =>
    Array.from({ length: count }, (_, minute) => ({ atMs: minute * 60_000, bytes: bytesAt(minute) }));
  const steady = (minute: number) => 1000 + (minute % 2);
  for (const mustJudge of [true, false]) {
    const short = judgeHeap(minuteByMinute(20, steady), mustJudge);
    assert.match(short.sentence, /NOT judged: .* 20 minutes/);
    assert.equal(short.isFault, mustJudge);
    assert.equal(judgeHeap(minuteByMinute(30, steady), mustJudge).isFault, false);
    const growing = judgeHeap(
      minuteByMinute(30, (minute) => 1000 + 10 * minute),
      mustJudge,
    );
    assert.match(growing.sentence, /grew by at most 9\.\d %/);
    assert.equal(growing.isFault, true);
  }
});
