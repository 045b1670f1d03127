// Money that comes back has the references of its payment. It is never the payment, and takes nothing from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MatchEntry, matchEntries, type MatchMovement, nameForm } from './index.ts';
import { readCamt } from './readCamt.ts';

const MONEY = { currency: 'EUR', minor: 5_000n } as const;
const PAYOUT: MatchMovement = {
  ...{ movementId: 'mov_paid', payment: 'plan_1', direction: 'OUT', ...MONEY, taken: 0n, on: '2026-11-20' },
  ...{ endToEndId: 'FW1', providerReference: 'PRV-1', nameForm: nameForm('Jo Citizen') },
};
const { endToEndId: _, ...BACK } = PAYOUT;
const RETURN: MatchMovement = {
  ...BACK,
  ...{ movementId: 'mov_back', direction: 'IN', on: '2026-11-23', paidAs: ['FW0', 'FW1'] },
  providerReference: 'PRV-2',
};
const ENTRY: MatchEntry = {
  ...{ entryId: 'paid', direction: 'OUT', ...MONEY, bookedOn: '2026-11-20', valueOn: '2026-11-20' },
  ...{ isReversal: false, endToEndId: 'FW1', references: ['PRV-1'], payments: ['plan_1'], begunPayments: [] },
};
const CREDIT: MatchEntry = {
  ...ENTRY,
  ...{ entryId: 'back', direction: 'IN', bookedOn: '2026-11-23', valueOn: '2026-11-23', isReversal: true },
};

async function found(entries: readonly MatchEntry[], movements: readonly MatchMovement[]) {
  const results = await matchEntries(entries, movements);
  return results.map((result) =>
    result.status === 'MATCHED'
      ? `${result.entryId}=${result.movementId}`
      : `${result.entryId}?${result.proposals.flatMap(({ movementId, reasons }) => [movementId, ...reasons])}`,
  );
}

test('a payout is certain beside its return, and a credit under its id is that return', async () => {
  for (const entries of [
    [ENTRY, CREDIT],
    [CREDIT, ENTRY],
  ])
    assert.deepEqual((await found(entries, [PAYOUT, RETURN])).toSorted(), ['back=mov_back', 'paid=mov_paid']);
});

test('a return that nobody has told yet proposes its payment, and takes nothing from it', async () => {
  assert.deepEqual(await found([ENTRY, CREDIT], [PAYOUT]), [
    'paid=mov_paid',
    'back?mov_paid,DIRECTION_DIFFERS',
  ]);
  const taken = { ...PAYOUT, taken: 5_000n };
  assert.deepEqual(await found([CREDIT], [taken]), ['back?mov_paid,DIRECTION_DIFFERS']);
  const { endToEndId: __, ...unnamed } = { ...ENTRY, references: [], payments: [], begunPayments: [] };
  const named = { ...unnamed, nameForm: nameForm('Jo Citizen') };
  assert.deepEqual(await found([named, CREDIT], [PAYOUT]), [
    'paid=mov_paid',
    'back?mov_paid,DIRECTION_DIFFERS',
  ]);
});

test('the payment under its id does not end the search for the return', async () => {
  const { paidAs: __, ...other } = RETURN;
  const credit = { ...CREDIT, references: ['PRV-2'] };
  assert.deepEqual(await found([credit], [PAYOUT, other]), ['back=mov_back']);
  const nameless = { ...CREDIT, references: [] };
  assert.deepEqual(await found([nameless], [PAYOUT, other]), [
    'back?mov_back,REFERENCE_DIFFERS,NAME_UNKNOWN',
  ]);
});

test('money that came back under its own id may name either side of its payment', async () => {
  const credit = { ...CREDIT, nameForm: nameForm('Our Custodian Ltd') };
  assert.deepEqual(await found([credit], [RETURN]), ['back=mov_back']);
  const payment = { ...ENTRY, nameForm: nameForm('Our Custodian Ltd') };
  assert.deepEqual(await found([payment], [PAYOUT]), ['paid?mov_paid,NAME_DIFFERS']);
});

test('two credits under the id of one return are not certain', async () => {
  assert.deepEqual(await found([CREDIT, { ...CREDIT, entryId: 'twice' }], [RETURN]), [
    'back?mov_back,SEVERAL_ENTRIES',
    'twice?mov_back,SEVERAL_ENTRIES',
  ]);
});

test('a payment that came back is read with who was to be paid', async () => {
  const side = (tag: string, name: string) => `<${tag}><Pty><Nm>${name}</Nm></Pty></${tag}>`;
  const credit = (more: string, detail: string) =>
    `<Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>${more}<Sts><Cd>BOOK</Cd></Sts>` +
    '<BookgDt><Dt>2026-11-24</Dt></BookgDt><NtryDtls><TxDtls><Refs><EndToEndId>FW1</EndToEndId></Refs>' +
    `<RltdPties>${side('Dbtr', 'Our Custodian')}${side('Cdtr', 'Jo Citizen')}</RltdPties>${detail}</TxDtls></NtryDtls></Ntry>`;
  const balance = (kind: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-24</Dt></Dt></Bal>`;
  const read = await readCamt([
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S1</Id>',
    `<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></Acct>${balance('OPBD', '1.00')}${balance('CLBD', '16.00')}`,
    credit('<RvslInd>true</RvslInd>', ''),
    credit('', '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>'),
    credit('', ''),
    '</Stmt></BkToCstmrStmt></Document>',
  ]);
  assert.ok(read.ok);
  assert.deepEqual(
    read.sections[0]?.units.map(({ name, isReversal }) => [name, isReversal]),
    [
      ['Jo Citizen', true],
      ['Jo Citizen', true],
      ['Our Custodian', false],
    ],
  );
});
