import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openSavedChain } from './savedChain.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-saved-'));
after(() => rmSync(folder, { recursive: true }));

test('many concurrent saves of the clock succeed, and the last one counts', async () => {
  const saved = openSavedChain(folder);
  await Promise.all(Array.from({ length: 20 }, (_, index) => saved.saveClock(index)));
  assert.deepEqual(readdirSync(folder), ['clock.json']);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'clock.json'), 'utf8')), { offsetMs: 19 });
});
