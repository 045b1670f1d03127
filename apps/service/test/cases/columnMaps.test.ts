// Column maps of a bank's CSV files, over HTTP: kept, proposed from a sample, and what they read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { dayOf, decimal, paidOn } from '../paidPlans.ts';
import { camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let bank: ReturnType<typeof statementsOn>;
const paid = (plan?: PaymentPlan) => paidOn(payments, plan);
before(async () => {
  payments = await startPaymentsTest();
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

const putMap = (name: string, body: object) =>
  payments.service.request(`/v1/reconciliation/maps/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a CSV file is read as its stored map says', async () => {
  const map = {
    account: 'AU-987654',
    currency: 'AUD',
    delimiter: ';',
    decimalSeparator: ',',
    dateFormat: 'DD.MM.YYYY',
    skipLines: 1,
    columns: { bookedOn: 'Tag', amount: 'Betrag', balance: 'Saldo', name: 'Name', endToEndId: 'E2E' },
  };
  assert.equal((await putMap('my-bank', map)).status, 200);
  assert.equal((await putMap('my-bank', { ...map, columns: { bookedOn: 'Tag' } })).status, 400);
  const { body } = await payments.service.request('/v1/reconciliation/maps');
  const { data } = body as { data: { name: string; map: unknown }[] };
  assert.deepEqual(data.find(({ name }) => name === 'my-bank')?.map, map);
  const { payout, minor } = await paid();
  const on = dayOf(payout).split('-').toReversed().join('.');
  const csv = (saldo: string) =>
    `Konto AU-987654\nTag;Betrag;Saldo;Name;E2E\n${on};-${decimal(minor).replace('.', ',')};1.000,00;"Josephine; Citizen";${payout.endToEndId}\n${on};5,00;${saldo};;\n`;
  const taken = await bank.upload(csv('1.005,00'), 'text/csv', '?map=my-bank');
  assert.equal(taken.status, 201, taken.text);
  assert.deepEqual([taken.statement.map, taken.statement.entries.MATCHED], ['my-bank', 1]);
  const form = new FormData();
  form.set('file', new Blob([csv('1.005,00')], { type: 'text/csv' }), 'november.csv');
  form.set('map', 'my-bank');
  const same = await bank.upload(form);
  assert.deepEqual([same.status, same.statement.statementId], [201, taken.statement.statementId]);
  for (const [file, query, code] of [
    [csv('1.006,00'), '?map=my-bank', 'statement-invalid'],
    [csv('1.005,00').replace('Betrag', 'Summe'), '?map=my-bank', 'statement-invalid'],
    [csv('1.005,00').replace(';5,00', ';5.00'), '?map=my-bank', 'statement-invalid'],
    [csv('1.005,00'), '', 'validation-failed'],
    [csv('1.005,00'), '?map=other', 'validation-failed'],
    [camtOf({ bookings: [{ amount: '-1.00' }] }), '?map=my-bank', 'validation-failed'],
  ] as const)
    assert.equal((await bank.upload(file, 'text/csv', query)).problem.code, code);
});

test('a map is proposed from a sample, kept, and reads the file; MT940 needs none', async () => {
  const csv =
    'Date;Name;Amount;Status\n24.11.2026;Jo Citizen;-1.077,70;Booked\n25.11.2026;Zoë;5,00;Pending\n';
  const sample = await payments.service.request(
    '/v1/reconciliation/maps/suggest?account=AU-suggested&currency=AUD',
    {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: new Uint8Array(Buffer.from(csv, 'latin1')),
    },
  );
  const { map, rows, missing } = sample.body as { map: object; rows: object[]; missing: unknown };
  assert.deepEqual([sample.status, missing, rows.length], [200, [], 1]);
  assert.deepEqual(rows[0], {
    ...{ line: 2, bookedOn: '2026-11-24', valueOn: '2026-11-24', direction: 'OUT', amount: '107770' },
    ...{ asset: { currency: 'AUD' }, references: [], counterparty: { name: 'J. C.' } },
  });
  assert.equal(
    (await payments.service.request('/v1/reconciliation/maps/suggest')).status,
    404,
    'nothing is kept',
  );
  assert.equal((await putMap('suggested', map)).status, 200);
  const read = await bank.upload(csv, 'text/csv', '?map=suggested');
  assert.deepEqual([read.status, read.statement.entries.TOTAL], [201, 1], read.text);

  const { payout, minor } = await paid();
  const day = dayOf(payout).slice(2).replaceAll('-', '');
  const amount = (of: bigint) => decimal(of).replace('.', ',');
  const mt940 = [
    ...[':20:M', ':25:AU-940', ':28C:1', `:60F:C${day}AUD${amount(minor + 100n)}`],
    ...[`:61:${day}D${amount(minor)}NTRFNONREF`, `:86:177?20EREF+${payout.endToEndId?.slice(0, 20)}`],
    ...[`?21${payout.endToEndId?.slice(20)}?32Josephine Citizen`, `:62F:C${day}AUD1,00`, '-'],
  ];
  const taken = await bank.upload(mt940.join('\r\n'), 'text/plain');
  assert.deepEqual([taken.status, taken.statement.format], [201, 'mt940'], taken.text);
  assert.equal((await bank.entries(taken.statement))[0]?.matches[0]?.movementId, payout.movementId);
});
