// Directions and amounts as banks write them, and what the other messages of a bank suffice for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCamt } from './readCamt.ts';

const money = (amount: string, direction: string, currency = 'EUR') =>
  `<Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`;
const balance = (code: string, amount: string, currency = 'EUR') =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(amount, 'CRDT', currency)}<Dt><Dt>2026-11-24</Dt></Dt></Bal>`;
const DAY = '<BookgDt><Dt>2026-11-24</Dt></BookgDt>';
const BOOKED = '<Sts><Cd>BOOK</Cd></Sts>';
const entry = (amount: string, direction: string, ...details: readonly string[]) =>
  `<Ntry>${money(amount, direction)}${BOOKED}${DAY}<NtryDtls>${details.map((each) => `<TxDtls>${each}</TxDtls>`).join('')}</NtryDtls></Ntry>`;
const ACCOUNT = '<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>';
const message = (number: string, name: string, statement: string, inner: string) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${number}.001.08"><${name}><GrpHdr><MsgId>M</MsgId></GrpHdr><${statement}><Id>S1</Id>${ACCOUNT}${inner}</${statement}></${name}></Document>`;
const statement = (opening: string, closing: string, ...entries: readonly string[]) =>
  message(
    '053',
    'BkToCstmrStmt',
    'Stmt',
    [balance('OPBD', opening), balance('CLBD', closing), ...entries].join(''),
  );

/** The movements of a file as `OUT 77.70`, or what is wrong with it. */
async function movementsOf(file: string) {
  const read = await readCamt([file]);
  if (!read.ok) return read.detail;
  return read.sections.flatMap(({ units }) => units.map(({ direction, minor }) => `${direction} ${minor}`));
}

test('one payment of the entry’s own amount has the direction of the entry', async () => {
  const detail = money('77.70', 'CRDT');
  assert.deepEqual(await movementsOf(statement('100', '22.30', entry('77.70', 'DBIT', detail))), [
    'OUT 7770',
  ]);
});

test('payments that come to the entry with its direction have it; mixed ones have their own', async () => {
  const [back, more] = [money('7.00', 'DBIT'), money('3.00', 'DBIT')];
  assert.deepEqual(await movementsOf(statement('100', '110', entry('10.00', 'CRDT', back, more))), [
    'IN 700',
    'IN 300',
  ]);
  const mixed = entry('4.00', 'CRDT', money('7.00', 'CRDT'), money('3.00', 'DBIT'));
  assert.deepEqual(await movementsOf(statement('100', '104', mixed)), ['IN 700', 'OUT 300']);
});

test('a payment in another currency has the amount that it has in that of the account', async () => {
  const foreign = '<Amt Ccy="USD">55.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>';
  for (const name of ['TxAmt', 'CntrValAmt']) {
    const detail = `${foreign}<AmtDtls><${name}><Amt Ccy="EUR">50.00</Amt></${name}></AmtDtls>`;
    const two = entry('80.00', 'DBIT', detail, money('30.00', 'DBIT'));
    assert.deepEqual(await movementsOf(statement('100', '20', two)), ['OUT 5000', 'OUT 3000'], name);
  }
});

test('an entry without a day of booking is of its day of value', async () => {
  const valued = entry('1.00', 'DBIT').replace(DAY, '<ValDt><Dt>2026-11-23</Dt></ValDt>');
  const read = await readCamt([statement('100', '99', valued)]);
  assert.deepEqual(read.ok && read.sections[0]?.units.map(({ bookedOn, valueOn }) => [bookedOn, valueOn]), [
    ['2026-11-23', '2026-11-23'],
  ]);
});

test('a statement without entries is one', async () => {
  const read = await readCamt([statement('100', '100')]);
  assert.deepEqual(read.ok && read.sections.map(({ units, closing }) => [units.length, closing?.minor]), [
    [0, 10_000n],
  ]);
  assert.match(String(await movementsOf(statement('100', '99'))), /come to 10000 .* is 9900/);
});

test('a status in the bank’s own words is booked, unless it says otherwise', async () => {
  const own = (word: string) => entry('1.00', 'DBIT').replace('<Cd>BOOK</Cd>', `<Prtry>${word}</Prtry>`);
  for (const word of ['BOOKED', 'Posted', 'B'])
    assert.deepEqual(await movementsOf(statement('100', '99', own(word))), ['OUT 100'], word);
  for (const word of ['PDNG', 'Pending', 'VORGEMERKT', 'provisional'])
    assert.deepEqual(await movementsOf(statement('100', '100', own(word))), [], word);
});

test('a document is read in an envelope with its header', async () => {
  const header =
    '<AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.02"><Fr><FIId><FinInstnId><BICFI>TESTDEFF</BICFI></FinInstnId></FIId></Fr></AppHdr>';
  const document = statement('100', '99', entry('1.00', 'DBIT'));
  const envelope = (inner: string) =>
    `<?xml version="1.0"?><BizMsgEnvlp xmlns="urn:iso:std:iso:20022:tech:xsd:head.003.001.01"><Hdr>${header}</Hdr><Doc>${inner}</Doc></BizMsgEnvlp>`;
  assert.deepEqual(await movementsOf(envelope(document)), ['OUT 100']);
  assert.deepEqual(await movementsOf(`<Payload>${header}${document}</Payload>`), ['OUT 100']);
  assert.match(String(await movementsOf(envelope(''))), /is no camt/);
  assert.match(String(await movementsOf(envelope(document + document))), /more than one document/);
});

test('a balance in another currency is information', async () => {
  const inner = [balance('INFO', '7.00', 'USD'), balance('OPBD', '100'), balance('CLBD', '99')];
  const file = message('053', 'BkToCstmrStmt', 'Stmt', [...inner, entry('1.00', 'DBIT')].join(''));
  assert.deepEqual(await movementsOf(file), ['OUT 100']);
  assert.deepEqual(await movementsOf(file.replace('<Ccy>EUR</Ccy>', '')), ['OUT 100']);
});

test('notifications and reports of a day are read, with balances where they come to them', async () => {
  const paid = entry('1.00', 'DBIT');
  const pending = paid.replace('BOOK<', 'PDNG<');
  const notified = await readCamt([message('054', 'BkToCstmrDbtCdtNtfctn', 'Ntfctn', paid)]);
  assert.ok(notified.ok);
  assert.deepEqual([notified.format, notified.sections[0]?.opening], ['camt.054', undefined]);
  assert.deepEqual([notified.sections[0]?.units.length, notified.sections[0]?.currency], [1, 'EUR']);
  const report = async (closing: string) => {
    const inner = [balance('OPBD', '100'), balance('CLBD', closing), paid, pending].join('');
    const read = await readCamt([message('052', 'BkToCstmrAcctRpt', 'Rpt', inner)]);
    return read.ok
      ? [read.format, read.sections[0]?.units.length, read.sections[0]?.closing?.minor]
      : read.detail;
  };
  assert.deepEqual(await report('99'), ['camt.052', 1, 9_900n]);
  assert.deepEqual(await report('80'), ['camt.052', 1, undefined], 'a day that goes on');
  const bare = message('054', 'BkToCstmrDbtCdtNtfctn', 'Ntfctn', paid).replace('<Ccy>EUR</Ccy>', '');
  assert.deepEqual(await movementsOf(bare), ['OUT 100']);
});
