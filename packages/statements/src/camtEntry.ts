import { dayOf, minorOf } from './money.ts';
import { isNoReference } from './references.ts';
import { signedMinor } from './balance.ts';
import {
  type Balance,
  checkedName,
  checkedReference,
  type Direction,
  FaultError,
  FILE_LIMITS,
  joinedText,
  keptReferences,
  type StatementUnit,
} from './statement.ts';

/** The texts of an element, by their path below it. `line`: where it ends. */
export type Leaves = {
  readonly line: number;
  readonly texts: ReadonlyMap<string, readonly Leaf[]>;
};
/** A text, with the currency where it is an amount. */
export type Leaf = { readonly text: string; readonly currency: string | undefined };

/** An entry as it was read: its own texts, and those of each of its payments. */
export type CamtEntry = { readonly leaves: Leaves; readonly details: readonly Leaves[] };

/** The paths below a balance, an entry and a payment that are kept; all other texts are passed over. */
export const KEPT_PATHS = {
  Stmt: paths('Id ElctrncSeqNb LglSeqNb Acct/Id/IBAN Acct/Id/Othr/Id Acct/Ccy'),
  Bal: paths('Tp/CdOrPrtry/Cd Tp/SubTp/Cd Amt CdtDbtInd Dt/Dt Dt/DtTm'),
  Ntry: paths(
    'Amt CdtDbtInd RvslInd Sts Sts/Cd Sts/Prtry BookgDt/Dt BookgDt/DtTm ValDt/Dt ValDt/DtTm AcctSvcrRef AddtlNtryInf',
    'BkTxCd/Domn/Cd BkTxCd/Domn/Fmly/Cd BkTxCd/Domn/Fmly/SubFmlyCd BkTxCd/Prtry/Cd',
    'NtryDtls/Btch/PmtInfId',
  ),
  TxDtls: paths(
    'Refs/AcctSvcrRef Refs/EndToEndId Refs/InstrId Refs/TxId Refs/UETR Refs/PmtInfId Refs/ClrSysRef Refs/Prtry/Ref',
    'Amt CdtDbtInd AmtDtls/TxAmt/Amt AmtDtls/CntrValAmt/Amt RmtInf/Ustrd RmtInf/Strd/CdtrRefInf/Ref RmtInf/Strd/RfrdDocInf/Nb',
    'RmtInf/Strd/AddtlRmtInf AddtlTxInf',
    'RltdPties/Cdtr/Nm RltdPties/Cdtr/Pty/Nm RltdPties/CdtrAcct/Id/IBAN RltdPties/CdtrAcct/Id/Othr/Id',
    'RltdPties/Dbtr/Nm RltdPties/Dbtr/Pty/Nm RltdPties/DbtrAcct/Id/IBAN RltdPties/DbtrAcct/Id/Othr/Id',
    'RtrInf/Rsn/Cd RtrInf/Rsn/Prtry RtrInf/AddtlInf RtrInf/OrgnlBkTxCd/Domn/Cd RtrInf/OrgnlBkTxCd/Prtry/Cd',
  ),
} as const;

function paths(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(' ')));
}

/** The first text at a path. */
export function first({ texts }: Leaves, path: string): string | undefined {
  return texts.get(path)?.[0]?.text;
}

/** The kind of a balance, such as OPBD, or OPBD INTM. */
export function kindOf(leaves: Leaves): string {
  return [first(leaves, 'Tp/CdOrPrtry/Cd'), first(leaves, 'Tp/SubTp/Cd')].join(' ').trim();
}

/** A balance, with the kind that its statement gives it. */
export function balanceOf(leaves: Leaves, currency: string): Balance & { readonly kind: string } {
  const place = `line ${leaves.line}`;
  const { minor, direction } = amountIn(leaves, ['Amt'], currency, place);
  const kind = kindOf(leaves);
  const on = dayOf(first(leaves, 'Dt/Dt') ?? first(leaves, 'Dt/DtTm') ?? '', place);
  return { kind, on, minor: signedMinor({ direction, minor }) };
}

function amountIn(
  leaves: Leaves,
  places: readonly string[],
  currency: string,
  place: string,
): { readonly minor: bigint; readonly direction: Direction } {
  const amount = places.map((path) => leaves.texts.get(path)?.[0]).find((leaf) => leaf !== undefined);
  const indicator = first(leaves, 'CdtDbtInd');
  if (amount === undefined) throw new FaultError(`${place}: Amt is missing.`);
  if (indicator !== 'CRDT' && indicator !== 'DBIT')
    throw new FaultError(`${place}: CdtDbtInd must be CRDT or DBIT.`);
  if (amount.currency !== currency)
    throw new FaultError(`${place}: an amount is not in the currency of the account, ${currency}.`);
  return { minor: minorOf(amount.text, currency, place), direction: indicator === 'CRDT' ? 'IN' : 'OUT' };
}

/** What banks with words of their own call an entry that is not booked yet. */
const NOT_BOOKED = /^(PDNG|PEND|INFO|FUTR|PROV|VORGEMERKT|NOT.?BOOKED)/i;

/** Whether an entry is booked. Throws a FaultError for a status that nobody knows. */
export function isBooked(leaves: Leaves): boolean {
  const own = first(leaves, 'Sts/Prtry');
  // A word of the bank's own counts as booked where the entry has its day of booking.
  if (own !== undefined)
    return /^BOOK/i.test(own) || (!NOT_BOOKED.test(own) && dayOfBooking(leaves) !== undefined);
  const status = first(leaves, 'Sts/Cd') ?? first(leaves, 'Sts');
  if (status === 'PDNG' || status === 'INFO' || status === 'FUTR') return false;
  if (status !== 'BOOK') throw new FaultError(`line ${leaves.line}: Sts must be BOOK, PDNG, INFO or FUTR.`);
  return true;
}

function dayOfBooking(leaves: Leaves): string | undefined {
  return first(leaves, 'BookgDt/Dt') ?? first(leaves, 'BookgDt/DtTm');
}

/**
 * The movements of money of an entry: one for each payment that it lists, and one for the rest of its amount. An
 * entry that is not booked has none. Where the payments have no amounts of their own in the currency of the account,
 * the entry is one movement.
 */
export function* unitsOf({ leaves, details }: CamtEntry, currency: string): Generator<StatementUnit> {
  const place = `line ${leaves.line}`;
  if (!isBooked(leaves)) return;
  const whole = amountIn(leaves, ['Amt'], currency, place);
  const valueText = first(leaves, 'ValDt/Dt') ?? first(leaves, 'ValDt/DtTm');
  const bookedOn = dayOf(dayOfBooking(leaves) ?? valueText ?? '', place);
  const common = {
    bookedOn,
    valueOn: valueText === undefined ? bookedOn : dayOf(valueText, place),
    ...optional('code', codeOf(leaves)),
  };
  const own = entryFactsOf({ leaves, details });
  const parts = partsOf(details, whole, currency);
  if (parts === undefined) {
    const only = details.length === 1 ? details[0] : undefined;
    if (whole.minor > 0n) yield { ...common, ...whole, isRest: false, ...factsOf(own, only, whole) };
    return;
  }
  let rest = signedMinor(whole);
  for (const { detail, ...part } of parts) {
    rest -= signedMinor(part);
    // An entry that moves no money is no movement.
    if (part.minor > 0n) yield { ...common, ...part, isRest: false, ...factsOf(own, detail, part) };
  }
  if (rest === 0n) return;
  yield {
    ...common,
    direction: rest < 0n ? 'OUT' : 'IN',
    minor: rest < 0n ? -rest : rest,
    isReversal: own.isReversal,
    isRest: true,
    ...optional('servicerReference', own.reference),
    // The references are those of the payments.
    references: [],
  };
}

/** A payment of an entry with its money. */
type Part = Pick<StatementUnit, 'minor' | 'direction'> & { readonly detail: Leaves };

/**
 * The payments of an entry; undefined where it has none, or one of them has no amount in the currency of the account.
 * Banks write the original direction into payments that came back, or none. So the payments have the entry's direction
 * where they come to its amount with that, and with their own they do not.
 */
function partsOf(
  details: readonly Leaves[],
  whole: Pick<StatementUnit, 'minor' | 'direction'>,
  currency: string,
): readonly Part[] | undefined {
  const parts: Part[] = [];
  let [sum, ownSum] = [0n, 0n];
  for (const detail of details) {
    const minor = amountOf(detail, currency);
    if (minor === undefined) return undefined;
    const indicator = first(detail, 'CdtDbtInd');
    const direction = indicator === undefined ? whole.direction : indicator === 'CRDT' ? 'IN' : 'OUT';
    parts.push({ detail, minor, direction });
    sum += minor;
    ownSum += signedMinor({ minor, direction });
  }
  if (parts.length === 0) return undefined;
  const isOfEntry = sum === whole.minor && ownSum !== signedMinor(whole);
  return isOfEntry ? parts.map((part) => ({ ...part, direction: whole.direction })) : parts;
}

/** Where a payment has its amount: in the currency of the account, of the payment, or of both. */
const AMOUNT_PATHS = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/CntrValAmt/Amt'] as const;

/** The amount of a payment; undefined where it has none in the currency of the account. */
function amountOf(detail: Leaves, currency: string): bigint | undefined {
  const amounts = AMOUNT_PATHS.flatMap((path) => detail.texts.get(path)?.[0] ?? []);
  const amount = amounts.find((each) => each.currency === currency);
  return amount && minorOf(amount.text, currency, `line ${detail.line}`);
}

function codeOf(leaves: Leaves): string | undefined {
  const domain = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].map((path) =>
    first(leaves, `BkTxCd/${path}`),
  );
  return domain[0] === undefined ? first(leaves, 'BkTxCd/Prtry/Cd') : domain.join('-');
}

/** What a payment tells of a movement beside its money and its days. */
type Facts = Pick<
  StatementUnit,
  'isReversal' | 'servicerReference' | 'endToEndId' | 'references' | 'name' | 'account' | 'text' | 'isTextCut'
>;

/**
 * What an entry tells of each of its payments. `reference`: what the servicer calls it. `batch`: what its payments were
 * ordered under. `text`: what it is for, where it is one payment.
 */
type EntryFacts = {
  readonly reference: string | undefined;
  readonly batch: string | undefined;
  readonly text: string | undefined;
  readonly isReversal: boolean;
};

function entryFactsOf({ leaves, details }: CamtEntry): EntryFacts {
  const text = (leaves.texts.get('AddtlNtryInf') ?? []).map((each) => each.text).join(' ');
  return {
    // NtryRef is left out: most servicers number the entries of a statement with it.
    reference: referenceIn(first(leaves, 'AcctSvcrRef'), leaves),
    batch: referenceIn(first(leaves, 'NtryDtls/Btch/PmtInfId'), leaves),
    text: details.length > 1 ? undefined : text,
    isReversal: ['true', '1'].includes(first(leaves, 'RvslInd') ?? ''),
  };
}

/** Where a payment has what it is for. */
const TEXT_PATHS = ['RmtInf/Ustrd', 'RmtInf/Strd/AddtlRmtInf', 'AddtlTxInf'] as const;

/** The references and the other side of a movement. A payment that came back says so itself, too (`RtrInf`). */
function factsOf(
  entry: EntryFacts,
  detail: Leaves | undefined,
  { direction }: Pick<StatementUnit, 'direction'>,
): Facts {
  const inDetail = (path: string) => (detail === undefined ? undefined : first(detail, path));
  const all = (path: string) => (detail?.texts.get(path) ?? []).map(({ text }) => text);
  const isReversal =
    entry.isReversal || [...(detail?.texts.keys() ?? [])].some((path) => path.startsWith('RtrInf/'));
  // Money that came back has the parties of its payment: the creditor is who was to be paid.
  const nameOf = (side: string) => inDetail(`RltdPties/${side}/Nm`) ?? inDetail(`RltdPties/${side}/Pty/Nm`);
  const party = direction === 'OUT' || (isReversal && nameOf('Cdtr') !== undefined) ? 'Cdtr' : 'Dbtr';
  const referenceOf = (text: string | undefined) => referenceIn(text, detail);
  const detailReference = referenceOf(inDetail('Refs/AcctSvcrRef'));
  const servicer = [entry.reference, detailReference].filter(
    (each, at, list) => each !== undefined && list.indexOf(each) === at,
  );
  const references = [
    ...servicer,
    ...['InstrId', 'TxId', 'UETR', 'PmtInfId', 'ClrSysRef'].map((name) => inDetail(`Refs/${name}`)),
    entry.batch,
    ...all('Refs/Prtry/Ref'),
    ...all('RmtInf/Strd/CdtrRefInf/Ref'),
    ...all('RmtInf/Strd/RfrdDocInf/Nb'),
  ].flatMap((each) => referenceOf(each) ?? []);
  const texts = TEXT_PATHS.map(all);
  // One line more than the limit is kept as the sign of others.
  const isCut = texts.some(({ length }) => length > FILE_LIMITS.texts);
  return {
    isReversal,
    ...optional('servicerReference', servicer.length === 0 ? undefined : servicer.join(' ')),
    ...optional('endToEndId', referenceOf(inDetail('Refs/EndToEndId'))),
    references: keptReferences(references),
    ...optional('name', checkedName(nameOf(party), `line ${detail?.line}`)),
    ...optional(
      'account',
      inDetail(`RltdPties/${party}Acct/Id/IBAN`) ?? inDetail(`RltdPties/${party}Acct/Id/Othr/Id`),
    ),
    ...joinedText([...texts.flat(), entry.text ?? ''], isCut),
  };
}

/** A reference, unless it says that there is none. */
function referenceIn(text: string | undefined, leaves: Leaves | undefined): string | undefined {
  if (text === undefined || isNoReference(text)) return undefined;
  return checkedReference(text, `line ${leaves?.line}`);
}

function optional<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [key in Name]?: string } {
  return (value === undefined || value === '' ? {} : { [name]: value }) as {
    readonly [key in Name]?: string;
  };
}
