// The words for what is to happen next: those of plans, those of the API, and those that docs/payments.md explains.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NEXT, type NextWhy as PlanWhy } from '@fairway/plan';
import { NEXT_BYS, NEXT_DOS, NEXT_OPTIONS, NEXT_WHYS, type NextWhy } from '@fairway/wire';

/** Does not compile where the API has a word that no plan says; `nextBody.ts` does not where a plan says another one. */
const saidByPlans = (word: NextWhy): PlanWhy => word;

const whys = Object.keys(NEXT_WHYS).map((word) => saidByPlans(word as NextWhy));

test('the table in docs/payments.md has every reason for what is next, what is done, and by whom', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/payments.md'), 'utf8');
  const [, section = ''] = /^## What is next\n(.*?)^## /ms.exec(page) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const told = rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  assert.deepEqual(
    told.map(([, why, what, by]) => `${why} ${what} ${by}`),
    whys.map((why) => `${why} ${NEXT[why].do} ${NEXT[why].by}`),
  );
  for (const [, why, , , when = '', what = ''] of told)
    assert.ok(when !== '' && what !== '', `${why} says when, and what to do`);
});

test('the API has every word of what plans ask for, and no other', () => {
  assert.deepEqual(new Set(Object.keys(NEXT)), new Set(whys));
  const meant = Object.values(NEXT);
  assert.deepEqual(new Set(meant.map((each) => each.do)), new Set(NEXT_DOS));
  assert.deepEqual(new Set(meant.map(({ by }) => by)), new Set(NEXT_BYS));
  assert.deepEqual(new Set(meant.flatMap(({ options = [] }) => options)), new Set(NEXT_OPTIONS));
  // A transaction or a price that never comes: the waits that somebody may have to end.
  const withOptions = whys.filter((why) => NEXT[why].options !== undefined);
  const decided = whys.filter((why) => NEXT[why].do === 'DECIDE');
  assert.deepEqual(new Set(withOptions), new Set([...decided, 'TRANSACTION_PENDING', 'PRICE_BELOW_FLOOR']));
});
