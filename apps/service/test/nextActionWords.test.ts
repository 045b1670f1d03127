// The words for what is to happen next: those of plans, those of the API, and those that docs/payments.md explains.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NextActionCode } from '@fairway/plan';
import { NEXT_ACTION_MEANINGS, type NextActionWord } from '@fairway/wire';

/** Does not compile where the API has a word that no plan says; `planBody.ts` does not where a plan says another one. */
const saidByPlans = (word: NextActionWord): NextActionCode => word;

test('the table in docs/payments.md has every word for what is next, with who acts', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/payments.md'), 'utf8');
  const [, section = ''] = /^## What is next\n(.*?)^## /ms.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const told = rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  const meant = Object.entries(NEXT_ACTION_MEANINGS);
  assert.deepEqual(
    told.map(([, word, actor]) => `${word} ${actor}`),
    meant.map(([word, { actor }]) => `${saidByPlans(word as NextActionWord)} ${actor}`),
  );
  for (const [, word, , when = '', what = ''] of told)
    assert.ok(when !== '' && what !== '', `${word} says when, and what to do`);
});
