import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCamt } from './index.ts';

const money = (amount: string, direction = 'DBIT') =>
  `<Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`;
const balance = (code: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(amount, 'CRDT')}<Dt><Dt>2026-11-24</Dt></Dt></Bal>`;
const entry = (amount: string, status: string) =>
  `<Ntry>${money(amount)}<Sts><Cd>${status}</Cd></Sts><BookgDt><Dt>2026-11-24</Dt></BookgDt></Ntry>`;
const file = (...entries: readonly string[]) => [
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S1</Id>',
  '<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>',
  ...[balance('OPBD', '10.00'), balance('CLBD', '7.00'), ...entries],
  '</Stmt></BkToCstmrStmt></Document>',
];

test('a statement that lacks what is pending says how many entries were passed over', async () => {
  const read = await readCamt(file(entry('1.00', 'BOOK'), entry('2.00', 'PDNG')));
  assert.match(
    read.ok ? '' : read.detail,
    /come to 900 .* is 700\. .*passed over \(PDNG, INFO or FUTR\): 1\. Send/,
  );
  const other = await readCamt(file(entry('1.00', 'BOOK')));
  assert.match(other.ok ? '' : other.detail, /is 700\. Send the whole statement\.$/);
});
