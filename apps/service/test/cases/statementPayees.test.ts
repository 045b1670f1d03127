// What a bank shows of who was paid: another account or name than the recipient's confirms no payout.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AUSTRALIAN, type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { dayOf, decimal, type Paid, paidOn } from '../paidPlans.ts';
import { camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let bank: ReturnType<typeof statementsOn>;
const paid = () => paidOn(payments);
before(async () => {
  payments = await startPaymentsTest();
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

/** The entries of a statement with a payout, and what the bank shows of who was paid. */
async function entriesOf({ payout, minor }: Pick<Paid, 'payout' | 'minor'>, id: string, side: object) {
  const booking = { amount: `-${decimal(minor)}`, on: dayOf(payout), endToEndId: payout.endToEndId ?? '' };
  return bank.entries(await bank.imported(camtOf({ id, bookings: [{ ...booking, ...side }] })));
}

test('an entry that shows another account or person confirms no payout, whatever id it has', async () => {
  const shown = [
    [{ name: 'Josephine Citizen', account: '062000 12345678' }, 'MATCHED', undefined],
    [{ account: '12345678' }, 'MATCHED', undefined],
    [{ account: '062001 12345678' }, 'TENTATIVE', ['ACCOUNT_DIFFERS']],
    [{ name: 'Josephine Citizen', account: 'DE02120300000000202051' }, 'TENTATIVE', ['ACCOUNT_DIFFERS']],
    [{ name: 'Mallory Smith', account: '12345678' }, 'TENTATIVE', ['NAME_DIFFERS']],
    [{ name: 'Mallory Smith', account: '87654321' }, 'TENTATIVE', ['ACCOUNT_DIFFERS', 'NAME_DIFFERS']],
  ] as const;
  for (const [index, [side, status, reasons]] of shown.entries()) {
    const { payout, minor } = await paid();
    const [entry] = await entriesOf({ payout, minor }, `shown ${index}`, side);
    assert.deepEqual(
      [entry?.status, entry?.proposals?.[0]?.reasons],
      [status, reasons],
      JSON.stringify(side),
    );
  }
});

test('an entry of a payout that came back is compared with nobody who is paid instead', async () => {
  const { plan, payout, minor } = await paid();
  const returned = { outcome: 'RETURNED', providerReference: `back ${plan.planId}` };
  assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', returned)).status, 200);
  const account = { bsb: '062-000', accountNumber: '87654321' };
  const recipient = { ...AUSTRALIAN, name: 'Mallory Smith', account };
  const replaced = await payments.again(plan, { recipient });
  assert.equal(replaced.status, 200, replaced.text);
  const side = { name: 'Josephine Citizen', account: '12345678' };
  const [entry] = await entriesOf({ payout, minor }, 'former', side);
  assert.deepEqual([entry?.status, entry?.proposals?.[0]?.reasons], ['MATCHED', undefined]);
});

test('an entry of a payout that came back is compared with the same account, which is paid again', async () => {
  const { plan, payout, minor } = await paid();
  const returned = { outcome: 'RETURNED', providerReference: `again ${plan.planId}` };
  assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', returned)).status, 200);
  const again = await payments.again(plan);
  assert.deepEqual([again.status, again.body.did], [200, 'TRY'], again.text);
  const [entry] = await entriesOf({ payout, minor }, 'same', { account: '87654321' });
  assert.deepEqual([entry?.status, entry?.proposals?.[0]?.reasons], ['TENTATIVE', ['ACCOUNT_DIFFERS']]);
});

test('money that came back is found by its name, whichever account the bank shows', async () => {
  const { plan, minor } = await paid();
  const returned = { outcome: 'RETURNED', providerReference: `home ${plan.planId}` };
  const { body } = await payments.report(plan, 'CUSTODIAN_PAYOUT', returned);
  const on = String(body.returns[0]?.recordedAt).slice(0, 10);
  const side = { name: 'Josephine Citizen', account: 'DE89370400440532013000' };
  const text = `RTRN ${plan.clientReference}`;
  const file = camtOf({ id: 'home', bookings: [{ amount: decimal(minor), on, text, ...side }] });
  const [entry] = await bank.entries(await bank.imported(file));
  assert.deepEqual([entry?.status, entry?.proposals?.[0]?.reasons], ['MATCHED', undefined]);
});
