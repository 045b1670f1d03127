// A quarter is closed, over HTTP: three months of payments in two currencies, with fees, a return and a correction. The
// journal balances to the unit. It agrees with the ledger, with the statements of two banks, and with the chain.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unzipSync } from 'fflate';
import { ACCOUNT_ROLES, COLUMNS_OF_SET, type Movement, REPORT_TYPES } from '@fairway/wire';
import { readXlsx } from 'hucre/xlsx';
import {
  FILIPINO,
  freshAddress,
  type PaymentsTest,
  startPaymentsTest,
  type WholePlan,
} from '../paymentsHarness.ts';
import { readCamtFile } from '../camtReader.ts';
import { csvRows, type FileRow, reportsOn } from '../reportsHarness.ts';
import { type Booking, camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let reports: ReturnType<typeof reportsOn>;
/** The months of the quarter, such as 2027-01. */
let months: readonly string[] = [];
const plans: WholePlan[] = [];
/** What the banks booked, by what was told of each payment here and not by the service. */
const BOOKED = { AUD: [] as Booking[], PHP: [] as Booking[] };
before(async () => {
  payments = await startPaymentsTest(undefined, []);
  reports = reportsOn(payments);
  await playQuarter();
});
after(() => payments?.close());

const ZONE = 'Australia/Sydney';
const DAY_MS = 86_400_000;

async function nowMs(): Promise<number> {
  const { body } = await payments.service.request('/v1/sandbox/clock', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance: 'PT1S' }),
  });
  return Date.parse((body as { now: string }).now);
}

/** Goes on to the tenth day of the next month. */
async function nextMonth(): Promise<string> {
  const now = new Date(await nowMs());
  const tenth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10);
  await payments.advance(`P${Math.ceil((tenth - now.getTime()) / DAY_MS)}D`);
  return new Date(await nowMs()).toISOString().slice(0, 7);
}

async function swapped(amountIn: string, fields: object = {}): Promise<WholePlan> {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const plan = await payments.plan({ amountIn, options, metadata: { invoice: `7-${amountIn}` }, ...fields });
  return payments.played(plan, 'deposit.exact', 'swap.done');
}

async function report(plan: WholePlan, fields: object): Promise<WholePlan> {
  const { status, text } = await payments.report(plan, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', ...fields });
  assert.equal(status, 200, text);
  return payments.get(plan.planId);
}

/** How much of the payout token a plan has, in smallest units. */
function broughtBy({ funds }: WholePlan): bigint {
  return BigInt(funds.at(-1)?.swapped.out ?? '');
}

const cents = (units: bigint) => units / 10_000n;
const decimal = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;

const PESOS = { corridorId: 'usdc-php-emoney', recipient: FILIPINO };

/** A payment comes back, and is paid once more under an id of its own. */
async function playReturn(bookedOn: Pick<Booking, 'on' | 'valueOn'>): Promise<void> {
  const plan = await swapped('74400000');
  const amount = decimal(cents(broughtBy(plan)));
  const first = endToEndIdOf(plan);
  await report(plan, { providerReference: 'NPP-back' });
  await report(plan, { outcome: 'RETURNED', providerReference: 'NPP-returned' });
  const { status, text } = await payments.again(plan);
  assert.equal(status, 200, text);
  const second = endToEndIdOf(await payments.get(plan.planId));
  assert.notEqual(second, first);
  plans.push(await report(plan, { providerReference: 'NPP-again' }));
  BOOKED.AUD.push({ ...bookedOn, amount: `-${amount}`, endToEndId: first });
  BOOKED.AUD.push({ ...bookedOn, amount, endToEndId: first, back: ['RTRINF'] });
  BOOKED.AUD.push({ ...bookedOn, amount: `-${amount}`, endToEndId: second });
}

async function movementsOf({ planId }: WholePlan): Promise<readonly Movement[]> {
  const { json } = await payments.ask(`/v1/payments/${planId}/movements?limit=100`);
  return (json as { data: Movement[] }).data;
}

async function playQuarter(): Promise<void> {
  const found: string[] = [];
  for (const [index, amountIn] of ['70000000', '81300000', '92600000'].entries()) {
    found.push(await nextMonth());
    const on = found.at(-1) ?? '';
    const bookedOn = { on: `${on}-10`, valueOn: `${on}-10` };
    // The custodian pays whole cents, and says only that it has paid.
    const aud = await swapped(amountIn);
    plans.push(await report(aud, { providerReference: `NPP-${index}` }));
    BOOKED.AUD.push({
      ...bookedOn,
      amount: `-${decimal(cents(broughtBy(aud)))}`,
      endToEndId: endToEndIdOf(aud),
    });
    // Another one converts, and keeps a fee.
    const php = await swapped(amountIn, PESOS);
    const paid = (broughtBy(php) * 56n) / 10_000n;
    const peso = { asset: { currency: 'PHP' } };
    plans.push(
      await report(php, {
        providerReference: `PH-${index}`,
        ...{ paid: { amount: String(paid), ...peso }, fee: { amount: '1500', ...peso }, rate: '56' },
      }),
    );
    if (index === 1) {
      await playReturn(bookedOn);
      // It was told with ten pesos less than the bank paid.
      const wrong = await report(await swapped('77700000', PESOS), {
        ...{ providerReference: 'PH-wrong', paid: { amount: '999000', ...peso }, rate: '56' },
      });
      const corrects = (await movementsOf(wrong)).find(({ kind }) => kind === 'PAYOUT')?.movementId;
      const right = { providerReference: 'PH-wrong', paid: { amount: '1000000', ...peso }, rate: '56' };
      plans.push(await report(wrong, { ...right, corrects }));
      BOOKED.PHP.push({ ...bookedOn, amount: '-10000.00', endToEndId: endToEndIdOf(wrong) });
    }
    BOOKED.PHP.push({ ...bookedOn, amount: `-${decimal(paid)}`, endToEndId: endToEndIdOf(php) });
  }
  months = found;
  await nextMonth();
}

function endToEndIdOf({ steps }: WholePlan): string {
  const last = steps.at(-1);
  return (last as { custodianAction?: { endToEndId?: string } }).custodianAction?.endToEndId ?? assert.fail();
}

const JOURNAL = { type: 'journal', timezone: ZONE } as const;

async function monthly(fields: object = JOURNAL): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  for (const period of months) rows.push(...csvRows((await reports.report({ ...fields, period })).file));
  return rows;
}

/** What rows add up to, by the name that each has. */
function sumsOf(rows: readonly FileRow[], nameOf: (row: FileRow) => string): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const row of rows) sums[nameOf(row)] = (sums[nameOf(row)] ?? 0n) + BigInt(row.amount ?? '');
  return sums;
}

test('a payment that was told without an amount has its whole cents, and the rest is a deduction', async () => {
  const rows = await monthly({ type: 'movements', timezone: ZONE, filter: { corridorId: 'usdc-aud-bank' } });
  for (const plan of plans.filter(({ corridorId }) => corridorId === 'usdc-aud-bank')) {
    const brought = broughtBy(plan);
    const told = rows
      .filter(({ planId, kind }) => planId === plan.planId && /PAYOUT|DEDUCTION/.test(kind ?? ''))
      .map(({ kind, amount, note }) => [kind, amount, note]);
    const rest = brought % 10_000n;
    const paid = ['PAYOUT', String(brought - rest), ''];
    const isAgain = plan.returns.length > 0;
    assert.deepEqual(told, [
      paid,
      ['DEDUCTION', String(rest), 'less than the smallest unit of AUD'],
      ...(isAgain ? [paid] : []),
    ]);
    assert.equal(plan.status, 'COMPLETED');
  }
});

test('each entry of the journal balances in each asset, and the control totals are zero', async () => {
  const rows = await monthly();
  assert.ok(rows.length > 40);
  for (const [name, sum] of Object.entries(sumsOf(rows, (row) => `${row.entryNumber} ${row.currency}`)))
    assert.equal(sum, 0n, name);
  for (const { debit, credit, amountDecimal = '' } of rows)
    assert.equal(amountDecimal, credit === '' ? debit : `-${credit}`);
  for (const period of months) {
    const { report: made } = await reports.report({ ...JOURNAL, period });
    assert.ok((made.controlTotals ?? []).length > 5);
    for (const { amount } of made.controlTotals ?? []) assert.equal(amount, '0');
  }
});

test('the accounts of the journal agree with the ledger, the banks and the chain, to the unit', async () => {
  const rows = await monthly();
  const balances = sumsOf(rows, ({ accountRole, currency }) => `${accountRole} ${currency}`);
  const funds = plans.flatMap((plan) => plan.funds);
  const left = funds.reduce((sum, { outstanding }) => sum + BigInt(outstanding), 0n);
  assert.equal(left, 0n);
  for (const name of ['inTransit USDC', 'custodian tAUD', 'custodian USDC'])
    assert.equal(balances[name] ?? 0n, 0n, name);
  const received = funds.reduce((sum, each) => sum + BigInt(each.received), 0n);
  assert.equal(balances['funding USDC'], -received, 'what came is what the ledger has');
  for (const [currency, iban] of [
    ['AUD', 'DE89370400440532013000'],
    ['PHP', 'GB29NWBK60161331926819'],
  ] as const) {
    const bank = statementsOn(payments.service.url, payments.service.authorization);
    const [openingOn, closingOn] = [`${months[0]}-01`, `${months[2]}-28`];
    const file = camtOf({
      ...{ bookings: BOOKED[currency], currency, account: iban, openingOn, closingOn, id: currency },
      opening: '900000.00',
    });
    const entries = await bank.entries(await bank.imported(file));
    assert.deepEqual(
      entries.map(({ status }) => status),
      BOOKED[currency].map(() => 'MATCHED'),
    );
    const paid = entries.map(({ amount, direction }) => (direction === 'OUT' ? 1n : -1n) * BigInt(amount));
    const sum = paid.reduce((total, each) => total + each, 0n);
    assert.equal(balances[`payee ${currency}`], sum, `${currency} is what the bank booked`);
  }
  assert.equal(balances['fees PHP'], 4_500n);
  const hashes = new Set(rows.filter(({ accountRole }) => accountRole === 'gas').map(({ txHash }) => txHash));
  let spent = 0n;
  for (const hash of hashes) {
    type Gas = { readonly gasUsed: string; readonly effectiveGasPrice: string };
    const { gasUsed, effectiveGasPrice } = await payments.service.rpc<Gas>('eth_getTransactionReceipt', [
      hash,
    ]);
    spent += BigInt(gasUsed) * BigInt(effectiveGasPrice);
  }
  assert.equal(hashes.size, 8);
  assert.equal(balances['gas ETH'], spent, 'the gas is that of the receipts');
});

test('the payout statements follow each other from month to month, to what the bank booked', async () => {
  for (const [corridorId, currency] of [
    ['usdc-aud-bank', 'AUD'],
    ['usdc-php-emoney', 'PHP'],
  ] as const) {
    let closed = `0.00 ${currency}`;
    for (const period of months) {
      const asked = { format: 'camt.053', filter: { corridorId }, period, timezone: ZONE };
      const { opening, closing } = readCamtFile((await reports.complete(asked)).bytes);
      assert.equal(opening, closed);
      closed = closing;
    }
    const booked = BOOKED[currency].map(({ amount }) => BigInt(amount.replace('.', '')));
    const sum = booked.reduce((total, each) => total + each, 0n);
    assert.equal(closed, `-${decimal(-sum)} ${currency}`);
  }
});

test('a journal is the ledger once more: each movement is an entry, and no entry has two', async () => {
  const [lines, movements] = [await monthly(), await monthly({ type: 'movements', timezone: ZONE })];
  const entries = new Map(lines.map(({ entryNumber, movementId }) => [entryNumber, movementId]));
  assert.deepEqual([...entries.values()].sort(), movements.map(({ movementId }) => movementId).sort());
  for (const { kind, amount, movementId } of movements) {
    const own = lines.filter((line) => line.movementId === movementId && line.kind === kind);
    assert.ok(
      own.some((line) => line.amount === amount),
      `${movementId} has its amount`,
    );
  }
});

const ACCOUNTS = {
  ...{ funding: '1010', inTransit: '1310', custodian: '1320', payee: '2100' },
  ...{ fees: '6810', gas: '6820', rounding: '6890', fx: '7900' },
};

test('accounts are named as asked, and the others by their role', async () => {
  const accounts = { payee: ACCOUNTS.payee, fx: ACCOUNTS.fx };
  const { report: made, file } = await reports.report({ ...JOURNAL, period: months[0], accounts });
  assert.deepEqual(made.accounts, accounts);
  const named = new Map(csvRows(file).map(({ account, accountRole }) => [accountRole, account]));
  for (const role of ACCOUNT_ROLES)
    if (named.has(role)) assert.equal(named.get(role), role in accounts ? ACCOUNTS[role] : role);
  assert.equal(named.size, ACCOUNT_ROLES.length);
});

// Microsoft Dynamics 365 Business Central, table "Gen. Journal Line" (learn.microsoft.com, BCApps reference): the lengths
// of its fields. Posting needs each document to balance.
const BUSINESS_CENTRAL = {
  documentNo: /^[A-Z0-9]{1,20}$/,
  accountNo: /^.{1,20}$/,
  description: /^.{1,100}$/,
  externalDocumentNo: /^.{0,35}$/,
  currencyCode: /^.{1,10}$/,
  postingDate: /^\d{4}-\d\d-\d\d$/,
};

test('the lines fit the general journal of Business Central', async () => {
  for (const row of await monthly({ ...JOURNAL, accounts: ACCOUNTS })) {
    const line = {
      ...{ documentNo: row.entryNumber, accountNo: row.account, description: row.description },
      ...{ externalDocumentNo: row.endToEndId, currencyCode: row.currency, postingDate: row.postingDate },
    };
    for (const [name, fits] of Object.entries(BUSINESS_CENTRAL))
      assert.match(line[name as keyof typeof line] ?? '', fits, name);
    assert.ok((row.debit === '') !== (row.credit === ''), 'a debit or a credit');
  }
});

// Xero, "Enter multiple manual journals using an import template" (help.xero.com/nz/ManualJournalsImport). All lines of a
// journal have one narration and one date. Positive amounts are debits. A file has at most 300 lines.
test('the lines of one currency are manual journals of Xero', async () => {
  for (const currency of ['AUD', 'PHP']) {
    const rows = (await monthly({ ...JOURNAL, accounts: ACCOUNTS })).filter(
      (row) => row.currency === currency,
    );
    assert.ok(rows.length > 0 && rows.length <= 300);
    const xero = rows.map((row) => ({
      narration: `${row.entryNumber} ${row.description}`,
      date: (row.postingDate ?? '').split('-').reverse().join('/'),
      accountCode: row.account ?? '',
      amount: row.amountDecimal ?? '',
      units: BigInt(row.amount ?? ''),
    }));
    const sums = new Map<string, bigint>();
    for (const { narration, date, accountCode, amount, units } of xero) {
      assert.match(date, /^\d\d\/\d\d\/\d{4}$/);
      assert.match(accountCode, /^\d{1,10}$/);
      assert.match(amount, /^-?\d+\.\d\d$/);
      sums.set(`${narration} ${date}`, (sums.get(`${narration} ${date}`) ?? 0n) + units);
    }
    for (const [name, sum] of sums) assert.equal(sum, 0n, name);
  }
});

test('the quarter is closed in each format, with a name that says whose, what and when', async () => {
  for (const type of REPORT_TYPES)
    for (const format of ['csv', 'json', 'xlsx']) {
      const asked = { type, format, period: months[1], timezone: ZONE, columnSet: 'finance' };
      const { report: made, bytes } = await reports.complete(asked);
      assert.deepEqual([made.period, made.columns], [months[1], COLUMNS_OF_SET.finance[type]]);
      assert.match(made.columns.at(-1) ?? '', /^(movement|execution|plan)Id$/);
      assert.ok(bytes.length > 0);
      const response = await fetch(`${payments.service.url}${made.downloadUrl}`, {
        headers: { authorization: payments.service.authorization },
      });
      await response.arrayBuffer();
      const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? '';
      assert.match(name, /^[a-z0-9_.-]+$/);
      assert.match(name, new RegExp(`-${type}-${months[1]}-[0-9a-f]{8}\\.${format}$`));
    }
});

test('a month is the time between two midnights of its zone', async () => {
  const [year = 0, month = 0] = (months[0] ?? '').split('-').map(Number);
  const utc = await reports.report({ period: months[0] });
  assert.deepEqual(
    [utc.report.from, utc.report.to],
    [Date.UTC(year, month - 1), Date.UTC(year, month)].map((ms) => new Date(ms).toISOString()),
  );
  const { report: made, file } = await reports.report({ period: months[0], timezone: ZONE });
  assert.ok(Date.parse(made.from) < Date.parse(utc.report.from));
  const same = await reports.report({ from: made.from, to: made.to, timezone: ZONE });
  assert.equal(same.file, file);
});

test('fees and metadata are columns, and a mark says that a text is UTF-8', async () => {
  const columns = [
    'kind',
    'metadata.invoice',
    'metadata.none',
    'feeCurrency',
    'feeAmount',
    'feeAmountDecimal',
  ];
  const asked = { period: months[2], columns, filter: { corridorId: 'usdc-php-emoney', kind: 'PAYOUT' } };
  const { file, report: told } = await reports.report({ ...asked, byteOrderMark: true });
  assert.equal(file, `\ufeff${columns.join(',')}\r\nPAYOUT,7-92600000,,PHP,1500,15.00\r\n`);
  assert.deepEqual(told.emptyColumns, ['metadata.none']);
  for (const type of ['plans', 'execution-quality', 'journal'] as const) {
    const one = { type, period: months[2], columns: ['metadata.invoice'] };
    const { file: rows, report: made } = await reports.report(one);
    assert.equal(made.emptyColumns, undefined);
    assert.match(rows, /^metadata\.invoice\r\n(7-92600000\r\n)+$/, type);
  }
});

test('a workbook has filters, wide columns and its totals on a sheet of their own', async () => {
  const asked = { ...JOURNAL, period: months[0], format: 'xlsx', columnSet: 'finance' };
  const { bytes } = await reports.complete(asked);
  const { sheets } = await readXlsx(new Uint8Array(bytes));
  assert.deepEqual(
    sheets.map(({ name }) => name),
    ['journal', 'totals'],
  );
  const [header, ...totals] = sheets[1]?.rows ?? [];
  assert.deepEqual(header, ['account', 'rows', 'debit', 'credit', 'balance', 'symbol', 'chainId', 'address']);
  const payee = totals.find(([account, , , , , symbol]) => account === 'payee' && symbol === 'AUD');
  const [first] = BOOKED.AUD;
  assert.deepEqual(payee?.slice(1, 6), [1, -Number(first?.amount), 0, -Number(first?.amount), 'AUD']);
  const sheet = Buffer.from(unzipSync(new Uint8Array(bytes))['xl/worksheets/sheet1.xml'] ?? []).toString();
  const rows = sheets[0]?.rows.length ?? 0;
  assert.match(sheet, new RegExp(`<autoFilter ref="A1:M${rows}"/>`));
  assert.match(sheet, /<col min="2" max="2" width="23" customWidth="1"\/>/);
});

test('what does not go together is refused with the field and the remedy', async () => {
  const period = months[0];
  const later = { period: '2999-01' };
  for (const [fields, pointer, detail] of [
    [{ period: '2026-13' }, '/period', /must be a month, such as "2026-10"/],
    [{ period: 'October' }, '/period', /must be a month/],
    [later, '/period', /must be over/],
    [{ period, from: '2026-01-01T00:00:00Z' }, '/from', /goes without period/],
    [{ period, accounts: { fx: '1' } }, '/accounts', /are for the report journal/],
    [{ period, type: 'journal', accounts: { bank: '1' } }, '/accounts/bank', /./],
    [{ period, type: 'journal', accounts: { fx: '' } }, '/accounts/fx', /./],
    [{ period, byteOrderMark: true, format: 'json' }, '/byteOrderMark', /is for csv/],
    [{ period, columnSet: 'finance', columns: ['amount'] }, '/columnSet', /goes without columns/],
    [{ period, columnSet: 'all' }, '/columnSet', /finance/],
    [{ period, columns: ['metadata.'] }, '/columns/0', /./],
    [{ period, type: 'journal', filter: { kind: 'PAYOUT' } }, '/filter/kind', /is for the report movements/],
  ] as const) {
    const { status, problem } = await reports.call('', { type: 'movements', format: 'csv', ...fields });
    assert.equal(status, 400, JSON.stringify(fields));
    const error = problem.errors?.find((each) => each.pointer === pointer);
    assert.match(error?.detail ?? JSON.stringify(problem), detail, JSON.stringify(fields));
    assert.ok(error !== undefined, JSON.stringify(problem));
  }
});
