// Returns as banks write them: credits under the id of their payment. They come in the same file or a later one, and
// the return is told before it or after it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Movement, Statement } from '@fairway/wire';
import { type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { dayOf, decimal, paidOn } from '../paidPlans.ts';
import { type Booking, camtOf, statementsOn } from '../statementsHarness.ts';
import { until } from '../webhookReceivers.ts';

let payments: PaymentsTest;
let bank: ReturnType<typeof statementsOn>;
before(async () => {
  payments = await startPaymentsTest();
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

for (const [place, told, back] of [
  ['the same file', 'before', ['RVSLIND', 'RTRINF']],
  ['the same file', 'after', ['RTRINF']],
  ['a later file', 'before', ['RVSLIND']],
  ['a later file', 'after', ['RVSLIND', 'RTRINF']],
] as const)
  test(`a return in ${place}, told ${told} its statement, is the return, and the payout the payout`, async () => {
    const { plan, payout, minor } = await paidOn(payments);
    const [amount, on] = [decimal(minor), dayOf(payout)];
    const endToEndId = payout.endToEndId ?? '';
    const tell = async () => {
      const report = { outcome: 'RETURNED', providerReference: `back ${plan.planId}` };
      assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', report)).status, 200);
    };
    const paid: Booking = { amount: `-${amount}`, on, endToEndId, name: 'Josephine Citizen' };
    const credit: Booking = { amount, on, endToEndId, back, name: 'Our Custodian Ltd' };
    if (told === 'before') await tell();
    const files = place === 'the same file' ? [[paid, credit]] : [[paid], [credit]];
    const statements: Statement[] = [];
    for (const [index, bookings] of files.entries())
      statements.push(await bank.imported(camtOf({ id: `${plan.planId} ${index}`, bookings })));
    if (told === 'after') await tell();
    const { body } = await payments.service.request(`/v1/payments/${plan.planId}/movements`);
    const returned = (body as { data: Movement[] }).data.find(({ kind }) => kind === 'RETURN');
    let seen: unknown[] = [];
    const expected = [
      ['OUT', 'MATCHED', payout.movementId],
      ['IN', 'MATCHED', returned?.movementId],
    ];
    await until('both are matched', async () => {
      const entries = (await Promise.all(statements.map((each) => bank.entries(each)))).flat();
      seen = entries.map(({ direction, status, matches }) => [direction, status, matches[0]?.movementId]);
      return JSON.stringify(seen) === JSON.stringify(expected);
    }).catch(() => undefined);
    assert.deepEqual(seen, expected);
  });

for (const told of ['before', 'after'] as const)
  test(`two equal returns of one plan, told ${told} their statement, are two credits`, async () => {
    const { plan, minor } = await paidOn(payments);
    const movementsOf = async (wanted: Movement['kind']) => {
      const { body } = await payments.service.request(`/v1/payments/${plan.planId}/movements`);
      return (body as { data: Movement[] }).data.filter(({ kind }) => kind === wanted);
    };
    const comesBack = async (name: string) => {
      const report = { outcome: 'RETURNED', providerReference: `${name} ${plan.planId}` };
      assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', report)).status, 200);
    };
    await comesBack('one');
    const again = await payments.again(plan);
    assert.equal(again.status, 200, again.text);
    await payments.played(again.body, 'payout.done');
    const payouts = await movementsOf('PAYOUT');
    if (told === 'before') await comesBack('two');
    const amount = decimal(minor);
    const bookings = payouts.flatMap((payout, index): Booking[] => {
      const booked = { on: dayOf(payout), endToEndId: payout.endToEndId ?? '' };
      const reference = `${plan.planId} ${index}`;
      return [
        { ...booked, amount: `-${amount}`, reference },
        { ...booked, amount, back: ['RTRINF'], reference: `${reference} back` },
      ];
    });
    const statement = await bank.imported(camtOf({ id: `twice ${plan.planId}`, bookings }));
    if (told === 'after') await comesBack('two');
    let seen: unknown[] = [];
    await until('all are matched', async () => {
      seen = (await bank.entries(statement)).map(({ status }) => status);
      return seen.every((status) => status === 'MATCHED');
    }).catch(() => undefined);
    assert.deepEqual(seen, Array(4).fill('MATCHED'));
    const returns = await movementsOf('RETURN');
    const matched = (await bank.entries(statement)).flatMap(({ matches }) => matches[0]?.movementId ?? []);
    assert.deepEqual(
      [matched[1], matched[3]],
      returns.map(({ movementId }) => movementId),
    );
  });
