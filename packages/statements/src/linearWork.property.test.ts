// Every kind of input that can be made large is made four times as large. Then the work is about four times as much,
// and never its square.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import {
  type ColumnMap,
  identifyUnits,
  type MatchEntry,
  matchEntries,
  type MatchMovement,
  nameForm,
  type ReadStatements,
  type StatementSection,
  statementsApart,
} from './index.ts';
import { readCamt } from './readCamt.ts';
import { readCsv } from './readCsv.ts';

/** Four times the size may take this many times the work; its square would be 16 times. */
const MOST_TIMES = 9;
const TRIES = 3;
/** Less than this, in microseconds of the processor, is too little to be compared: its clock is coarse. */
const LEAST_WORK = 20_000;

const MAP: ColumnMap = {
  ...{ account: 'A-1', currency: 'AUD', delimiter: ',', decimalSeparator: '.', dateFormat: 'YYYY-MM-DD' },
  ...{ skipLines: 0, columns: { bookedOn: 'Day', amount: 'Amount', reference: 'Ref', name: 'Name' } },
};
const HEADER = 'Day,Amount,Ref,Name\n';
const DAY = '2026-11-24';

function* inParts(text: string): Generator<string> {
  for (let index = 0; index < text.length; index += 65_536) yield text.slice(index, index + 65_536);
}
const csv = (text: string) => () => readCsv(inParts(text), MAP);
const camt = (text: string) => () => readCamt(inParts(text));

const HEAD = '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>';
const money = (amount: number, direction: string) =>
  `<Amt Ccy="AUD">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`;
const balance = (kind: string, amount: number) =>
  `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp>${money(amount, 'CRDT')}<Dt><Dt>${DAY}</Dt></Dt></Bal>`;
const entry = (amount: number, details: string) =>
  `<Ntry>${money(amount, 'DBIT')}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${DAY}</Dt></BookgDt><NtryDtls>${details}</NtryDtls></Ntry>`;
const statement = (sum: number, entries: string) =>
  `${HEAD}<Stmt><Id>S</Id><Acct><Id><Othr><Id>A</Id></Othr></Id><Ccy>AUD</Ccy></Acct>${balance('OPBD', sum)}${balance('CLBD', 0)}${entries}</Stmt></BkToCstmrStmt></Document>`;
const detail = (more: string) => `<TxDtls>${money(1, 'DBIT')}${more}</TxDtls>`;

const entryOf = (index: number, more: Partial<MatchEntry>): MatchEntry => ({
  ...{ entryId: `e${index}`, direction: 'OUT', currency: 'AUD', minor: 5n, bookedOn: DAY, valueOn: DAY },
  ...{ isReversal: false, payments: [], begunPayments: [], references: [], ...more },
});
const movementOf = (index: number, more: Partial<MatchMovement>): MatchMovement => ({
  ...{ movementId: `m${index}`, payment: `p${index}`, direction: 'OUT', currency: 'AUD', minor: 5n },
  ...{ taken: 0n, on: DAY, ...more },
});
const many = <Made>(count: number, make: (index: number) => Made) =>
  Array.from({ length: count }, (_, index) => make(index));
const matching = (
  count: number,
  ofEntry: (index: number) => Partial<MatchEntry>,
  ofMovement: (index: number) => Partial<MatchMovement>,
) => {
  const entries = many(count, (index) => entryOf(index, ofEntry(index)));
  const movements = many(count, (index) => movementOf(index, ofMovement(index)));
  return () => matchEntries(entries, movements);
};

const names = (count: number, nameOf: (index: number) => string) => async () => {
  for (let index = 0; index < count; index += 1) nameForm(nameOf(index));
};

/** A statement of equal payments and as many back; `number`: what tells it from others. */
const even = (number: string, count: number): StatementSection => ({
  ...{
    account: 'A',
    currency: 'AUD',
    number,
    opening: { minor: 9n, on: DAY },
    closing: { minor: 9n, on: DAY },
  },
  units: many(count, (index) => ({
    ...{ direction: index % 2 === 0 ? 'IN' : 'OUT', minor: 1n, bookedOn: DAY, valueOn: DAY },
    ...{ isReversal: false, isRest: false, references: [] },
  })),
});
const apart = (file: readonly StatementSection[], known: readonly StatementSection[]) => async () => {
  const areApart = await statementsApart(file, known, async function* (places) {
    for (const at of places) yield { at, units: known[at]?.units ?? [] };
  });
  const holdersOf = async (identities: readonly string[]) => identities.map(() => []);
  let count = 0;
  for await (const _ of identifyUnits(file, { areApart, holdersOf })) count += 1;
  return count;
};

/** Identifies the entries of 100 statements, each of which has to pass over those of a known one. */
const equalTo = (count: number) => async () => {
  const known = {
    areApart: () => true,
    holdersOf: async (identities: readonly string[]) =>
      identities.map((identity) => (Number.parseInt(identity) <= count ? [0] : [])),
  };
  for await (const { identity } of identifyUnits(
    many(100, (index) => even(`${index}`, 2)),
    known,
  ))
    assert.ok(Number.parseInt(identity) > count);
};

/** What is made large, how many of it the smaller file has, and the work on it. */
const KINDS: readonly (readonly [string, number, (count: number) => () => Promise<unknown>])[] = [
  ['CSV of commas', 1_000_000, (count) => csv(','.repeat(count))],
  ['CSV of quotes', 1_000_000, (count) => csv(HEADER + '"'.repeat(count))],
  ['CSV of empty lines', 500_000, (count) => csv(HEADER + '\n'.repeat(count))],
  ['CSV of one field', 1_000_000, (count) => csv(`${HEADER}${'x'.repeat(count)}`)],
  ['CSV of equal rows', 4_000, (count) => csv(HEADER + `${DAY},-1.00,R-1,Jo\n`.repeat(count))],
  ['XML that is deep', 100_000, (count) => camt(HEAD + '<a>'.repeat(count))],
  ['XML that is wide', 50_000, (count) => camt(`${HEAD}${'<a/>'.repeat(count)}`)],
  [
    'XML that is wide below long names',
    10_000,
    (count) => camt(HEAD + `<${'n'.repeat(3_000)}>`.repeat(50) + '<a/>'.repeat(count)),
  ],
  ['XML of one attribute', 1_000_000, (count) => camt(`${HEAD}<a b="${'x'.repeat(count)}"/>`)],
  [
    'XML of namespaces',
    5_000,
    (count) => camt(HEAD + many(count, (index) => `<a xmlns:n${index}="u"/>`).join('')),
  ],
  ['XML of one text', 1_000_000, (count) => camt(`${HEAD}<a>${'x'.repeat(count)}</a>`)],
  [
    'an entry of many payments',
    2_000,
    (count) => camt(statement(count, entry(count, detail('').repeat(count)))),
  ],
  [
    'a payment of many texts',
    20_000,
    (count) => camt(statement(1, entry(1, detail(`<RmtInf>${'<Ustrd>a</Ustrd>'.repeat(count)}</RmtInf>`)))),
  ],
  [
    'entries and movements with one reference',
    2_000,
    (count) =>
      matching(
        count,
        () => ({ references: ['R-12345678'] }),
        () => ({ providerReference: 'R-12345678' }),
      ),
  ],
  [
    'entries and movements of one amount',
    2_000,
    (count) =>
      matching(
        count,
        () => ({}),
        () => ({}),
      ),
  ],
  [
    'references that begin each other',
    500,
    (count) =>
      matching(
        count,
        () => ({ references: ['x'.repeat(5_000)] }),
        (index) => ({ providerReference: 'x'.repeat(8 + index) }),
      ),
  ],
  ['names of U+FDFA', 100, (count) => names(count, (index) => `${'\uFDFA'.repeat(200)}${index}`)],
  ['names of marks', 500, (count) => names(count, (index) => `a${'\u0315\u0316'.repeat(100)}${index}`)],
  [
    'even statements, and one of many entries',
    500,
    (count) =>
      apart(
        [even('big', 10 * count)],
        many(count, (index) => even(`${index}`, 2)),
      ),
  ],
  ['statements beside one that has many entries equal to theirs', 2_000, (count) => equalTo(count)],
  [
    'even statements in one file, which have equal entries',
    8_000,
    (count) =>
      apart(
        many(20, (index) => even(`${index}`, count / 20)),
        [],
      ),
  ],
];

async function workOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

for (const [what, count, make] of KINDS)
  test(`the work grows with the size: ${what}`, async () => {
    const [once, fourfold] = [make(count), make(4 * count)];
    await once();
    const [small, large]: [number[], number[]] = [[], []];
    for (let tries = 0; tries < TRIES; tries += 1) {
      small.push(await workOf(once));
      large.push(await workOf(fourfold));
    }
    const times = Math.min(...large) / Math.max(LEAST_WORK, Math.min(...small));
    assert.ok(times < MOST_TIMES, `${times.toFixed(1)} times the work, ${seed}`);
  });

test('what cannot be a statement of a bank is refused at its place, and named', async () => {
  const detailOf = async (work: () => Promise<unknown>) => {
    const read = (await work()) as ReadStatements;
    return read.ok ? '' : read.detail;
  };
  assert.match(await detailOf(csv(','.repeat(2_000))), /^line 1: a row has more than 1000 columns/);
  assert.match(await detailOf(csv(`${HEADER}"${'\n'.repeat(90_000)}`)), /a row is longer than 80000 char/);
  assert.match(
    await detailOf(csv(`${HEADER}${DAY},-1,R,${'n'.repeat(257)}\n`)),
    /^line 2: a name is longer than 256/,
  );
  const named = (name: string) =>
    camt(statement(1, entry(1, detail(`<RltdPties><Cdtr><Nm>${name}</Nm></Cdtr></RltdPties>`))));
  assert.match(await detailOf(named('n'.repeat(257))), /^line 1: a name is longer than 256/);
  assert.equal(await detailOf(named('n'.repeat(256))), '');
  assert.match(
    await detailOf(camt(HEAD + '<Stmt>' + balance('X', 1).repeat(1_001))),
    /may have 1000 balances/,
  );
});
