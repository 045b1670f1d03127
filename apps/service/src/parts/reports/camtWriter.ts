import { minorDecimalsOf } from '@fairway/plan';
import { timestampOf } from '@fairway/api';
import { decimalCell } from './cells.ts';
import type { PayoutStatementEntry } from './payoutStatementEntry.ts';
import type { PayoutStatementFrame } from './payoutStatementFrame.ts';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';
/** How many characters texts of the message may have: a reference, the names of an account and of a party, and a remark. */
const [REFERENCE_LENGTH, ACCOUNT_NAME_LENGTH, NAME_LENGTH, REMARK_LENGTH] = [35, 70, 140, 500];
const REMARK =
  'Made by Fairway from the ledger of its plans. It has what was paid for them alone, and is no statement of the bank.';
/** Issued credit transfers, and those that came back, in the code set of ISO 20022. */
const CODES = { PAYOUT: 'OTHR', RETURN: 'RRTN' } as const;

/** Makes the writer of a camt.053.001.08 with one statement. Entries are on a line each. */
export function camtWriter(frame: PayoutStatementFrame) {
  const money = moneyWriter(frame.currency);
  return {
    begin: () => Buffer.from(beginXml(frame, money)),
    entries: (entries: readonly PayoutStatementEntry[]) =>
      Buffer.from(entries.map((entry) => entryXml(entry, money)).join('')),
    end: () =>
      Buffer.from(
        `${tag('AddtlStmtInf', text(REMARK, REMARK_LENGTH))}\n</Stmt></BkToCstmrStmt></Document>\n`,
      ),
  };
}

/** Writes minor units as whole ones, without a sign. */
type Money = {
  readonly decimal: (minor: bigint) => string;
  /** An amount with its currency, and whether it is the account's or taken from it. */
  readonly signed: (minor: bigint) => string;
  readonly amount: (minor: bigint) => string;
};

function moneyWriter(currency: string): Money {
  const decimals = minorDecimalsOf(currency);
  if (decimals === undefined) throw new Error(`${currency} has no minor unit.`);
  const decimal = (minor: bigint) => decimalCell(minor < 0n ? -minor : minor, decimals).decimal;
  const amount = (minor: bigint) => `<Amt Ccy="${currency}">${decimal(minor)}</Amt>`;
  return { decimal, amount, signed: (minor) => `${amount(minor)}${indicator(minor >= 0n)}` };
}

function beginXml(frame: PayoutStatementFrame, money: Money): string {
  const { statementId, fromMs, toMs, opening, credits, debits } = frame;
  const madeAt = tag('CreDtTm', timestampOf(toMs));
  const period = `${tag('FrDtTm', timestampOf(fromMs))}${tag('ToDtTm', timestampOf(toMs))}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>`,
    tag('GrpHdr', `${tag('MsgId', statementId)}${madeAt}`),
    `<Stmt>${tag('Id', statementId)}${madeAt}${tag('FrToDt', period)}`,
    accountXml(frame),
    balanceXml('OPBD', opening, frame.firstDay, money),
    balanceXml('CLBD', opening + credits.minor - debits.minor, frame.lastDay, money),
    totalsXml(frame, money),
    '',
  ].join('\n');
}

function accountXml({ accountId, corridorId, custodian, currency }: PayoutStatementFrame): string {
  const servicer = tag('FinInstnId', tag('Nm', text(custodian, NAME_LENGTH)));
  return tag(
    'Acct',
    [
      tag('Id', tag('Othr', tag('Id', accountId))),
      tag('Ccy', currency),
      tag('Nm', text(corridorId, ACCOUNT_NAME_LENGTH)),
      tag('Svcr', servicer),
    ].join(''),
  );
}

function balanceXml(code: 'OPBD' | 'CLBD', minor: bigint, day: string, money: Money): string {
  const type = tag('Tp', tag('CdOrPrtry', tag('Cd', code)));
  return tag('Bal', `${type}${money.signed(minor)}${tag('Dt', tag('Dt', day))}`);
}

function totalsXml({ credits, debits }: PayoutStatementFrame, { decimal }: Money): string {
  const sum = (entryCount: number, minor: bigint) =>
    `${tag('NbOfNtries', String(entryCount))}${tag('Sum', decimal(minor))}`;
  const net = credits.minor - debits.minor;
  const all = [
    sum(credits.entryCount + debits.entryCount, credits.minor + debits.minor),
    tag('TtlNetNtry', `${tag('Amt', decimal(net))}${indicator(net >= 0n)}`),
  ];
  return tag(
    'TxsSummry',
    [
      tag('TtlNtries', all.join('')),
      tag('TtlCdtNtries', sum(credits.entryCount, credits.minor)),
      tag('TtlDbtNtries', sum(debits.entryCount, debits.minor)),
    ].join(''),
  );
}

function entryXml(entry: PayoutStatementEntry, money: Money): string {
  const { kind, isCredit, minor, bookedOn, valueOn, providerReference, reverses } = entry;
  const family = `${tag('Cd', 'ICDT')}${tag('SubFmlyCd', CODES[kind])}`;
  const domain = tag('Domn', `${tag('Cd', 'PMNT')}${tag('Fmly', family)}`);
  const own = tag('Prtry', `${tag('Cd', kind)}${tag('Issr', 'Fairway')}`);
  const inner = [
    `${money.amount(minor)}${indicator(isCredit)}`,
    reverses === undefined ? '' : tag('RvslInd', 'true'),
    tag('Sts', tag('Cd', 'BOOK')),
    tag('BookgDt', tag('Dt', bookedOn)),
    tag('ValDt', tag('Dt', valueOn)),
    referenceXml('AcctSvcrRef', providerReference),
    tag('BkTxCd', `${domain}${own}`),
    tag('NtryDtls', tag('TxDtls', detailsXml(entry, money))),
  ];
  return `${tag('Ntry', inner.join(''))}\n`;
}

function detailsXml(entry: PayoutStatementEntry, money: Money): string {
  const { isCredit, minor, endToEndId, payee, failureCode } = entry;
  const references = referenceXml('EndToEndId', endToEndId);
  const creditor = payee === undefined ? '' : tag('Cdtr', tag('Pty', tag('Nm', text(payee, NAME_LENGTH))));
  const reason =
    failureCode === undefined ? '' : tag('Rsn', tag('Prtry', text(failureCode, REFERENCE_LENGTH)));
  return [
    references === '' ? '' : tag('Refs', references),
    `${money.amount(minor)}${indicator(isCredit)}`,
    creditor === '' ? '' : tag('RltdPties', creditor),
    reason === '' ? '' : tag('RtrInf', reason),
    tag('AddtlTxInf', text(factsText(entry), REMARK_LENGTH)),
  ].join('');
}

/** The ids of Fairway, which are longer than the references of the message. */
function factsText(entry: PayoutStatementEntry): string {
  const { movementId, reverses, planId, providerReference, clientReference } = entry;
  const facts = { movementId, reverses, planId, providerReference, clientReference };
  return Object.entries(facts)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join('; ');
}

/** A reference, unless it is longer than the message holds: cut short it would be another one. */
function referenceXml(name: string, reference: string | undefined): string {
  if (reference === undefined || reference.length > REFERENCE_LENGTH) return '';
  return tag(name, text(reference, REFERENCE_LENGTH));
}

function indicator(isCredit: boolean): string {
  return tag('CdtDbtInd', isCredit ? 'CRDT' : 'DBIT');
}

function tag(name: string, inner: string): string {
  return `<${name}>${inner}</${name}>`;
}

// What XML cannot hold.
const UNPRINTABLE = /(?![\t\n])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text of at most so many characters in XML. */
function text(value: string, most: number): string {
  return value
    .slice(0, most)
    .replace(UNPRINTABLE, '\ufffd')
    .replace(/[&<>]/g, (found) => ENTITIES[found] ?? found);
}
