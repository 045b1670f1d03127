// Payout statements as files. They follow the message definition of ISO 20022, whatever the currency and the texts. They are read
// back by libxml2 and by the service's own reader of bank statements.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { MovementId } from '@fairway/plan';
import { readStatementFile } from '@fairway/statements';
import { camtWriter } from '../src/parts/reports/camtWriter.ts';
import type { PayoutStatementEntry } from '../src/parts/reports/payoutStatementEntry.ts';
import {
  type PayoutStatementFrame,
  payoutStatementFrame,
} from '../src/parts/reports/payoutStatementFrame.ts';
import { readCamtFile } from './camtReader.ts';

const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;
const ASK = {
  filter: { corridorId: 'usdc-aud-bank' },
  fromMs: Date.UTC(2026, 8, 30, 14),
  toMs: Date.UTC(2026, 9, 31, 13),
  timezone: 'Australia/Sydney',
};
const ENTRY: PayoutStatementEntry = {
  kind: 'PAYOUT',
  isCredit: false,
  minor: 10_763n,
  bookedOn: '2026-10-05',
  valueOn: '2026-10-04',
  movementId: `mov_${'1'.repeat(40)}` as MovementId,
  planId: `plan_${'1'.repeat(32)}`,
  clientReference: 'INV-7',
  providerReference: 'NPP-771',
  endToEndId: `FW${'a'.repeat(32)}`,
  payee: 'J. C. AU …5678',
};

/** The frame of a statement of these entries. */
function frameOf(
  entries: readonly PayoutStatementEntry[],
  currency: string,
  opening = 0n,
): PayoutStatementFrame {
  const sumOf = (isCredit: boolean) => {
    const some = entries.filter((entry) => entry.isCredit === isCredit);
    return { entryCount: some.length, minor: String(some.reduce((sum, { minor }) => sum + minor, 0n)) };
  };
  const sums = { credits: sumOf(true), debits: sumOf(false) };
  return payoutStatementFrame(SCOPE, ASK, {
    custodian: 'Custodian',
    currency,
    opening: String(opening),
    ...sums,
  });
}

/** The file of entries that are handed over in parts. */
function fileOf(
  entries: readonly PayoutStatementEntry[],
  frame: PayoutStatementFrame,
  partEntries = 100,
): Buffer {
  const writer = camtWriter(frame);
  const parts = [writer.begin()];
  for (let at = 0; at < entries.length; at += partEntries)
    parts.push(writer.entries(entries.slice(at, at + partEntries)));
  return Buffer.concat([...parts, writer.end()]);
}

const MANY = Array.from({ length: 12 }, (_, place): PayoutStatementEntry => {
  const reverses = `mov_${'2'.repeat(40)}` as MovementId;
  const kinds = [{}, { isCredit: true, reverses }, { kind: 'RETURN', isCredit: true }] as const;
  return { ...ENTRY, minor: BigInt(place) ** 9n, ...kinds[place % 3], providerReference: `NPP-${place}` };
});

test('amounts have the digits of their currency, from none to four', async () => {
  for (const [currency, amount, opening] of [
    ['JPY', '-10763', '-5'],
    ['AUD', '-107.63', '-0.05'],
    ['KWD', '-10.763', '-0.005'],
    ['CLF', '-1.0763', '-0.0005'],
  ] as const) {
    const file = fileOf([ENTRY], frameOf([ENTRY], currency, -5n));
    const read = readCamtFile(file);
    assert.deepEqual(
      [read.entries[0]?.amount, read.opening],
      [`${amount} ${currency}`, `${opening} ${currency}`],
    );
    const own = await readStatementFile({ bytes: file }, undefined);
    assert.ok(own.ok, own.ok ? '' : own.detail);
    assert.deepEqual(own.sections[0]?.closing?.minor, -10_768n, currency);
  }
});

test('a statement has its account, period, balances, totals, and what each entry is', async () => {
  const frame = frameOf(MANY, 'AUD', 7_000n);
  const file = fileOf(MANY, frame);
  const { entries, ...read } = readCamtFile(file);
  const minorOf = (some: readonly PayoutStatementEntry[]) => some.reduce((sum, { minor }) => sum + minor, 0n);
  const [credits, debits] = [MANY.filter((each) => each.isCredit), MANY.filter((each) => !each.isCredit)];
  const decimal = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
  assert.deepEqual(read, {
    id: frame.statementId,
    madeAt: '2026-10-31T13:00:00.000Z',
    account: { id: frame.accountId, currency: 'AUD', name: 'usdc-aud-bank', servicer: 'Custodian' },
    opening: '70.00 AUD',
    closing: `${decimal(7_000n + minorOf(credits) - minorOf(debits))} AUD`,
    days: ['2026-10-01', '2026-10-31'],
    totals: [
      `12 ${decimal(minorOf(MANY))}`,
      `8 ${decimal(minorOf(credits))}`,
      `4 ${decimal(minorOf(debits))}`,
    ],
  });
  assert.deepEqual(
    entries.map(({ kind, amount, reversal }) => [kind, amount.startsWith('-'), reversal]),
    MANY.map(({ kind, isCredit, reverses }) => [kind, !isCredit, reverses === undefined ? '' : 'true']),
  );
  const own = await readStatementFile({ bytes: file }, undefined);
  assert.ok(own.ok, own.ok ? '' : own.detail);
  const units = own.sections[0]?.units ?? [];
  // What moves no money is no entry for the reader.
  assert.deepEqual(
    units.map(({ minor, direction, isReversal, servicerReference, endToEndId, isRest }) => [
      ...[minor, direction, isReversal, servicerReference, endToEndId, isRest],
    ]),
    MANY.slice(1).map(({ minor, isCredit, reverses, providerReference, endToEndId }) => [
      ...[minor, isCredit ? 'IN' : 'OUT', reverses !== undefined, providerReference, endToEndId, false],
    ]),
  );
});

test('texts are what they are, within the lengths of the message', () => {
  const texts: PayoutStatementEntry = {
    ...ENTRY,
    kind: 'RETURN',
    clientReference: `]]><Amt>&amp;"'${'x'.repeat(480)}`,
    providerReference: 'a & <b>',
    payee: 'Ü. ñ. 😀 <x>\u000b\ud800',
    failureCode: 'ACCOUNT_CLOSED',
  };
  const long = {
    ...ENTRY,
    providerReference: 'r'.repeat(36),
    endToEndId: 'e'.repeat(36),
    payee: '😀'.repeat(80),
  };
  const { endToEndId: _e, providerReference: _r, payee: _p, ...bare } = ENTRY;
  const entries = [texts, long, bare];
  const [first, second, third] = readCamtFile(fileOf(entries, frameOf(entries, 'AUD'))).entries;
  assert.deepEqual([first?.reference, first?.payee], ['a & <b>', 'Ü. ñ. 😀 <x>\ufffd\ufffd']);
  assert.ok(first?.facts.includes(`clientReference=]]><Amt>&amp;"'xxx`) && first.facts.length === 500);
  assert.deepEqual([second?.reference, second?.endToEndId], ['', ''], 'a reference cut short is another one');
  assert.ok(second?.facts.includes(`providerReference=${'r'.repeat(36)}`));
  assert.deepEqual([third?.reference, third?.endToEndId, third?.payee], ['', '', '']);
});

test('the largest amounts that the message holds fit, and a statement may have no entries', () => {
  const most = { ...ENTRY, minor: 10n ** 18n - 1n };
  const read = readCamtFile(fileOf([most], frameOf([most], 'CLF')));
  assert.equal(read.closing, '-99999999999999.9999 CLF');
  const empty = readCamtFile(fileOf([], frameOf([], 'AUD', -1n)));
  assert.deepEqual([empty.opening, empty.closing, empty.entries], ['-0.01 AUD', '-0.01 AUD', []]);
});

test('the bytes are the same however the entries come, and stay the same', () => {
  const frame = frameOf(MANY, 'AUD', 7_000n);
  const file = fileOf(MANY, frame);
  for (const partEntries of [1, 5])
    assert.ok(fileOf(MANY, frame, partEntries).equals(file), `${partEntries}`);
  // Where this changes, the SHA-256 of every statement that was reported no longer fits.
  assert.equal(
    createHash('sha256').update(file).digest('hex'),
    '3766faabfc39d181355cecf65b0b566c4c6c590b3116f05a6fcd27784d6eeac0',
  );
});

test('the account is the same for every period, and another for every organisation and custodian', () => {
  const head = { custodian: 'Custodian', currency: 'AUD', opening: '0' };
  const sums = { credits: { entryCount: 0, minor: '0' }, debits: { entryCount: 0, minor: '0' } };
  const idsOf = (scope: object, ask: object, told: object) => {
    const frame = payoutStatementFrame(
      { ...SCOPE, ...scope },
      { ...ASK, ...ask },
      { ...head, ...sums, ...told },
    );
    return [frame.accountId, frame.statementId] as const;
  };
  const [account, statement] = idsOf({}, {}, {});
  const [sameAccount, next] = idsOf({}, { fromMs: ASK.toMs, toMs: ASK.toMs + 1 }, { opening: '5' });
  assert.equal(sameAccount, account);
  assert.notEqual(next, statement);
  const others = [
    idsOf({ organisationId: 'org_2' }, {}, {}),
    idsOf({ environment: 'production' }, {}, {}),
    idsOf({}, { filter: { corridorId: 'b' } }, {}),
    idsOf({}, {}, { custodian: 'Other' }),
    idsOf({}, {}, { currency: 'NZD' }),
  ];
  assert.equal(new Set([account, ...others.map(([id]) => id)]).size, 6);
});
