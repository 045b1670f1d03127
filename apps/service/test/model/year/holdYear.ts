// A year of reports, whose files must be what the second ledger says, and stay so whatever comes later.
import assert from 'node:assert/strict';
import { AFTER } from './calendar.ts';
import { checkAfter, checkYear, TYPES, type YearFiles } from './checks.ts';
import type { YearGround } from './ground.ts';
import { liveThroughYear, OUTCOMES, type YearSize } from './living.ts';

/** Lives through a year, has its reports made, lives on, and has them made again. `say`: gets a line for each part. */
export async function holdYear(
  ground: YearGround,
  size: YearSize,
  say: (line: string) => void,
): Promise<readonly YearFiles[]> {
  let beganMs = performance.now();
  const tell = (what: string) => {
    say(`${what}: ${Math.round((performance.now() - beganMs) / 1_000)} s`);
    beganMs = performance.now();
  };
  ground.clock.nowMs = AFTER.toMs + 60_000;
  const year = await liveThroughYear(ground, size);
  const booksOf = (organisationId: string) => year.books.get(organisationId) ?? [];
  tell(`${year.planCount} plans lived through and written`);
  const all: YearFiles[] = [];
  for (const scope of ground.scopes)
    all.push(await checkYear(ground.desk(), scope, booksOf(scope.organisationId)));
  tell(`reports of the year and its months compared, ${rowsOf(all)}`);
  await year.goOn();
  tell('lived on after the year');
  for (const files of all) await checkAfter(ground.desk(), files, booksOf(files.scope.organisationId));
  tell(`the same files once more, and those of what came later, ${rowsOf(all)}`);
  assertOutcomes(all);
  return all;
}

function rowsOf(all: readonly YearFiles[]): string {
  const count = (type: (typeof TYPES)[number]) =>
    all.reduce((sum, { tallies }) => sum + tallies[type].rows.size, 0);
  return TYPES.map((type) => `${count(type)} rows of ${type}`).join(', ');
}

/** The files have everything that happened, also at the beginning of a month and just before. */
function assertOutcomes(all: readonly YearFiles[]): void {
  const words = new Set(all.flatMap(({ tallies }) => TYPES.flatMap((type) => [...tallies[type].words])));
  for (const outcome of OUTCOMES.filter((each) => /^RE[CV]/.test(each)))
    assert.ok(words.has(outcome), `no row is a ${outcome}`);
  for (const word of ['SECOND_EXECUTION', 'OTHERS', 'FIRST MOMENT', 'LAST MOMENT', 'PAID', 'SWAPPED'])
    assert.ok(words.has(word), `no row has ${word}`);
}
