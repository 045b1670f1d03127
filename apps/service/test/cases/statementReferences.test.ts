// References as banks change them: an entry is its payout wherever the reference stands, and however it is written.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type PaymentsTest, startPaymentsTest } from '../paymentsHarness.ts';
import { dayOf, decimal, paidOn } from '../paidPlans.ts';
import { type Booking, camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
let bank: ReturnType<typeof statementsOn>;
before(async () => {
  payments = await startPaymentsTest();
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

const apart = (id: string) => `${id.slice(0, 9)} ${id.slice(9)}`;
const purpose = (...lines: readonly string[]) => ({
  xml: { purpose: lines.map((line) => `<Ustrd>${line}</Ustrd>`).join('') },
});

/** Where a bank shows an end-to-end id and how, and what the entry is then. */
const SHOWN: readonly (readonly [string, (id: string) => Partial<Booking>, string])[] = [
  ['in small letters', (id) => ({ endToEndId: id.toLowerCase() }), 'MATCHED'],
  ['with spaces', (id) => ({ endToEndId: apart(id) }), 'MATCHED'],
  [
    'with hyphens',
    (id) => ({ endToEndId: `${id.slice(0, 8)}-${id.slice(8, 20)}-${id.slice(20)}` }),
    'MATCHED',
  ],
  ['cut at 16 characters', (id) => ({ endToEndId: id.slice(0, 16) }), 'TENTATIVE REFERENCE_CUT'],
  ['over two lines', (id) => purpose(`rent ${id.slice(0, 20)}`, `${id.slice(20)} for May`), 'MATCHED'],
  ['behind 60 words', (id) => purpose(...Array(6).fill('one two 3 four 5 six 7 8 nine 10'), id), 'MATCHED'],
  ['cut in a text', (id) => purpose(`EREF+${id.slice(0, 16)}`), 'TENTATIVE REFERENCE_CUT'],
  [
    'in AddtlNtryInf',
    (id) => ({ xml: { last: `<AddtlNtryInf>REF ${apart(id)}</AddtlNtryInf>` } }),
    'MATCHED',
  ],
  ['in Btch/PmtInfId', (id) => ({ xml: { begin: `<Btch><PmtInfId>${id}</PmtInfId></Btch>` } }), 'MATCHED'],
  ['in TxId', (id) => ({ xml: { refs: `<TxId>${id.toLowerCase()}</TxId>` } }), 'MATCHED'],
  [
    'in InstrId beside NOT PROVIDED',
    (id) => ({ endToEndId: 'NOT PROVIDED', xml: { refs: `<InstrId>${id}</InstrId>` } }),
    'MATCHED',
  ],
  [
    'in a creditor reference',
    (id) => ({ xml: { purpose: `<Strd><CdtrRefInf><Ref>${apart(id)}</Ref></CdtrRefInf></Strd>` } }),
    'MATCHED',
  ],
];

for (const [index, [name, shown, expected]] of SHOWN.entries())
  test(`an id that the bank shows ${name} leads to its payout`, async () => {
    const { payout, minor } = await paidOn(payments);
    const booking = { amount: `-${decimal(minor)}`, on: dayOf(payout), ...shown(payout.endToEndId ?? '') };
    const [entry] = await bank.entries(
      await bank.imported(camtOf({ id: `shown ${index}`, bookings: [booking] })),
    );
    const found = entry?.matches[0] ?? entry?.proposals[0];
    const reasons = entry?.proposals.flatMap((each) => each.reasons) ?? [];
    assert.deepEqual(
      [[entry?.status, ...reasons].join(' '), found?.movementId],
      [expected, payout.movementId],
    );
  });

test('a reference of the provider is found as the bank has changed it', async () => {
  const { plan, payout, minor } = await paidOn(payments);
  const told = payout.providerReference ?? assert.fail();
  const changed = told.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const text = `payout ${changed.slice(0, 6)} ${changed.slice(6)} of ${plan.clientReference.toUpperCase()}`;
  const booking = { amount: `-${decimal(minor)}`, on: dayOf(payout), text };
  const [entry] = await bank.entries(await bank.imported(camtOf({ id: 'provider', bookings: [booking] })));
  assert.deepEqual([entry?.status, entry?.matches[0]?.by], ['MATCHED', 'PROVIDER_REFERENCE']);
  assert.ok(entry?.references.includes(told), 'references of ours are shown as they are ours');
});
