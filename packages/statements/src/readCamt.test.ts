import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCamt } from './readCamt.ts';

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

test('every version from .001.02 to .001.13 is read, and no other', async () => {
  const outcome = async (version: number) => {
    const name = String(version).padStart(2, '0');
    const parts = file(entry('3.00', 'BOOK')).map((part) => part.replace('001.08', `001.${name}`));
    // The status of an entry was a text before it had a code.
    const older = parts.map((part) => part.replace('<Sts><Cd>BOOK</Cd></Sts>', '<Sts>BOOK</Sts>'));
    const read = await readCamt(version < 8 ? older : parts);
    return read.ok ? read.sections.flatMap(({ units }) => units.map(({ minor }) => minor)) : read.detail;
  };
  for (let version = 2; version <= 13; version += 1)
    assert.deepEqual(await outcome(version), [300n], String(version));
  for (const version of [1, 14])
    assert.match(String(await outcome(version)), /is no camt\.052, camt\.053 or camt\.054 of \.001\.02 to/);
});
