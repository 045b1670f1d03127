// References are compared in one form, by PostgreSQL as by the service.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import { referenceForm } from '@fairway/statements';
import fc from 'fast-check';
import { sql } from 'kysely';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench?.close());

async function formsInDatabase(texts: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ form: string }>`
    select reference_form(u.text) as form from unnest(${texts}::text[]) with ordinality as u (text, place)
    order by u.place`.execute(bench.database);
  return rows.map(({ form }) => form);
}

test('PostgreSQL gives each reference the form that the service gives it', async () => {
  const each = String.fromCharCode(...Array.from({ length: 0x2100 }, (_, index) => index + 1));
  const texts = [
    ...each,
    'inv-2026 / 7',
    'Straße 7',
    'ÄÖÜ-äöü',
    'İıſK',
    '\uFEFFa\u00A0b\u202Fc',
    '😀-7',
    'INV‑2026–7',
    'a\u00ADb',
    '',
  ];
  assert.deepEqual(await formsInDatabase(texts), texts.map(referenceForm));
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .filter((one) => !one.includes('\0') && one.isWellFormed());
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 50 }), async (some) => {
      assert.deepEqual(await formsInDatabase(some), some.map(referenceForm));
    }),
    { seed, numRuns: runs(50) },
  );
});
