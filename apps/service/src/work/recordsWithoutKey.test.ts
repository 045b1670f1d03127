import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logRecordsWithoutKey } from './recordsWithoutKey.ts';

/** The lines of a start with these keys, where the store counts so many records of others. */
async function linesOf(counts: ReadonlyMap<string, number>, keyIds: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const operator = { recordsWithoutKey: async () => ({ ok: true as const, counts }) };
  const warn = (...given: unknown[]) => lines.push(String(given.at(-1)));
  await logRecordsWithoutKey(operator, keyIds, { warn });
  return lines;
}

test('a start names each key that is missing, how much it seals, and what to do', async () => {
  const lines = await linesOf(
    new Map([
      ['2025', 1_200],
      ['2026', 1],
    ]),
    ['2027'],
  );
  assert.deepEqual(lines, [
    'FAIRWAY_SEALING_KEYS lacks 2025, and 1200 records are sealed with it: nobody can read them, and links of such plans ' +
      'cannot be sent. Give 2025 again, behind the first key, run "fairway reseal" to its end, and then take it out. ' +
      'If it is lost: docs/operating.md, "A sealing key is lost".',
    'FAIRWAY_SEALING_KEYS lacks 2026, and 1 record is sealed with it: nobody can read it, and links of such plans ' +
      'cannot be sent. Give 2026 again, behind the first key, run "fairway reseal" to its end, and then take it out. ' +
      'If it is lost: docs/operating.md, "A sealing key is lost".',
  ]);
});

test('a start without a missing key, or without keys at all, says nothing', async () => {
  assert.deepEqual(await linesOf(new Map(), ['2027']), []);
  assert.deepEqual(await linesOf(new Map([['2025', 7]]), []), []);
});
