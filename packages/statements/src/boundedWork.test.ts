// The cost of a file is bounded, whatever it holds. Its references have bounded length and number, and other requests
// run in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shorterOnes } from './finders.ts';
import { type ColumnMap, createTurns, FILE_LIMITS, type MatchEntry, matchEntries } from './index.ts';
import { readCamt } from './readCamt.ts';
import { readCsv } from './readCsv.ts';

const money = (kind: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp><Amt Ccy="AUD">${kind === 'OPBD' ? 5 : 4}</Amt>` +
  '<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-24</Dt></Dt></Bal>';
const camtWith = (references: string) =>
  [
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S1</Id>',
    `<Acct><Id><Othr><Id>A-1</Id></Othr></Id><Ccy>AUD</Ccy></Acct>${money('OPBD')}${money('CLBD')}`,
    '<Ntry><Amt Ccy="AUD">1</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-24</Dt></BookgDt>',
    `<NtryDtls><TxDtls><Refs>${references}</Refs></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`,
  ].join('\n');

const MAP: ColumnMap = {
  ...{ account: 'A-1', currency: 'AUD', delimiter: ',', decimalSeparator: '.', dateFormat: 'YYYY-MM-DD' },
  ...{ skipLines: 0, columns: { bookedOn: 'Day', amount: 'Amount', reference: 'Ref' } },
};

test('a reference that is longer than any of a bank is refused with its place', async () => {
  const [most, over] = ['r'.repeat(FILE_LIMITS.referenceLength), 'r'.repeat(FILE_LIMITS.referenceLength + 1)];
  for (const name of ['EndToEndId', 'AcctSvcrRef', 'TxId', 'UETR']) {
    assert.ok((await readCamt([camtWith(`<${name}>${most}</${name}>`)])).ok);
    const read = await readCamt([camtWith(`<${name}>${over}</${name}>`)]);
    assert.match(read.ok ? '' : read.detail, /^line 4: a reference is longer than 256 characters/);
  }
  const csv = (reference: string) => [`Day,Amount,Ref\n2026-11-24,-1.00,${reference}\n`];
  assert.ok((await readCsv(csv(most), MAP)).ok);
  const read = await readCsv(csv(over), MAP);
  assert.match(
    read.ok ? '' : read.detail,
    /^line 2, column "Ref": a reference is longer than 256 characters/,
  );
});

test('of a thousand references of a movement the first ones are kept', async () => {
  const all = Array.from({ length: 1_000 }, (_, index) => `<Prtry><Ref>R-${index}</Ref></Prtry>`);
  const read = await readCamt([camtWith(`<TxId>first</TxId>${all.join('')}`)]);
  const references = read.ok ? read.sections[0]?.units[0]?.references : undefined;
  assert.deepEqual([references?.length, references?.[0]], [FILE_LIMITS.references, 'first']);
});

test('the references that one begins with are found in few steps, however long it is', () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `R-${'x'.repeat(index % 128)}${index}`);
  const sorted = [...keys, 'F-123456', 'F-12345678'].toSorted((a, b) => (a < b ? -1 : 1));
  let steps = 0;
  const counted = new Proxy(sorted, {
    get: (of, name: string) => {
      if (/^\d+$/.test(name)) steps += 1;
      return of[name as unknown as number];
    },
  });
  const find = shorterOnes(counted);
  steps = 0;
  assert.deepEqual(find(`F-12345678${'x'.repeat(200)}`), ['F-12345678', 'F-123456']);
  assert.ok(steps < 20, `${steps} steps`);
  assert.deepEqual(find('F-12345678'), ['F-123456'], 'not itself');
});

test('others have the thread while many entries are matched', async () => {
  const entry = (index: number): MatchEntry => ({
    ...{ entryId: `e${index}`, direction: 'OUT', currency: 'AUD', minor: 5n, bookedOn: '2026-11-24' },
    ...{ valueOn: '2026-11-24', isReversal: false, payments: [], begunPayments: [] },
    references: [`R-${index}`],
  });
  let turns = 0;
  const next = async () => void (turns += 1);
  await matchEntries(
    Array.from({ length: 5_000 }, (_, index) => entry(index)),
    [],
    createTurns(next),
  );
  assert.ok(turns >= 4 * 2 * 25, `${turns} turns`);
});

test('a tag with many attributes or namespaces is refused as soon as it has them', async () => {
  const head = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>';
  const attribute = (index: number) => ` a${index}="1"`;
  const namespace = (index: number) => ` xmlns:a${index}="u"`;
  for (const [of, count, detail] of [
    [attribute, 17, /more than 16 attributes/],
    [namespace, 17, /more than 16 attributes/],
    [attribute, 100_000, /a tag is too long/],
    [namespace, 100_000, /a tag is too long/],
  ] as const) {
    const tag = `<GrpHdr${Array.from({ length: count }, (_, index) => of(index)).join('')}>`;
    let taken = 0;
    const parts = function* () {
      yield head;
      for (let index = 0; index < tag.length; index += 16_384) {
        taken += 1;
        yield tag.slice(index, index + 16_384);
      }
    };
    const read = await readCamt(parts());
    assert.match(read.ok ? '' : read.detail, detail);
    assert.equal(taken, 1, 'the rest of the file is not looked at');
  }
});
