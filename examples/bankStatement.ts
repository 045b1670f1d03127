// The bank's side of a month: sends a statement of the bank (camt.053) to be compared with the payments. Then it says
// what a person has to look at. monthEnd.ts does this with its last argument. docs/reconciliation.md explains the
// words.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Sends a request to the service, and gives its answer if the service accepts it. Bytes are sent as they are. */
export type Ask = (path: string, body?: object | Buffer<ArrayBuffer>) => Promise<Response>;

type Ledger = {
  movement: { movementId: string; kind: string; endToEndId?: string };
  bank: { currency: string; amount?: string };
  isTakenBack: boolean;
};
type Match = { movementId: string; reasons?: string[]; ledger?: Ledger };
/** A row of the report about a payout or a return. `reconciliation`: how it stands with all statements, null where none would have it. */
export type Payment = {
  movementId: string;
  kind: string;
  clientReference: string;
  symbol: string | null;
  amount: string;
  amountDecimal: string | null;
  currency: string | null;
  paidAmountDecimal: string | null;
  reconciliation: string | null;
  statementEntry: string | null;
};
type Payments = ReadonlyMap<string, Payment>;
type Entry = {
  entryId: string;
  status: string;
  direction: 'IN' | 'OUT';
  amount: string;
  openAmount: string;
  asset: { currency: string };
  bookedOn: string;
  endToEndId?: string;
  servicerReference?: string;
  counterparty?: { name?: string };
  matches: Match[];
  proposals: Match[];
};
type Difference = { kind: string; entry?: Entry; ledger?: Ledger; openAmount?: string };
type Balance = { amount: string; on: string };
type Section = {
  account: string;
  currency: string;
  opening: Balance;
  closing: Balance;
  gap?: { expectedOpening: Balance };
};
/** A statement that was imported. */
export type Statement = { statementId: string; sections: Section[]; entries: Record<string, number> };

/** All items of a list, page by page. */
async function* pages<Item>(ask: Ask, path: string): AsyncGenerator<Item> {
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const answer = await ask(`${path}limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    const { data, nextCursor } = (await answer.json()) as { data: Item[]; nextCursor?: string };
    yield* data;
    cursor = nextCursor;
  }
}

/** Minor units as people write them: 153759 of AUD is 1537.59 AUD. */
function money(minor: string, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  const decimals = format.maximumFractionDigits ?? 0;
  const digits = minor.replace('-', '').padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return `${minor.startsWith('-') ? '-' : ''}${text} ${currency}`;
}

function entryText({ bookedOn, direction, amount, asset, counterparty, ...entry }: Entry): string {
  const signed = direction === 'OUT' ? `-${amount}` : amount;
  const reference = entry.endToEndId ?? entry.servicerReference ?? 'without a reference';
  return [bookedOn, money(signed, asset.currency), reference, counterparty?.name ?? ''].join('  ').trimEnd();
}

/**
 * A payout or a return: its amount, the reference that its plan was made with, and its ids at the bank and the
 * service.
 */
function ledgerText(
  { movement: { movementId, kind, endToEndId }, bank }: Ledger,
  payments: Payments,
): string {
  const amount = bank.amount === undefined ? 'amount unknown' : money(bank.amount, bank.currency);
  const reference = payments.get(movementId)?.clientReference ?? '';
  return [`${kind} of ${amount}`, reference, endToEndId ?? '', movementId].filter(Boolean).join('  ');
}

function namesOf(matches: readonly Match[], payments: Payments): string[] {
  return matches.map(({ movementId, ledger }) =>
    ledger === undefined ? movementId : ledgerText(ledger, payments),
  );
}

/** The difference between an entry and the report. */
function differenceText({ amount, asset: { currency } }: Entry, bank?: Ledger['bank']): string {
  if (bank?.amount === undefined || bank.currency !== currency) return '';
  const more = BigInt(amount) - BigInt(bank.amount);
  if (more === 0n) return '';
  return ` (${money(String(more < 0n ? -more : more), currency)} ${more < 0n ? 'less' : 'more'} than was reported)`;
}

function tentativeText(entry: Entry, payments: Payments): string {
  const proposals = entry.proposals.map(({ movementId, reasons = [], ledger }) => {
    const doubts = reasons.map((reason) => reason.toLowerCase().replaceAll('_', ' ')).join(', ');
    const payment = ledger === undefined ? movementId : ledgerText(ledger, payments);
    return `\n    perhaps ${payment}\n      but: ${doubts}${differenceText(entry, ledger?.bank)}`;
  });
  const decision = `POST /v1/reconciliation/entries/${entry.entryId}/match`;
  return `${entryText(entry)}${proposals.join('')}\n    decide: ${decision}`;
}

function notComparedText(payment: Payment): string {
  const { kind, clientReference, movementId, reconciliation, statementEntry } = payment;
  // No report tells an amount in the currency, so only the payout token is known: 138.831221513682905397 tEUR is
  // 138.83… tEUR.
  const amount =
    payment.paidAmountDecimal === null
      ? `${(payment.amountDecimal ?? payment.amount).replace(/(\.\d\d)\d+$/, '$1…')} ${payment.symbol ?? ''}`
      : `${payment.paidAmountDecimal} ${payment.currency}`;
  const state = reconciliation === 'OPEN' ? '' : `${reconciliation} in another statement, ${statementEntry}`;
  return [`${kind} of ${amount}`, clientReference, movementId, state].filter(Boolean).join('  ');
}

function show(title: string, lines: readonly string[]): void {
  console.log(`\n${title}: ${lines.length}`);
  for (const line of lines) console.log(`  ${line}`);
}

/** Sends a statement. The same file is one statement, however often it is sent. */
export async function importStatement(ask: Ask, file: string): Promise<Statement> {
  const bytes = readFileSync(file);
  if (!bytes.toString('utf8', 0, 100).trimStart().startsWith('<'))
    throw new Error(
      `${file} is no XML: this example takes camt.053. How CSV is sent: docs/reconciliation.md#files`,
    );
  return (await (await ask('/v1/reconciliation/statements', bytes)).json()) as Statement;
}

/**
 * Shows the balances and days of a statement. Answers whether it has all days of the report, and no other one is
 * missing before it.
 */
function showBalances(file: string, { sections, entries }: Statement, [from, to]: Days): boolean {
  console.log(`\n${basename(file)}: ${entries['TOTAL']} entries, ${entries['IGNORED']} of them ignored`);
  for (const { account, currency, opening, closing, gap } of sections) {
    const [first, last] = [money(opening.amount, currency), money(closing.amount, currency)];
    console.log(`  account ${account}: ${first} on ${opening.on}, ${last} on ${closing.on}`);
    if (gap === undefined) continue;
    const { amount, on } = gap.expectedOpening;
    console.log(`  A statement is missing: the one before closed with ${money(amount, currency)} on ${on}`);
  }
  const short = accountsOf(sections).filter(
    ({ first, last }) => first > weekdayAt(from, 1) || last < weekdayAt(to, -1),
  );
  for (const { name, first, last } of short)
    console.log(
      `  ${name} is of ${first} to ${last}, and the report of ${from} to ${to}: the other days are not in this file`,
    );
  return short.length === 0 && sections.every(({ gap }) => gap === undefined);
}

/** The accounts of a statement, each with its first and its last day. */
function accountsOf(sections: readonly Section[]) {
  const ofAccounts = Map.groupBy(sections, ({ account, currency }) => `${account} in ${currency}`);
  return [...ofAccounts].map(([name, parts]) => {
    const [first = ''] = parts.map(({ opening }) => opening.on).toSorted();
    const last = parts.map(({ closing }) => closing.on).toSorted();
    return { name, first, last: last.at(-1) ?? '' };
  });
}

/** The day itself. For a weekend, when banks book nothing, the weekday after it (`step` 1) or before it (-1). */
function weekdayAt(day: string, step: 1 | -1): string {
  const date = new Date(`${day}T00:00:00Z`);
  while ([0, 6].includes(date.getUTCDay())) date.setUTCDate(date.getUTCDate() + step);
  return date.toISOString().slice(0, 10);
}

/** The first and the last day of the report. */
type Days = readonly [string, string];

/**
 * Shows what does not agree in a statement and in the payments of the report. Answers whether everything agrees.
 * `payments`: as they stand since the statement was imported.
 */
export async function compare(
  ask: Ask,
  file: string,
  statement: Statement,
  { payments, days }: { readonly payments: Payments; readonly days: Days },
): Promise<boolean> {
  const isWhole = showBalances(file, statement, days);
  const path = `/v1/reconciliation/statements/${statement.statementId}`;
  const matched: string[] = [];
  for await (const entry of pages<Entry>(ask, `${path}/entries?status=MATCHED&`)) {
    // The differences include movements that the ledger has taken back since.
    if (entry.matches.some(({ ledger }) => ledger?.isTakenBack)) continue;
    matched.push([entryText(entry), ...namesOf(entry.matches, payments)].join('\n    is '));
  }
  const [tentative, bankAlone, ledgerAlone, takenBack]: [string[], string[], string[], string[]] = [
    [],
    [],
    [],
    [],
  ];
  const shown = new Set<string>();
  const proposed = new Set<string>();
  for await (const { kind, entry, ledger, openAmount } of pages<Difference>(ask, `${path}/differences?`)) {
    if (entry !== undefined) {
      for (const { movementId } of entry.matches) shown.add(movementId);
      for (const { movementId } of entry.proposals) proposed.add(movementId);
      const text = `${entryText(entry)}  ${entry.entryId}`;
      if (kind === 'MOVEMENT_TAKEN_BACK')
        takenBack.push([text, ...namesOf(entry.matches, payments)].join('\n    was '));
      else if (entry.status === 'TENTATIVE') tentative.push(tentativeText(entry, payments));
      else bankAlone.push(`${text}, open ${money(entry.openAmount, entry.asset.currency)}`);
    } else if (ledger !== undefined) {
      const { movementId } = ledger.movement;
      shown.add(movementId);
      const open = openAmount === undefined ? '' : `, open ${money(openAmount, ledger.bank.currency)}`;
      ledgerAlone.push(
        `${ledgerText(ledger, payments)}${open}${proposed.has(movementId) ? ', perhaps an entry above' : ''}`,
      );
    }
  }
  const notCompared = [...payments.values()].filter(
    ({ movementId, reconciliation }) =>
      reconciliation !== null &&
      reconciliation !== 'MATCHED' &&
      !shown.has(movementId) &&
      !proposed.has(movementId),
  );
  show('The bank and the ledger agree', matched);
  show('The bank has it, and it may be a payment, which a person decides', tentative);
  show('The bank has it, and no payment is like it, or only like a part of it', bankAlone);
  show('The ledger has it, and no entry of the bank is it for certain', ledgerAlone);
  show('The bank has it, and the ledger has taken it back', takenBack);
  show(
    'Not compared, because this statement has not its currency or its day',
    notCompared.map(notComparedText),
  );
  const open = [tentative, bankAlone, ledgerAlone, takenBack, notCompared].flat();
  return open.length === 0 && isWhole;
}
