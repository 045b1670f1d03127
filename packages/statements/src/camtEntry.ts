import { dayOf, minorOf } from './money.ts';
import { signedMinor } from './balance.ts';
import {
  type Balance,
  checkedName,
  checkedReference,
  type Direction,
  FaultError,
  FILE_LIMITS,
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
    'Amt CdtDbtInd RvslInd Sts Sts/Cd BookgDt/Dt BookgDt/DtTm ValDt/Dt ValDt/DtTm AcctSvcrRef AddtlNtryInf',
    'BkTxCd/Domn/Cd BkTxCd/Domn/Fmly/Cd BkTxCd/Domn/Fmly/SubFmlyCd BkTxCd/Prtry/Cd',
  ),
  TxDtls: paths(
    'Refs/AcctSvcrRef Refs/EndToEndId Refs/InstrId Refs/TxId Refs/UETR Refs/PmtInfId Refs/ClrSysRef Refs/Prtry/Ref',
    'Amt CdtDbtInd AmtDtls/TxAmt/Amt RmtInf/Ustrd RmtInf/Strd/CdtrRefInf/Ref AddtlTxInf',
    'RltdPties/Cdtr/Nm RltdPties/Cdtr/Pty/Nm RltdPties/CdtrAcct/Id/IBAN RltdPties/CdtrAcct/Id/Othr/Id',
    'RltdPties/Dbtr/Nm RltdPties/Dbtr/Pty/Nm RltdPties/DbtrAcct/Id/IBAN RltdPties/DbtrAcct/Id/Othr/Id',
  ),
} as const;

function paths(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(' ')));
}

/** The first text at a path. */
export function first({ texts }: Leaves, path: string): string | undefined {
  return texts.get(path)?.[0]?.text;
}

/** A balance, with the kind that its statement gives it: such as OPBD, or OPBD INTM. */
export function balanceOf(leaves: Leaves, currency: string): Balance & { readonly kind: string } {
  const place = `line ${leaves.line}`;
  const { minor, direction } = amountIn(leaves, ['Amt'], currency, place);
  const kind = [first(leaves, 'Tp/CdOrPrtry/Cd'), first(leaves, 'Tp/SubTp/Cd')].join(' ').trim();
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

/** Whether an entry is booked. Throws a FaultError for a status that nobody knows. */
export function isBooked(leaves: Leaves): boolean {
  const status = first(leaves, 'Sts/Cd') ?? first(leaves, 'Sts');
  if (status === 'PDNG' || status === 'INFO' || status === 'FUTR') return false;
  if (status !== 'BOOK') throw new FaultError(`line ${leaves.line}: Sts must be BOOK, PDNG, INFO or FUTR.`);
  return true;
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
  const bookedOn = dayOf(first(leaves, 'BookgDt/Dt') ?? first(leaves, 'BookgDt/DtTm') ?? '', place);
  const valueText = first(leaves, 'ValDt/Dt') ?? first(leaves, 'ValDt/DtTm');
  const common = {
    bookedOn,
    valueOn: valueText === undefined ? bookedOn : dayOf(valueText, place),
    isReversal: ['true', '1'].includes(first(leaves, 'RvslInd') ?? ''),
    ...optional('code', codeOf(leaves)),
  };
  // NtryRef is left out: most servicers number the entries of a statement with it.
  const own = referenceIn(first(leaves, 'AcctSvcrRef'), leaves);
  if (details.length === 0 || details.some((each) => partOf(each, whole.direction, currency) === undefined)) {
    const only = details.length === 1 ? details[0] : undefined;
    if (whole.minor > 0n)
      yield { ...common, ...whole, isRest: false, ...factsOf(own, only, whole.direction) };
    return;
  }
  let rest = signedMinor(whole);
  for (const detail of details) {
    const part = partOf(detail, whole.direction, currency) ?? whole;
    rest -= signedMinor(part);
    // An entry that moves no money is no movement.
    if (part.minor > 0n) yield { ...common, ...part, isRest: false, ...factsOf(own, detail, part.direction) };
  }
  if (rest === 0n) return;
  yield {
    ...common,
    direction: rest < 0n ? 'OUT' : 'IN',
    minor: rest < 0n ? -rest : rest,
    isRest: true,
    ...optional('servicerReference', own),
    // The references are those of the payments.
    references: [],
  };
}

/** The amount of a payment; undefined where it has none in the currency of the account. */
function partOf(
  leaves: Leaves,
  direction: Direction,
  currency: string,
): { readonly minor: bigint; readonly direction: Direction } | undefined {
  const amount = leaves.texts.get('Amt')?.[0] ?? leaves.texts.get('AmtDtls/TxAmt/Amt')?.[0];
  if (amount === undefined || amount.currency !== currency) return undefined;
  const indicator = first(leaves, 'CdtDbtInd');
  const minor = minorOf(amount.text, currency, `line ${leaves.line}`);
  return { minor, direction: indicator === undefined ? direction : indicator === 'CRDT' ? 'IN' : 'OUT' };
}

function codeOf(leaves: Leaves): string | undefined {
  const domain = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].map((path) =>
    first(leaves, `BkTxCd/${path}`),
  );
  return domain[0] === undefined ? first(leaves, 'BkTxCd/Prtry/Cd') : domain.join('-');
}

/** The references and the other side of a movement. `own`: what the servicer calls the entry. */
function factsOf(
  own: string | undefined,
  detail: Leaves | undefined,
  direction: Direction,
): Pick<StatementUnit, 'servicerReference' | 'endToEndId' | 'references' | 'name' | 'account' | 'text'> {
  const inDetail = (path: string) => (detail === undefined ? undefined : first(detail, path));
  const all = (path: string) => (detail?.texts.get(path) ?? []).map(({ text }) => text);
  const party = direction === 'OUT' ? 'Cdtr' : 'Dbtr';
  const referenceOf = (text: string | undefined) => referenceIn(text, detail);
  const detailReference = referenceOf(inDetail('Refs/AcctSvcrRef'));
  const servicer = [own, detailReference].filter(
    (each, at, list) => each !== undefined && list.indexOf(each) === at,
  );
  const references = [
    ...servicer,
    ...['InstrId', 'TxId', 'UETR', 'PmtInfId', 'ClrSysRef'].map((name) => inDetail(`Refs/${name}`)),
    ...all('Refs/Prtry/Ref'),
    ...all('RmtInf/Strd/CdtrRefInf/Ref'),
  ].flatMap((each) => referenceOf(each) ?? []);
  const text = [...all('RmtInf/Ustrd'), ...all('AddtlTxInf')]
    .join(' ')
    .trim()
    .slice(0, FILE_LIMITS.textLength);
  return {
    ...optional('servicerReference', servicer.length === 0 ? undefined : servicer.join(' ')),
    ...optional('endToEndId', referenceOf(inDetail('Refs/EndToEndId'))),
    references: keptReferences(references),
    ...optional(
      'name',
      checkedName(
        inDetail(`RltdPties/${party}/Nm`) ?? inDetail(`RltdPties/${party}/Pty/Nm`),
        `line ${detail?.line}`,
      ),
    ),
    ...optional(
      'account',
      inDetail(`RltdPties/${party}Acct/Id/IBAN`) ?? inDetail(`RltdPties/${party}Acct/Id/Othr/Id`),
    ),
    ...optional('text', text === '' ? undefined : text),
  };
}

/** A reference, unless it says that there is none. */
function referenceIn(text: string | undefined, leaves: Leaves | undefined): string | undefined {
  if (text === undefined || /^(NOTPROVIDED|NOREF|NONREF|NONE)?$/i.test(text)) return undefined;
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
