// Bank statements that are read twice. When the same bytes of a CSV file are read with another column map, the last reading counts. Entries
// that only the other readings have belong to nobody. A file can also have the same statement twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { decimal, paidOn } from '../paidPlans.ts';
import { camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let bank: ReturnType<typeof statementsOn>;
before(async () => {
  payments = await startPaymentsTest();
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

/** The readings of a file with a date format each. */
function readingsOf(csv: string) {
  const map = {
    account: `AU ${Date.now()}`,
    currency: 'AUD',
    columns: { bookedOn: 'Date', amount: 'Amount', servicerReference: 'Ref' },
  };
  return async (dateFormat: string) => {
    const kept = await payments.service.request('/v1/reconciliation/maps/wrong', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...map, dateFormat }),
    });
    assert.equal(kept.status, 200);
    const answer = await bank.upload(csv, 'text/csv', '?map=wrong');
    assert.equal(answer.status, 201, answer.text);
    const entries = await bank.entries(answer.statement);
    const isReplayed = answer.headers.get('idempotent-replayed') === 'true';
    return { entries, isReplayed, statement: answer.statement };
  };
}

const stateOf = (entries: Awaited<ReturnType<typeof bank.entries>>) =>
  entries.map(({ bookedOn, status }) => `${bookedOn} ${status}`);
const REPLACED = 'Its file was read again with another column map.';

test('a CSV file is read again with a corrected map, in place of the wrong import', async () => {
  const read = readingsOf('Date,Amount,Ref\n05/11/2026,-71.00,reading-1\n06/11/2026,-3.00,reading-2\n');
  const wrong = await read('MM/DD/YYYY');
  assert.deepEqual(stateOf(wrong.entries), ['2026-05-11 OPEN', '2026-06-11 OPEN']);
  const [decided] = wrong.entries;
  assert.equal((await bank.ignore(decided?.entryId ?? '', 'a fee')).status, 200);
  const right = await read('DD/MM/YYYY');
  assert.ok(!right.isReplayed && right.statement.statementId !== wrong.statement.statementId);
  assert.deepEqual(stateOf(right.entries), ['2026-11-05 OPEN', '2026-11-06 OPEN']);
  const ignored = await bank.entries(wrong.statement);
  assert.deepEqual(
    ignored.map(({ ignoredReason }) => ignoredReason),
    ['a fee', REPLACED],
  );
  const { statement } = await bank.send('STATEMENT', `/statements/${wrong.statement.statementId}`);
  assert.equal(statement.replacedBy, right.statement.statementId);
  assert.ok((await read('DD/MM/YYYY')).isReplayed);

  const back = await read('MM/DD/YYYY');
  assert.deepEqual([back.isReplayed, back.statement.replacedBy], [true, undefined]);
  assert.equal(back.statement.statementId, wrong.statement.statementId);
  assert.deepEqual(stateOf(back.entries), ['2026-05-11 IGNORED', '2026-06-11 OPEN']);
  assert.deepEqual(stateOf(await bank.entries(right.statement)), [
    '2026-11-05 IGNORED',
    '2026-11-06 IGNORED',
  ]);
});

test('what a person takes back of a replaced import is ignored until that import counts again', async () => {
  const { payout, minor } = await paidOn(payments);
  const amount = decimal(minor);
  const read = readingsOf(`Date,Amount,Ref\n05/11/2026,-${amount},Q-1\n06/11/2026,-${amount},Q-2\n`);
  const wrong = await read('MM/DD/YYYY');
  const [matched, open] = wrong.entries;
  assert.ok(matched && open);
  const all = { movementId: payout.movementId, amount: String(minor) };
  assert.equal((await bank.match(matched.entryId, all)).entry.status, 'MATCHED');
  assert.equal((await bank.unmatch(open.entryId)).entry.status, 'OPEN');

  const right = await read('DD/MM/YYYY');
  const standing = async () =>
    (await bank.entries(wrong.statement)).map(({ status, ignoredReason }) => [status, ignoredReason]);
  assert.deepEqual(await standing(), [
    ['MATCHED', undefined],
    ['IGNORED', REPLACED],
  ]);
  for (const { entryId } of [matched, open]) {
    const { entry, text } = await bank.unmatch(entryId);
    assert.deepEqual([entry.status, entry.ignoredReason, entry.matches], ['IGNORED', REPLACED, []]);
    assert.equal((await bank.unmatch(entryId)).text, text);
  }
  assert.deepEqual(await bank.differences(wrong.statement), []);
  const [mine] = right.entries;
  assert.equal((await bank.match(mine?.entryId ?? '', all)).entry.status, 'MATCHED');
  assert.equal((await bank.unmatch(mine?.entryId ?? '')).entry.status, 'OPEN');

  // The entry is open again, but a match that a person has taken back is not made again automatically.
  await read('MM/DD/YYYY');
  assert.deepEqual(await standing(), [
    ['OPEN', undefined],
    ['OPEN', undefined],
  ]);
  assert.equal((await bank.unmatch(matched.entryId)).entry.status, 'OPEN');
});

test('a statement that a file has twice is one, and another one with its bookings is not', async () => {
  const account = `AU${Date.now()}`;
  const bookings = [{ amount: '-3.00', name: 'Di Copy' }];
  const morning = { account, bookings, opening: '10.00', id: 'M' };
  const noon = { account, bookings, opening: '7.00', id: 'N' };
  const twice = await bank.imported(camtOf(morning, morning, noon));
  assert.deepEqual([twice.sections.length, twice.entries.TOTAL], [2, 2]);
});
