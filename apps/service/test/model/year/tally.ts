// Adds up what files say, row by row.
import assert from 'node:assert/strict';
import { createHash, type Hash } from 'node:crypto';
import type { CompleteReport } from '../../../src/parts/reports/downloadReport.ts';
import type { FileRow } from '../../reportsHarness.ts';
import { add, PLAN_AMOUNTS, type Sums } from './books.ts';
import { MONTHS_MS } from './calendar.ts';

/** What files of one type add up to, over as many as are read. */
export type Tally = {
  /** The sums of each plan, by what `Book` has them. */
  readonly plans: Map<string, Sums>;
  /** The rows by their ids, with what each has. */
  readonly rows: Map<string, string>;
  /** The place of each movement on the chain, and its plan. */
  readonly places: Map<string, string>;
  /**
   * The movements that rows take back, by their ids. After a clock was set back, such a movement can come after its
   * reversal.
   */
  readonly takenBack: Map<string, string>;
  /** What came up, such as a kind or a status. */
  readonly words: Set<string>;
  readonly totals: Sums;
  /** The columns of gas, by transaction. */
  readonly gas: Sums;
  /** A hash of all rows in their order. */
  readonly sequence: Hash;
};

/** A tally of nothing. */
export function createTally(): Tally {
  return {
    ...{ plans: new Map(), rows: new Map(), places: new Map(), takenBack: new Map(), words: new Set() },
    ...{ totals: new Map(), gas: new Map(), sequence: createHash('sha256') },
  };
}

type AddRow = (tally: Tally, row: FileRow) => string;

/** Reads a file to its end. Each of its rows is of the report's period. */
export async function readInto(
  tally: Tally,
  { type, fromMs, toMs, result }: CompleteReport,
  rows: AsyncIterable<FileRow>,
): Promise<void> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    const atMs = Date.parse(row.recordedAt ?? '');
    assert.ok(atMs >= fromMs && atMs < toMs, `a row of ${row.recordedAt} is in another period`);
    if (MONTHS_MS.includes(atMs)) note(tally, 'FIRST MOMENT');
    if (MONTHS_MS.includes(atMs + 1)) note(tally, 'LAST MOMENT');
    for (const column of ['gasUsed', 'gasCost'])
      add(tally.gas, `${column} of ${row['txHash']}`, BigInt(row[column] || 0));
    tally.sequence.update(`${addOf(type)(tally, row)}\n`);
  }
  assert.equal(count, result.rows, `how many rows the file of ${type} has`);
}

/** The control totals of a report by what `Book` has them. */
export function totalsOf({ result: { controlTotals } }: CompleteReport): Sums {
  const sums: Sums = new Map();
  for (const { asset, kind, amount } of controlTotals)
    add(
      sums,
      'currency' in asset ? `${asset.currency} ${kind}` : `${asset.chainId} ${asset.address} ${kind}`,
      BigInt(amount),
    );
  return sums;
}

const ADDS: Readonly<Record<Exclude<CompleteReport['type'], 'journal'>, AddRow>> = {
  movements: addMovement,
  'execution-quality': addExecution,
  plans: addPlan,
};

function addOf(type: CompleteReport['type']): AddRow {
  if (type === 'journal') throw new Error('A journal has no tally.');
  return ADDS[type];
}

function sumsOfPlan({ plans }: Tally, planId: string): Sums {
  const sums = plans.get(planId) ?? new Map<string, bigint>();
  plans.set(planId, sums);
  return sums;
}

function note({ words }: Tally, ...all: readonly string[]): void {
  for (const word of all) words.add(word);
}

/** Keeps a row by its id, which no other row has. */
function keep({ rows }: Tally, id: string, told: string): void {
  assert.ok(!rows.has(id), `${id} is in the files twice`);
  rows.set(id, told);
}

function addMovement(tally: Tally, row: FileRow): string {
  const { movementId: id = '', planId = '', kind = '', amount = '', reverses = '', status = '' } = row;
  const name = `${row.chainId} ${row.address?.toLowerCase()} ${kind}`;
  const units = BigInt(amount);
  assert.equal(units < 0n, status === 'REVERSAL', `the sign of ${id}`);
  add(tally.totals, name, units);
  add(sumsOfPlan(tally, planId), name, units);
  const isTransfer = row.logIndex !== '' && (kind === 'DEPOSIT' || kind === 'SWAP_OUT');
  const place = isTransfer ? `${kind} ${row.txHash} ${row.logIndex}` : '';
  keep(tally, id, `${name} ${amount} ${row.txHash} ${place}`);
  if (reverses !== '') tally.takenBack.set(reverses, `${name} ${-units} ${row.txHash} ${place}`);
  else if (place !== '') tally.places.set(id, `${planId} ${place}`);
  note(tally, `${status} ${kind}`, row.reason ?? '');
  return [id, planId, name, amount, reverses, row.txHash, row.recordedAt].join(' ');
}

function addExecution(tally: Tally, row: FileRow): string {
  const { executionId: id = '', planId = '', amountIn = '', receivedAmount = '', status = '' } = row;
  const names = {
    in: `${row.chainId} ${row.tokenIn?.toLowerCase()} SWAP_IN`,
    out: `${row.chainId} ${row.tokenOut?.toLowerCase()} SWAP_OUT`,
  };
  const amounts = [
    [names.in, BigInt(amountIn)],
    [names.out, BigInt(receivedAmount)],
  ] as const;
  for (const [name, units] of amounts) {
    add(tally.totals, name, units);
    add(sumsOfPlan(tally, planId), name, units);
  }
  keep(tally, id, `${names.in} ${amountIn} ${row.txHash} `);
  note(tally, status, row.reason ?? '');
  return [id, planId, amountIn, receivedAmount, row.reverses, row.txHash, row.recordedAt].join(' ');
}

function addPlan(tally: Tally, row: FileRow): string {
  const { planId = '', status = '', recordedAt = '' } = row;
  const sums = sumsOfPlan(tally, planId);
  for (const column of PLAN_AMOUNTS) {
    const units = BigInt(row[column] ?? '');
    add(sums, column, units);
    add(tally.totals, column, units);
  }
  keep(tally, `${planId} until ${recordedAt}`, status);
  note(tally, status, row.otherMovements === '0' ? 'NO OTHERS' : 'OTHERS');
  return planId;
}
