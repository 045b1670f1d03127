// Reads a camt.053.001.08 with libxml2, which shares no code with what writes it, and checks it against its schema.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type XmlElement, XmlDocument, XsdValidator } from 'libxml2-wasm';

const PREFIX = { c: 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08' };

/** An entry of a statement as it was read, with a minus where money was taken. */
export type ReadEntry = Readonly<
  Record<
    'amount' | 'reversal' | 'bookedOn' | 'valueOn' | 'reference' | 'kind' | 'endToEndId' | 'payee' | 'facts',
    string
  >
>;

/** A statement as it was read. Amounts as decimal texts with their currency, such as `-107.63 AUD`. */
export type ReadStatement = {
  readonly id: string;
  readonly madeAt: string;
  readonly account: Readonly<Record<'id' | 'currency' | 'name' | 'servicer', string>>;
  readonly opening: string;
  readonly closing: string;
  readonly days: readonly [string, string];
  readonly totals: readonly string[];
  readonly entries: readonly ReadEntry[];
};

/** The only statement of a file; throws unless the file is valid. */
export function readCamtFile(file: Buffer): ReadStatement {
  using schema = XmlDocument.fromBuffer(readFileSync(new URL('camt053.xsd', import.meta.url)));
  using validator = XsdValidator.fromDoc(schema);
  using document = XmlDocument.fromBuffer(file);
  validator.validate(document);
  const of = (node: XmlElement, path: string) =>
    node.get(path.replaceAll(/(^|\/)(?=[A-Z])/g, '$1c:'), PREFIX)?.content ?? '';
  const all = (node: XmlElement, path: string) =>
    node.find(path.replaceAll(/(^|\/)(?=[A-Z])/g, '$1c:'), PREFIX) as XmlElement[];
  const amountOf = (node: XmlElement) => {
    const sign = of(node, 'CdtDbtInd') === 'DBIT' ? '-' : '';
    return `${sign}${of(node, 'Amt')} ${of(node, 'Amt/@Ccy')}`;
  };
  const { root } = document;
  assert.equal(of(root, 'BkToCstmrStmt/GrpHdr/MsgId'), of(root, 'BkToCstmrStmt/Stmt/Id'));
  const [statement, ...others] = all(root, 'BkToCstmrStmt/Stmt');
  assert.ok(statement !== undefined && others.length === 0);
  const [opening, closing, ...more] = all(statement, 'Bal');
  assert.ok(opening !== undefined && closing !== undefined && more.length === 0);
  assert.deepEqual(
    [opening, closing].map((each) => of(each, 'Tp/CdOrPrtry/Cd')),
    ['OPBD', 'CLBD'],
  );
  return {
    id: of(statement, 'Id'),
    madeAt: of(statement, 'CreDtTm'),
    account: {
      id: of(statement, 'Acct/Id/Othr/Id'),
      currency: of(statement, 'Acct/Ccy'),
      name: of(statement, 'Acct/Nm'),
      servicer: of(statement, 'Acct/Svcr/FinInstnId/Nm'),
    },
    opening: amountOf(opening),
    closing: amountOf(closing),
    days: [of(opening, 'Dt/Dt'), of(closing, 'Dt/Dt')],
    totals: ['TtlNtries', 'TtlCdtNtries', 'TtlDbtNtries'].map((name) =>
      [of(statement, `TxsSummry/${name}/NbOfNtries`), of(statement, `TxsSummry/${name}/Sum`)].join(' '),
    ),
    entries: all(statement, 'Ntry').map((entry) => ({
      amount: amountOf(entry),
      reversal: of(entry, 'RvslInd'),
      bookedOn: of(entry, 'BookgDt/Dt'),
      valueOn: of(entry, 'ValDt/Dt'),
      reference: of(entry, 'AcctSvcrRef'),
      kind: of(entry, 'BkTxCd/Prtry/Cd'),
      endToEndId: of(entry, 'NtryDtls/TxDtls/Refs/EndToEndId'),
      payee: of(entry, 'NtryDtls/TxDtls/RltdPties/Cdtr/Pty/Nm'),
      facts: of(entry, 'NtryDtls/TxDtls/AddtlTxInf'),
    })),
  };
}
