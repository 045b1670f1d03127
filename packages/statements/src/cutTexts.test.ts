// A text that is not read to its end has a mark, so that nobody takes what it has left out for nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FILE_LIMITS, type ReadStatements } from './index.ts';
import { readCamt } from './readCamt.ts';
import { readMt940 } from './readMt940.ts';

const balance = (kind: string, amount: number) =>
  `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt>` +
  '<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-24</Dt></Dt></Bal>';
const camtWith = (purpose: string, more = '') =>
  [
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S1</Id>',
    `<Acct><Id><Othr><Id>A-1</Id></Othr></Id></Acct>${balance('OPBD', 5)}${balance('CLBD', 4)}`,
    '<Ntry><Amt Ccy="EUR">1</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-11-24</Dt></BookgDt>',
    `<NtryDtls><TxDtls>${purpose}</TxDtls></NtryDtls>${more}</Ntry></Stmt></BkToCstmrStmt></Document>`,
  ].join('\n');
const lines = (count: number, length: number) =>
  `<RmtInf>${`<Ustrd>${'x'.repeat(length)}</Ustrd>`.repeat(count)}</RmtInf>`;
const mt940With = (purpose: string) =>
  [':20:S', ':25:DE89370400440532013000', ':28C:1', ':60F:C261124EUR100,', ':61:2611241124D1,NTRFNONREF']
    .concat(purpose, ':62F:C261124EUR99,', '-')
    .join('\r\n');
const { textLength, texts } = FILE_LIMITS;

/** Files, and whether their text is cut. */
const FILES: Readonly<Record<string, readonly [() => Promise<ReadStatements>, boolean]>> = {
  'a camt text of one line': [() => readCamt([camtWith(lines(1, 140))]), false],
  'a camt text as long as is read': [() => readCamt([camtWith(lines(1, textLength))]), false],
  'two camt lines that are longer together': [() => readCamt([camtWith(lines(2, textLength / 2))]), true],
  'as many camt lines as are read': [() => readCamt([camtWith(lines(texts, 2))]), false],
  'one camt line more': [() => readCamt([camtWith(lines(texts + 1, 2))]), true],
  'a camt text with a remark behind it': [
    () => readCamt([camtWith(lines(1, textLength), '<AddtlNtryInf>R-7</AddtlNtryInf>')]),
    true,
  ],
  'an MT940 text of one line': [() => readMt940([mt940With(':86:rent')]), false],
  'an MT940 text with many lines': [() => readMt940([mt940With(`:86:${'rent\r\n'.repeat(101)}`)]), true],
  'a long MT940 text': [() => readMt940([mt940With(`:86:${`${'x'.repeat(900)}\r\n`.repeat(12)}`)]), true],
  'an MT940 text in two fields': [() => readMt940([mt940With(':86:rent\r\n:86:of May')]), true],
};

for (const [name, [read, isCut]] of Object.entries(FILES))
  test(`${name} is ${isCut ? 'cut, and has the mark' : 'whole'}`, async () => {
    const statements = await read();
    assert.ok(statements.ok, statements.ok ? '' : statements.detail);
    const [unit] = statements.sections[0]?.units ?? [];
    assert.equal(unit?.isTextCut, isCut ? true : undefined);
    assert.ok((unit?.text ?? '').length <= textLength);
  });
