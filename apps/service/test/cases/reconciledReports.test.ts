// The columns `reconciliation` and `statementEntry` of reports, over HTTP: what the bank's statements said of each row when the report was
// made. Later decisions change later reports, and no file that was made before.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StatementEntry } from '@fairway/wire';
import { readXlsx } from 'hucre/xlsx';
import { freshAddress, type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { dayOf, decimal, type Paid, paidOn } from '../paidPlans.ts';
import { csvRows, reportsOn } from '../reportsHarness.ts';
import { type Booking, camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let reports: ReturnType<typeof reportsOn>;
let bank: ReturnType<typeof statementsOn>;
before(async () => {
  payments = await startPaymentsTest();
  reports = reportsOn(payments);
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

const COLUMNS = ['movementId', 'kind', 'status', 'amount', 'reconciliation', 'statementEntry'];
/** Longer than a report waits after its period. */
const SETTLED = 'PT10S';
const wholeOf = ({ payout, minor }: Paid) => ({ movementId: payout.movementId, amount: String(minor) });
const bookingOf = ({ payout, minor }: Paid): Booking => ({
  amount: `-${decimal(minor)}`,
  on: dayOf(payout),
  endToEndId: payout.endToEndId ?? '',
});

/** The time of the sandbox, a second later. */
async function nextTime(): Promise<string> {
  const { body } = await payments.service.request('/v1/sandbox/clock', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance: 'PT1S' }),
  });
  return (body as { now: string }).now;
}

/** What a file says of each payout and return. */
const saidIn = (file: string) =>
  csvRows(file).flatMap(({ movementId = '', kind = '', reconciliation, statementEntry }) =>
    ['PAYOUT', 'RETURN'].includes(kind) || reconciliation !== '' || statementEntry !== ''
      ? [[movementId, `${reconciliation} ${statementEntry}`.trim()]]
      : [],
  );

/** A payment to a wallet, which is on no statement of a bank. */
async function paidToWallet(): Promise<void> {
  const wallet = { type: 'wallet', name: 'Jo Citizen', chainId: 31_337, address: freshAddress() };
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const plan = await payments.plan({ corridorId: 'usdt-usdc-wallet', recipient: wallet, options });
  await payments.played(plan, 'deposit.exact', 'swap.done', 'payout.done');
}

/** Reports a payout once more, with an amount that is less. */
async function correct({ plan, payout }: Paid): Promise<void> {
  const { movementId: corrects, providerReference, actual } = payout;
  const told = { outcome: 'DONE', providerReference, amount: String(BigInt(actual) - 20_000n), corrects };
  const { status, text } = await payments.report(plan, 'CUSTODIAN_PAYOUT', told);
  assert.equal(status, 200, text);
}

test('a file says of each payment how it stands with the bank, and stays so when that changes', async () => {
  const from = await nextTime();
  const paid: Paid[] = [];
  while (paid.length < 5) paid.push(await paidOn(payments));
  const [whole, part, fee, open, wrong] = paid as [Paid, Paid, Paid, Paid, Paid];
  await paidToWallet();
  const on = dayOf(whole.payout);
  const bookings: Booking[] = [
    bookingOf(whole),
    { amount: '-1.00', on },
    { amount: '-2.00', on },
    { ...bookingOf(fee), amount: `-${decimal(fee.minor - 100n)}` },
    bookingOf(wrong),
  ];
  const statement = await bank.imported(camtOf({ bookings, openingOn: on, closingOn: on }));
  const entries = (await bank.entries(statement)) as [StatementEntry, ...StatementEntry[]];
  const [its, first, second, less, before] = entries.map(({ entryId }) => entryId);
  assert.ok(its && first && second && less && before);
  for (const [entryId, amount] of [
    [second, '200'],
    [first, '100'],
  ] as const)
    assert.equal((await bank.match(entryId, { ...wholeOf(part), amount })).status, 200);
  await correct(wrong);
  const asked = { from, to: await nextTime(), columns: COLUMNS };
  await payments.advance(SETTLED);

  const made = await reports.report(asked);
  const right = csvRows(made.file).at(-1)?.movementId ?? '';
  assert.deepEqual(
    saidIn(made.file).filter(([, said]) => said !== ''),
    [
      [whole.payout.movementId, `MATCHED ${its}`],
      [part.payout.movementId, `PARTLY_MATCHED ${[first, second].toSorted().join(' ')}`],
      [fee.payout.movementId, `TENTATIVE ${less}`],
      [open.payout.movementId, 'OPEN'],
      [wrong.payout.movementId, `TAKEN_BACK ${before}`],
      [right, 'OPEN'],
    ],
  );
  // The rows of the payment to the wallet and of the reversal say nothing.
  assert.equal(saidIn(made.file).filter(([, said]) => said === '').length, 2);
  await assertOtherFormats(asked, made.file);

  assert.equal((await bank.unmatch(its)).status, 200);
  assert.equal((await bank.match(less, { ...wholeOf(fee), amount: '100' })).status, 200);
  assert.equal(await reports.fileOf(made.report), made.file);
  const later = await reports.report(asked);
  assert.notEqual(later.report.sha256, made.report.sha256);
  assert.deepEqual(later.report.controlTotals, made.report.controlTotals);
  assert.deepEqual(saidIn(later.file).slice(0, 3), [
    [whole.payout.movementId, 'OPEN'],
    [part.payout.movementId, `PARTLY_MATCHED ${[first, second].toSorted().join(' ')}`],
    [fee.payout.movementId, `PARTLY_MATCHED ${less}`],
  ]);
});

async function assertOtherFormats(asked: object, file: string): Promise<void> {
  const json = JSON.parse((await reports.report({ ...asked, format: 'json' })).file) as Record<
    string,
    string
  >[];
  assert.deepEqual(
    json.map((row) => COLUMNS.map((column) => row[column] ?? '')),
    csvRows(file).map((row) => COLUMNS.map((column) => row[column])),
  );
  const { bytes } = await reports.complete({ ...asked, format: 'xlsx' });
  const { sheets } = await readXlsx(bytes);
  const texts = sheets[0]?.rows.map((row) => row.map((cell) => String(cell ?? '')));
  assert.deepEqual(texts, [
    COLUMNS,
    ...csvRows(file).map((row) => COLUMNS.map((column) => row[column] ?? '')),
  ]);
  const { report } = await reports.report({ ...asked, columns: undefined });
  assert.ok(!report.columns.some((column) => ['reconciliation', 'statementEntry'].includes(column)));
}

test('the columns are for movements alone', async () => {
  const base = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', format: 'csv' };
  for (const type of ['plans', 'execution-quality']) {
    const { status, problem } = await reports.call('', { ...base, type, columns: ['reconciliation'] });
    assert.deepEqual([status, problem.errors?.[0]?.pointer], [400, '/columns/0']);
  }
});
