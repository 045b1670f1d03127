import assert from 'node:assert/strict';
import {
  Problem,
  Statement,
  StatementDifferenceList,
  type StatementDifference,
  StatementEntry,
  StatementEntryList,
  StatementList,
} from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { ProblemBody } from './paymentsHarness.ts';

/** A booking of a statement that a test writes. Amounts are decimal digits, with a minus where money left. */
export type Booking = {
  readonly amount: string;
  readonly on?: string;
  readonly valueOn?: string;
  readonly endToEndId?: string;
  readonly reference?: string;
  readonly name?: string;
  readonly account?: string;
  readonly text?: string;
  readonly status?: string;
  /** More XML: at the begin of the entry's details, at its end, in the payment's references, and in what it is for. */
  readonly xml?: {
    readonly begin?: string;
    readonly last?: string;
    readonly refs?: string;
    readonly purpose?: string;
  };
  /** What the bank says of money that came back. RVSLIND: of the entry; RTRINF: of the payment. */
  readonly back?: readonly ('RVSLIND' | 'RTRINF')[];
  /** The payments of the booking, where it has several. */
  readonly details?: readonly Omit<Booking, 'details'>[];
};

/** A statement that a test writes. `closing`: unless it is what the bookings come to. */
export type WrittenStatement = {
  readonly bookings: readonly Booking[];
  readonly version?: string;
  readonly account?: string;
  readonly currency?: string;
  readonly opening?: string;
  readonly openingOn?: string;
  readonly closing?: string;
  readonly closingOn?: string;
  readonly id?: string;
};

const DAY = '2026-11-24';
const toMinor = (amount: string) => BigInt(amount.replace('.', ''));
const toDecimal = (minor: bigint) => {
  const digits = String(minor < 0n ? -minor : minor).padStart(3, '0');
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
const tag = (name: string, text: string | undefined) =>
  text === undefined ? '' : `<${name}>${escaped(text)}</${name}>`;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A camt.053 of one account. */
export function camtOf(...statements: readonly WrittenStatement[]): string {
  const { version = '08' } = statements[0] ?? {};
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>`,
    '<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-24T20:00:00Z</CreDtTm></GrpHdr>',
    ...statements.map((each) => statementOf(each, Number(version))),
    '</BkToCstmrStmt></Document>',
  ].join('\n');
}

function statementOf(
  {
    bookings,
    account = 'DE89370400440532013000',
    currency = 'AUD',
    opening = '100000.00',
    openingOn = DAY,
    closing,
    closingOn = DAY,
    id = 'S1',
  }: WrittenStatement,
  version: number,
): string {
  const booked = bookings.filter(({ status = 'BOOK' }) => status === 'BOOK');
  const sum = booked.reduce((total, { amount }) => total + toMinor(amount), toMinor(opening));
  const balance = (code: string, amount: string, on: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(amount, currency)}<Dt><Dt>${on}</Dt></Dt></Bal>`;
  return [
    `<Stmt><Id>${id}</Id><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>${currency}</Ccy></Acct>`,
    balance('OPBD', opening, openingOn),
    balance('CLBD', closing ?? toDecimal(sum), closingOn),
    ...bookings.map((each) => entryOf(each, currency, version)),
    '</Stmt>',
  ].join('\n');
}

function money(amount: string, currency: string): string {
  const isOut = amount.startsWith('-');
  return `<Amt Ccy="${currency}">${amount.replace('-', '')}</Amt><CdtDbtInd>${isOut ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
}

function entryOf(booking: Booking, currency: string, version: number): string {
  const { amount, on = DAY, valueOn = on, reference, status = 'BOOK', details, back = [], xml } = booking;
  const sts = version >= 8 ? `<Sts><Cd>${status}</Cd></Sts>` : `<Sts>${status}</Sts>`;
  const whole = details ?? (hasDetails(booking) ? [{ ...booking, reference: undefined }] : []);
  return [
    `<Ntry>${money(amount, currency)}${back.includes('RVSLIND') ? '<RvslInd>true</RvslInd>' : ''}${sts}<BookgDt><Dt>${on}</Dt></BookgDt><ValDt><Dt>${valueOn}</Dt></ValDt>`,
    tag('AcctSvcrRef', reference),
    '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>',
    ...(whole.length === 0
      ? []
      : [
          '<NtryDtls>',
          xml?.begin ?? '',
          ...whole.map((each) => detailOf(each, currency, version)),
          '</NtryDtls>',
        ]),
    xml?.last ?? '',
    '</Ntry>',
  ].join('');
}

function hasDetails({ endToEndId, name, account, text, xml }: Booking): boolean {
  return [endToEndId, name, account, text, xml].some((each) => each !== undefined);
}

function detailOf(
  {
    amount,
    reference,
    endToEndId,
    name,
    account,
    text,
    back = [],
    xml = {},
  }: Omit<Booking, 'details' | 'reference'> & { reference?: string | undefined },
  currency: string,
  version: number,
): string {
  const side = amount.startsWith('-') ? 'Cdtr' : 'Dbtr';
  const party = tag('Nm', name);
  const parties = [
    name === undefined ? '' : `<${side}>${version >= 8 ? `<Pty>${party}</Pty>` : party}</${side}>`,
    account === undefined ? '' : `<${side}Acct><Id><IBAN>${account}</IBAN></Id></${side}Acct>`,
  ].join('');
  return [
    `<TxDtls><Refs>${tag('AcctSvcrRef', reference)}${tag('EndToEndId', endToEndId)}${xml.refs ?? ''}</Refs>`,
    version >= 4
      ? money(amount, currency)
      : `<AmtDtls><TxAmt><Amt Ccy="${currency}">${amount.replace('-', '')}</Amt></TxAmt></AmtDtls>`,
    parties === '' ? '' : `<RltdPties>${parties}</RltdPties>`,
    text === undefined ? '' : `<RmtInf>${tag('Ustrd', text)}</RmtInf>`,
    xml.purpose === undefined ? '' : `<RmtInf>${xml.purpose}</RmtInf>`,
    back.includes('RTRINF') ? '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>' : '',
    '</TxDtls>',
  ].join('');
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', true);
const checks = {
  PROBLEM: ajv.compile(Problem as object),
  STATEMENT: ajv.compile(Statement as object),
  ENTRY: ajv.compile(StatementEntry as object),
  STATEMENTS: ajv.compile(StatementList),
  ENTRIES: ajv.compile(StatementEntryList),
  DIFFERENCES: ajv.compile(StatementDifferenceList),
};

/** An answer about statements, checked against its schema. */
export type StatementAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly statement: Statement;
  readonly entry: StatementEntry;
  readonly problem: ProblemBody;
};

/** The API of reconciliation with a login. */
export function statementsOn(url: string, authorization: string) {
  async function send(
    kind: Exclude<keyof typeof checks, 'PROBLEM'>,
    path: string,
    init: RequestInit = {},
  ): Promise<StatementAnswer> {
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${url}/v1/reconciliation${path}`, { ...init, headers });
    const text = await response.text();
    const json = JSON.parse(text) as never;
    const check = checks[response.status >= 300 ? 'PROBLEM' : kind];
    assert.ok(check(json), `${path}: ${ajv.errorsText(check.errors)} ${text.slice(0, 2_000)}`);
    return {
      ...{ status: response.status, headers: response.headers, text },
      statement: json,
      entry: json,
      problem: json,
    };
  }

  async function all<Item>(kind: 'ENTRIES' | 'DIFFERENCES', path: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let cursor = ''; ; ) {
      const { status, text } = await send(kind, `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
      assert.equal(status, 200, text);
      const { data, nextCursor } = JSON.parse(text) as { data: Item[]; nextCursor?: string };
      items.push(...data);
      if (nextCursor === undefined) return items;
      cursor = `&cursor=${nextCursor}`;
    }
  }
  const posted = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  return {
    send,
    /** POST /v1/reconciliation/statements. */
    upload: (file: string | Uint8Array<ArrayBuffer> | FormData, contentType?: string, query = '') =>
      send('STATEMENT', `/statements${query}`, {
        method: 'POST',
        body: file,
        headers: file instanceof FormData ? {} : { 'content-type': contentType ?? 'application/xml' },
      }),
    /** Imports a file; asserts a 201. */
    async imported(file: string): Promise<Statement> {
      const { status, statement, text, headers } = await this.upload(file);
      assert.equal(status, 201, text);
      assert.equal(headers.get('location'), `/v1/reconciliation/statements/${statement.statementId}`);
      return statement;
    },
    entries: ({ statementId }: Statement, query = '') =>
      all<StatementEntry>('ENTRIES', `/statements/${statementId}/entries${query}`),
    differences: ({ statementId }: Statement) =>
      all<StatementDifference>('DIFFERENCES', `/statements/${statementId}/differences`),
    entry: (entryId: string) => send('ENTRY', `/entries/${entryId}`),
    match: (
      entryId: string,
      ...allocations: readonly { readonly movementId: string; readonly amount: string }[]
    ) => send('ENTRY', `/entries/${entryId}/match`, posted({ allocations })),
    unmatch: (entryId: string) => send('ENTRY', `/entries/${entryId}/unmatch`, posted({})),
    ignore: (entryId: string, reason: string) =>
      send('ENTRY', `/entries/${entryId}/ignore`, posted({ reason })),
  };
}
