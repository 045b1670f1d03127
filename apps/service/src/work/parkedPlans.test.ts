import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logParkedPlans } from './parkedPlans.ts';

/** The lines of a start on these chains. */
async function linesOf(counts: ReadonlyMap<number, number>, served: readonly number[]): Promise<string[]> {
  const lines: string[] = [];
  const operator = { openPlansByChain: async () => ({ ok: true as const, counts }) };
  const warn = (...given: unknown[]) => lines.push(String(given.at(-1)));
  await logParkedPlans(operator, 'production', served, { warn });
  return lines;
}

test('a start names the chains that were taken out of the configuration, and how many plans wait', async () => {
  const counts = new Map([
    [1, 7],
    [10, 2_000],
    [137, 1],
  ]);
  const lines = await linesOf(counts, [1]);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^Chain 10 is not in the configuration, and 2000 open plans wait for it/);
  assert.match(lines[1] ?? '', /^Chain 137 .* 1 open plan waits for it/);
  assert.deepEqual(await linesOf(counts, [1, 10, 137]), []);
});
