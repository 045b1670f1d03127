// A year of random plans in a real database, whose reports must be what a second ledger says. There are deposits of all
// kinds, several executions, reorganisations, restores, payouts, returns, corrections, refunds, deductions and closings.
// The plans are in two organisations and on corridors of two chains. `npm run nightly:reports` does so with 50,000
// plans. faults.ts has the faults that are planted here.
//
// These faults were planted into the code, and found:
// - A movement that is taken back counts as more (movementCells.ts).
// - A movement of the first moment of a month is in both months (movementsOfPeriod.ts).
// - A movement that is committed late is booked into a period that was reported (bookMovements.ts).
// - Totals do not tell kinds apart (makeReport.ts).
// - A plan's row has movements from before its period, too (planCells.ts).
//
// These were found without planting:
// - Booking 2,000 movements took half a minute where the database had no statistics of them.
// - Each part of the report of plans added up all plans after it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isSeedGiven, seed } from '@fairway/testing/properties';
import { checkYear, type YearFiles } from './checks.ts';
import { PLANTED_FAULTS } from './faults.ts';
import { openGround, type YearGround } from './ground.ts';
import { holdYear } from './holdYear.ts';

const first = isSeedGiven ? seed : 10_000;
console.log(`FC_SEED=${first}`);

let ground: YearGround;
let year: readonly YearFiles[] = [];
before(async () => {
  ground = await openGround(2);
});
after(() => ground?.close());

test('the reports of a year are what the second ledger says, and stay the same files', async (t) => {
  year = await holdYear(ground, { plans: 150, seed: first, everyNth: 20 }, (line) => t.diagnostic(line));
});

for (const [name, { type, plant, finding }] of Object.entries(PLANTED_FAULTS)) {
  test(`the comparison finds the planted fault: ${name}`, async () => {
    const { reports } = ground.store;
    const desk = ground.desk({ ...reports, ...plant(reports) });
    const found: string[] = [];
    for (const { scope, books } of year)
      if (found.length === 0)
        await checkYear(desk, scope, books, [type]).catch((cause: unknown) => found.push(String(cause)));
    assert.match(found[0] ?? 'nothing was found', finding);
  });
}
