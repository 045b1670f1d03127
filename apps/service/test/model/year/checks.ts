// Compares the files of a year with the second ledger, and its months with the year.
import assert from 'node:assert/strict';
import type { PlanScope } from '@fairway/store';
import type { CompleteReport } from '../../../src/parts/reports/downloadReport.ts';
import { type Book, gasOf, type Sums, together } from './books.ts';
import { AFTER, MONTHS, type Period, YEAR } from './calendar.ts';
import type { Ask, Desk } from './desk.ts';
import { createTally, readInto, type Tally, totalsOf } from './tally.ts';

type ReportType = Exclude<Ask['type'], 'journal'>;
/** The types of reports. A journal has the movements once more, and adds up to nothing. */
export const TYPES: readonly ReportType[] = ['movements', 'execution-quality', 'plans'];

/** The reports of an organisation's year, with what their files said. `books`: with which they agree. */
export type YearFiles = {
  readonly scope: PlanScope;
  readonly books: readonly Book[];
  readonly reports: readonly CompleteReport[];
  readonly tallies: Readonly<Record<ReportType, Tally>>;
};

/** Has the reports of a year and its months made, and compares them with the books. `types`: some of them. */
export async function checkYear(
  desk: Desk,
  scope: PlanScope,
  books: readonly Book[],
  types = TYPES,
): Promise<YearFiles> {
  const reports: CompleteReport[] = [];
  const tallies = { movements: createTally(), 'execution-quality': createTally(), plans: createTally() };
  for (const type of types) {
    const year = await file(desk, scope, tallies[type], { type, format: 'csv', ...YEAR });
    const ofMonths = createTally();
    const months: CompleteReport[] = [];
    for (const month of MONTHS)
      months.push(await file(desk, scope, ofMonths, { type, format: 'json', ...month }));
    assertSame(
      together(months.map(totalsOf)),
      totalsOf(year),
      `${type}: the totals of the months are the year's`,
    );
    assertMonths(type, tallies[type], ofMonths);
    reports.push(year, ...months);
  }
  const files = { scope, books: [...books], reports, tallies };
  assertBooks(tallies, books, reports.filter(isOf(YEAR)));
  return files;
}

/**
 * Makes the earlier files once more: they must be the same. Files of the time after the year are made, too, and all together agree
 * with the books of now.
 */
export async function checkAfter(desk: Desk, files: YearFiles, books: readonly Book[]): Promise<void> {
  const { scope, reports, tallies } = files;
  const after: CompleteReport[] = [];
  for (const type of TYPES)
    after.push(await file(desk, scope, tallies[type], { type, format: 'csv', ...AFTER }));
  assertBooks(tallies, books, [...reports.filter(isOf(YEAR)), ...after]);
  for (const report of reports) await desk.again(scope, report);
  for (const { type, format, fromMs, toMs, result } of reports.filter(isOf(YEAR))) {
    const { result: again } = await desk.make(scope, { type, format, fromMs, toMs });
    assert.deepEqual(again, result, `${type}: the year is the same file after corrections`);
  }
}

const isOf =
  ({ fromMs, toMs }: Period) =>
  (report: Period): boolean =>
    report.fromMs === fromMs && report.toMs === toMs;

/** Has a report made, and reads its file into a tally. */
async function file(
  desk: Desk,
  scope: PlanScope,
  tally: Tally,
  ask: Ask & { readonly type: ReportType },
): Promise<CompleteReport> {
  const report = await desk.make(scope, ask);
  await readInto(tally, report, desk.rows(scope, report));
  return report;
}

/** Every row of the year is in one month, and nothing else; of a plan each month has a part. */
function assertMonths(type: ReportType, year: Tally, months: Tally): void {
  assertPlans(months.plans, year.plans, `${type}: the months of a plan`);
  if (type === 'plans') return;
  assert.equal(months.rows.size, year.rows.size, `${type}: the rows of the months`);
  const digest = ({ sequence }: Tally) => sequence.copy().digest('hex');
  assert.equal(digest(months), digest(year), `${type}: the months, one after the other, are the year`);
}

/** Compares what all files up to now add up to with the second ledger, of each plan and of all together. */
function assertBooks(
  tallies: YearFiles['tallies'],
  books: readonly Book[],
  reports: readonly CompleteReport[],
): void {
  const moved = new Map(books.map((book) => [book.planId, book.moved]));
  const swapped = new Map(books.map((book) => [book.planId, swapsOf(book.moved)]));
  const amounts = new Map(books.map((book) => [book.planId, book.amounts]));
  const due = { movements: moved, 'execution-quality': swapped, plans: amounts };
  const types = TYPES.filter((type) => reports.some((report) => report.type === type));
  for (const type of types) {
    const { plans, totals } = tallies[type];
    assertPlans(plans, due[type], `${type}: the ledger of a plan`);
    assertSame(totals, together(due[type].values()), `${type}: the rows add up to the ledger`);
    if (type !== 'plans') assertSame(tallies[type].gas, gasOf(books), `${type}: the gas of the chain`);
    const told = together(reports.filter((report) => report.type === type).map(totalsOf));
    const all = together((type === 'plans' ? moved : due[type]).values());
    assertSame(told, all, `${type}: the control totals are the ledger's`);
  }
  if (types.includes('movements')) assertPlaces(tallies.movements, books);
  if (types.length === TYPES.length) assertExecutions(tallies);
}

function swapsOf(moved: Sums): Sums {
  return new Map([...moved].filter(([name]) => /SWAP_(IN|OUT)$/.test(name)));
}

/** The files have each transfer that stands on the chain once. */
function assertPlaces({ places, takenBack, rows }: Tally, books: readonly Book[]): void {
  const due = books.flatMap(({ planId, places: all }) => all.map((place) => `${planId} ${place}`));
  const standing = [...places].flatMap(([id, place]) => (takenBack.has(id) ? [] : [place]));
  assertList(standing, due, 'what the chain has');
  for (const [id, told] of takenBack) assert.equal(told, rows.get(id), `what is taken back of ${id}`);
}

/** Each execution is a row, and so is each that was taken back. */
function assertExecutions(tallies: YearFiles['tallies']): void {
  const ofMovements = [...tallies.movements.rows].filter(([, told]) => told.includes(' SWAP_IN '));
  const line = ([id, told]: readonly [string, string]) => `${id} ${told.trim()}`;
  assertList([...tallies['execution-quality'].rows].map(line), ofMovements.map(line), 'the executions');
}

function assertPlans(found: ReadonlyMap<string, Sums>, due: ReadonlyMap<string, Sums>, what: string): void {
  for (const planId of new Set([...found.keys(), ...due.keys()]))
    assertSame(found.get(planId) ?? new Map(), due.get(planId) ?? new Map(), `${what}, ${planId}`);
}

function assertSame(found: Sums, due: Sums, what: string): void {
  const names = new Set([...found.keys(), ...due.keys()]);
  const wrong = [...names].filter((name) => found.get(name) !== due.get(name));
  const told = wrong.map((name) => `${name} is ${found.get(name) ?? 0n}, due ${due.get(name) ?? 0n}`);
  assert.ok(wrong.length === 0, `${what}: ${told.slice(0, 5).join('; ')}`);
}

/** Compares lists whatever their order, without a difference of a million lines. */
function assertList(found: readonly string[], due: readonly string[], what: string): void {
  const [a, b] = [found.toSorted(), due.toSorted()];
  const place = a.findIndex((each, index) => each !== b[index]);
  const told = place === -1 ? '' : `: ${a[place]}, due ${b[place]}`;
  assert.ok(a.length === b.length && place === -1, `${what}: ${a.length} of ${b.length}${told}`);
}
