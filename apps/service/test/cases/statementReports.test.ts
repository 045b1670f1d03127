// Payout statements (camt.053), over HTTP. They follow ISO 20022, add up from month to month, and stay the same bytes whatever is
// corrected later. The service's own import refuses them; it finds each payout when a bank statement says the same.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Movement, PaymentPlan, SimulatedEvent } from '@fairway/wire';
import { freshEmail } from '../collectCalls.ts';
import { collectToWallet } from '../collectForms.ts';
import { type ReadStatement, readCamtFile } from '../camtReader.ts';
import { freshAddress, type PaymentsTest, startPaymentsTest, FILIPINO } from '../paymentsHarness.ts';
import { csvRows, reportsOn } from '../reportsHarness.ts';
import { statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let reports: ReturnType<typeof reportsOn>;
let october: Awaited<ReturnType<typeof playOctober>>;
before(async () => {
  // A sandbox of its own, because its balances are those of all that is in it.
  payments = await startPaymentsTest(undefined, []);
  reports = reportsOn(payments);
  october = await playOctober();
});
after(() => payments?.close());

/** Longer than a report waits after its period. */
const SETTLED = 'PT10S';
const PESOS = { corridorId: 'usdc-php-emoney', recipient: FILIPINO };

/** A plan whose swap is done, of an amount that no other plan has. */
let plans = 0;
async function swapped(fields: object = {}): Promise<PaymentPlan> {
  plans += 1;
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const plan = await payments.plan({ amountIn: String(70_000_000 + plans * 1_110_000), options, ...fields });
  return payments.played(plan, 'deposit.exact', 'swap.done');
}

const payout = (plan: PaymentPlan, event: SimulatedEvent) => payments.played(plan, event);

async function reported(plan: PaymentPlan, fields: object): Promise<void> {
  const { status, text } = await payments.report(plan, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', ...fields });
  assert.equal(status, 200, text);
}

async function movementsOf({ planId }: PaymentPlan): Promise<readonly Movement[]> {
  const { json } = await payments.ask(`/v1/payments/${planId}/movements?limit=100`);
  return (json as { data: Movement[] }).data;
}

/** The time of the sandbox after it was advanced by a second: nothing that comes later is from before. */
async function nextTime(): Promise<string> {
  const { body } = await payments.service.request('/v1/sandbox/clock', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance: 'PT1S' }),
  });
  return (body as { now: string }).now;
}

/** The end of a period that can be reported now. */
async function periodEnd(): Promise<string> {
  const to = await nextTime();
  await payments.advance(SETTLED);
  return to;
}

const statementAsk = (period: object, corridorId = 'usdc-aud-bank') => ({
  format: 'camt.053',
  filter: { corridorId },
  ...period,
});

async function statement(period: object, corridorId?: string) {
  const { report, bytes } = await reports.complete(statementAsk(period, corridorId));
  return { report, bytes, read: readCamtFile(bytes) };
}

/** The statement of the corridor that pays converted pesos. */
const month = (period: object = {}) => statement(period, 'usdc-php-emoney');
const pesos = (amount: string) => ({ amount, asset: { currency: 'PHP' } });
const dueOf = ({ steps }: PaymentPlan) =>
  steps.find(({ type }) => type === 'CUSTODIAN_PAYOUT')?.custodianAction?.amount ?? '';
/** Half of what a plan is due, in units of the token. */
const partOf = (plan: PaymentPlan) => String(BigInt(dueOf(plan)) / 2n);
const amountsOf = ({ entries }: ReadStatement) => entries.map(({ kind, amount }) => `${kind} ${amount}`);
const minorOf = (amount: string) => BigInt(amount.replace(/ [A-Z]+$/, '').replace('.', ''));
const sumOf = ({ entries }: ReadStatement) => entries.reduce((sum, { amount }) => sum + minorOf(amount), 0n);
/** Units of the sandbox's tokens of a currency, which have six decimals, as its cents. */
const cents = (units: string) => BigInt(units) / 10_000n;

/** A month with a payout, one whose amount was told, and one that came back. */
async function playOctober() {
  const start = await nextTime();
  const plain = await payout(await swapped(), 'payout.done');
  const told = await swapped();
  const paid = { amount: String(cents(dueOf(told))), asset: { currency: 'AUD' } };
  const occurredAt = new Date(Date.parse(start) - 2 * 86_400_000).toISOString();
  await reported(told, { providerReference: 'NPP & <7>', paid, occurredAt });
  const back = await payout(await payout(await swapped(), 'payout.done'), 'payout.returned');
  const middle = await periodEnd();
  const period = { from: start, to: middle };
  const made = await statement(period);
  const ledger = (await Promise.all([plain, told, back].map(movementsOf))).flat();
  const known = ledger.filter(({ kind }) => kind === 'PAYOUT' || kind === 'RETURN');
  return { period, plain, known, ...made };
}

test('a month is a statement whose entries are the payouts and returns of the ledger', async () => {
  const { known, period, read, report } = october;
  const { entries, ...head } = read;
  assert.deepEqual(
    entries.map(({ kind, amount, reversal, reference }) => [kind, minorOf(amount), reversal, reference]),
    known.map(({ kind, actual, providerReference }) => [
      ...[kind, kind === 'RETURN' ? cents(actual) : -cents(actual), '', providerReference],
    ]),
  );
  assert.deepEqual(
    entries.map(({ bookedOn, valueOn, payee }) => [bookedOn, valueOn, payee]),
    known.map(({ recordedAt, occurredAt: at = recordedAt }) => [
      ...[recordedAt.slice(0, 10), at.slice(0, 10), 'J. C. AU …5678'],
    ]),
  );
  assert.deepEqual([head.opening, minorOf(head.closing)], ['0.00 AUD', sumOf(read)]);
  assert.deepEqual(
    [head.madeAt, head.account.name, head.account.servicer],
    [new Date(period.to).toISOString(), 'usdc-aud-bank', 'Sandbox custodian'],
  );
  assert.deepEqual(
    report.controlTotals?.map(({ asset, kind, rows, amount }) => [asset, kind, rows, BigInt(amount)]),
    ['PAYOUT', 'RETURN'].map((kind) => {
      const own = known.filter((each) => each.kind === kind);
      return [
        { currency: 'AUD' },
        kind,
        own.length,
        own.reduce((sum, { actual }) => sum + cents(actual), 0n),
      ];
    }),
  );
  const file = await fetch(`${payments.service.url}${report.downloadUrl}`, {
    headers: { authorization: payments.service.authorization },
  });
  assert.equal(file.headers.get('content-type'), 'application/xml');
  assert.match(
    file.headers.get('content-disposition') ?? '',
    /filename="[\w-]+-movements-usdc-aud-bank-[\da-f_-]+\.xml"/,
  );
  await file.arrayBuffer();
});

/** The file as a bank would send it, of the account that it has there. It shows nobody, since the file has masks alone. */
const asOfBank = ({ bytes, read }: Awaited<ReturnType<typeof statement>>) =>
  bytes
    .toString()
    .replace(read.account.id, 'AU-987654')
    .replaceAll(/<RltdPties>.*?<\/RltdPties>/gs, '');

test('the import refuses it, as it would confirm the ledger by itself, and keeps nothing', async () => {
  const bank = statementsOn(payments.service.url, payments.service.authorization);
  const form = new FormData();
  form.set('file', new Blob([october.bytes.toString()]), 'october.xml');
  for (const body of [october.bytes.toString(), form]) {
    const { status, problem } = await bank.upload(body);
    assert.deepEqual([status, problem.code], [400, 'statement-invalid']);
    assert.match(problem.detail, /made by Fairway .* Send the statement of your bank/);
  }
  const { text } = await bank.send('STATEMENTS', '/statements');
  assert.deepEqual(JSON.parse(text), { data: [] });
});

test('the import of what a bank says finds each payout and return in it, for certain', async () => {
  const { known } = october;
  const bank = statementsOn(payments.service.url, payments.service.authorization);
  const imported = await bank.imported(asOfBank(october));
  assert.deepEqual(
    imported.sections.map(({ isBalanced }) => isBalanced),
    ['YES'],
  );
  const found = await bank.entries(imported);
  assert.deepEqual(
    found.map(({ status, matches }) => [status, matches.map(({ movementId }) => movementId)]),
    known.map(({ movementId }) => ['MATCHED', [movementId]]),
  );
});

test('the next month begins where it ended, and a correction changes no earlier byte', async () => {
  const { period, plain, ...first } = october;
  const [wrong] = await movementsOf(plain).then((rows) => rows.filter(({ kind }) => kind === 'PAYOUT'));
  assert.ok(wrong !== undefined);
  const right = String(BigInt(wrong.actual) - 2_500_000n);
  const { providerReference, movementId: corrects } = wrong;
  await reported(plain, { providerReference, amount: right, corrects });
  await payout(await swapped(), 'payout.done');
  const end = await periodEnd();
  const second = await statement({ from: period.to, to: end });
  assert.equal(second.read.opening, first.read.closing);
  assert.equal(minorOf(second.read.closing), minorOf(second.read.opening) + sumOf(second.read));
  assert.deepEqual(
    second.read.entries
      .slice(0, 2)
      .map(({ amount, reversal, endToEndId }) => [...[minorOf(amount), reversal, endToEndId]]),
    [
      [cents(wrong.actual), 'true', wrong.endToEndId],
      [-cents(right), '', wrong.endToEndId],
    ],
  );
  assert.ok(second.read.entries[0]?.facts.includes(`reverses=${corrects}`));
  assert.equal(second.read.account.id, first.read.account.id);
  assert.notEqual(second.read.id, first.read.id);

  const whole = await statement({ from: period.from, to: end });
  assert.deepEqual(whole.read.entries, [...first.read.entries, ...second.read.entries]);
  assert.deepEqual([whole.read.opening, whole.read.closing], ['0.00 AUD', second.read.closing]);
  const again = await statement(period);
  assert.notEqual(again.report.reportId, first.report.reportId);
  assert.ok(again.bytes.equals(first.bytes), 'a correction changes no earlier statement');
  assert.equal(await reports.fileOf(first.report), first.bytes.toString());
  const rows = csvRows(
    (await reports.report({ from: period.from, to: end, filter: { corridorId: 'usdc-aud-bank' } })).file,
  );
  assert.equal(rows.filter(({ kind }) => kind === 'PAYOUT' || kind === 'RETURN').length, whole.report.rows);
});

test('a payout without an amount in the currency is refused until it is told', async () => {
  const from = await nextTime();
  const known = await swapped(PESOS);
  await reported(known, { providerReference: 'P-1', paid: pesos('400000') });
  await payout(known, 'payout.returned');
  const unknown = await swapped(PESOS);
  await reported(unknown, { providerReference: 'P-2' });
  const to = await periodEnd();
  const ask = { type: 'movements', ...statementAsk({ from, to }, 'usdc-php-emoney') };
  const { status, problem } = await reports.call('', ask);
  assert.deepEqual([status, problem.code], [400, 'format-not-supported']);
  assert.match(
    problem.detail,
    /known of one payout or return .* providerReference and with the amount in PHP: a payment with paid/,
  );
  await reported(unknown, { providerReference: 'P-2', paid: pesos('410000') });
  const end = await periodEnd();
  const first = await statement({ from, to }, 'usdc-php-emoney');
  // A payment without a known amount is in no statement, and neither is its reversal. The payment is in the statement
  // of the time when its amount became known.
  assert.deepEqual(amountsOf(first.read), ['PAYOUT -4000.00 PHP', 'RETURN 4000.00 PHP']);
  const second = await statement({ from: to, to: end }, 'usdc-php-emoney');
  assert.deepEqual(amountsOf(second.read), ['PAYOUT -4100.00 PHP']);
  assert.deepEqual([second.read.opening, second.read.closing], ['0.00 PHP', '-4100.00 PHP']);
});

test('a return of unknown amount has every later month refused until it is told', async () => {
  const from = await nextTime();
  const plan = await swapped(PESOS);
  await reported(plan, { providerReference: 'R-1', paid: pesos('560000') });
  const first = await periodEnd();
  const back = { outcome: 'RETURNED', providerReference: 'R-2', amount: partOf(plan) };
  await reported(plan, { ...back, failure: { code: 'OTHER' } });
  const second = await periodEnd();
  await reported(await swapped(PESOS), { providerReference: 'R-3', paid: pesos('100') });
  const third = await periodEnd();
  const whole = await statement({ from, to: first }, 'usdc-php-emoney');
  assert.match(whole.read.entries.map(({ amount }) => amount).join(), /^-5600.00 PHP$/);
  const row = (await movementsOf(plan)).find(({ kind }) => kind === 'RETURN');
  const months = [
    { from: first, to: second },
    { from: second, to: third },
  ];
  for (const period of months) {
    const ask = { type: 'movements', ...statementAsk(period, 'usdc-php-emoney') };
    const { status, problem } = await reports.call('', ask);
    assert.deepEqual([status, problem.code], [400, 'format-not-supported'], JSON.stringify(period));
    const named = `The first is ${row?.movementId} of ${plan.planId}, of ${row?.recordedAt}.`;
    assert.ok(problem.detail.includes(named), problem.detail);
    assert.match(problem.detail, /what came back with returned; and ask again/);
  }
  // The plan has gone on since: the returned money is paid to the account again.
  await payments.again(plan);
  const told = { ...back, returned: pesos('279900') };
  for (const again of [told, told, back]) await reported(plan, again);
  const { body } = await payments.report(plan, 'CUSTODIAN_PAYOUT', told);
  assert.deepEqual(body.returns[0]?.returned, pesos('279900'));
  const fourth = await periodEnd();
  const [none, late] = [await month(months[0]), await month(months[1])];
  assert.deepEqual([none.read.entries, amountsOf(late.read)], [[], ['PAYOUT -1.00 PHP']]);
  const mended = await month({ from: third, to: fourth });
  assert.deepEqual(amountsOf(mended.read), ['RETURN 2799.00 PHP']);
  assert.equal(
    minorOf(mended.read.closing) - minorOf(whole.read.opening),
    [whole, none, late, mended].reduce((sum, { read }) => sum + sumOf(read), 0n),
  );
  assert.ok(
    (await month({ from, to: first })).bytes.equals(whole.bytes),
    'the month before is the same bytes',
  );
});

test('what came back in part is in its month in the currency, and the bank finds it', async () => {
  const from = await nextTime();
  const plan = await swapped(PESOS);
  await reported(plan, { providerReference: 'B-1', paid: pesos('610000') });
  const back = {
    outcome: 'RETURNED',
    providerReference: 'B-2',
    amount: partOf(plan),
    returned: pesos('304950'),
  };
  await reported(plan, back);
  const row = (await movementsOf(plan)).find(({ kind }) => kind === 'RETURN');
  assert.deepEqual(row?.paid, pesos('304950'));
  const made = await month({ from, to: await periodEnd() });
  assert.deepEqual(amountsOf(made.read), ['PAYOUT -6100.00 PHP', 'RETURN 3049.50 PHP']);
  assert.equal(minorOf(made.read.closing), minorOf(made.read.opening) + sumOf(made.read));
  const bank = statementsOn(payments.service.url, payments.service.authorization);
  const found = await bank.entries(await bank.imported(asOfBank(made)));
  assert.deepEqual(
    found.map(({ direction, amount, status, matches }) => [direction, amount, status, matches.length]),
    [
      ['OUT', '610000', 'MATCHED', 1],
      ['IN', '304950', 'MATCHED', 1],
    ],
  );
});

test('what cannot have come back in the currency is refused, with what to do', async () => {
  const plan = await swapped(PESOS);
  await reported(plan, { providerReference: 'W-1', paid: pesos('500000') });
  const back = { outcome: 'RETURNED', providerReference: 'W-2', amount: partOf(plan) };
  const due = dueOf(plan);
  const refusals: [Record<string, unknown>, number, RegExp][] = [
    [
      { ...back, returned: { amount: '100', asset: { currency: 'AUD' } } },
      400,
      /must be of PHP; amount says/,
    ],
    [{ ...back, returned: { amount: '100' } }, 400, /asset is missing/],
    [
      { ...back, returned: pesos('500001') },
      409,
      /5000\.01 PHP \(500001 minor units\) came back \(returned\), but 5000\.00 PHP \(500000 minor units\)/,
    ],
    [
      { ...back, amount: due, returned: pesos('499999') },
      409,
      /whole payment .* 5000\.00 PHP \(500000 minor units\). Give that/,
    ],
    [{ outcome: 'DONE', providerReference: 'W-3', returned: pesos('1') }, 400, /returned says nothing of/],
    [
      { outcome: 'FAILED', providerReference: 'W-3', failure: { code: 'OTHER' }, returned: pesos('1') },
      400,
      /returned says nothing of/,
    ],
  ];
  for (const [fields, status, detail] of refusals) {
    const answer = await payments.report(plan, 'CUSTODIAN_PAYOUT', fields);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, detail);
  }
  const paid = await payout(
    await swapped({ corridorId: 'usdt-usdc-wallet', recipient: wallet() }),
    'payout.done',
  );
  const fromWallet = { outcome: 'RETURNED', providerReference: 'W-4', amount: '1', returned: pesos('1') };
  assert.match(
    (await payments.report(paid, 'CUSTODIAN_PAYOUT', fromWallet)).text,
    /must be of USDC|a wallet was paid/,
  );
  await reported(plan, { ...back, amount: due, returned: pesos('500000') });
});

test('what went to a wallet is no money of the account', async () => {
  const from = await nextTime();
  const email = freshEmail();
  const plan = await payments.plan({
    amountIn: '70000000',
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email },
    options: { mode: 'DIGITAL_COLLECT', depositAddress: freshAddress() },
  });
  await payments.played(plan, 'deposit.exact');
  await payments.played(plan, 'swap.done');
  await collectToWallet(payments.service, email, freshAddress());
  const paid = await payments.played(await payments.get(plan.planId), 'payout.done');
  assert.ok((await movementsOf(paid)).some(({ kind }) => kind === 'PAYOUT'));
  const { read, report } = await statement({ from, to: await periodEnd() }, 'usdc-eur-collect');
  assert.deepEqual([read.entries, read.closing, report.rows], [[], '0.00 EUR', 0]);
});

test('what a statement cannot be is refused with what to do', async () => {
  await payout(await swapped({ corridorId: 'usdt-usdc-wallet', recipient: wallet() }), 'payout.done');
  const period = { from: '2026-01-01T00:00:00Z', to: await periodEnd() };
  const refusals: [object, string, RegExp][] = [
    [{ filter: {} }, 'format-not-supported', /name in filter\.corridorId/],
    [
      { filter: { corridorId: 'usdc-aud-bank', kind: 'PAYOUT' } },
      'format-not-supported',
      /leave filter\.kind out/,
    ],
    [{ type: 'plans' }, 'format-not-supported', /a format of the report movements/],
    [{ filter: { corridorId: 'usdt-usdc-wallet' } }, 'format-not-supported', /pays USDC/],
    [{ filter: { corridorId: 'usdc-eur-iban' } }, 'format-not-supported', /No payout of the corridor/],
    [{ filter: { corridorId: 'nowhere' } }, 'validation-failed', /"nowhere" is not offered here/],
    [{ columns: ['amount'] }, 'validation-failed', /columns are for csv/],
  ];
  for (const [fields, code, detail] of refusals) {
    const asked = { type: 'movements', ...statementAsk(period), ...fields };
    const { status, problem } = await reports.call('', asked);
    assert.deepEqual([status, problem.code], [400, code]);
    assert.match(problem.detail, detail);
  }
});

const wallet = () => ({ type: 'wallet', address: freshAddress(), chainId: 31337 });
