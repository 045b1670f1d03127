// The bank's side of a month: compares a statement of the bank (camt.053) with the payments, and says what a person has to look at.
// monthEnd.ts does this with its last argument. What the words mean is in docs/reconciliation.md.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Sends a request to the service, and gives its answer if the service accepts it. Bytes are sent as they are. */
export type Ask = (path: string, body?: object | Buffer<ArrayBuffer>) => Promise<Response>;

type Ledger = {
  movement: { movementId: string; kind: string; endToEndId?: string };
  bank: { currency: string; amount?: string };
};
type Match = { movementId: string; reasons?: string[]; ledger?: Ledger };
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
type Statement = { statementId: string; sections: Section[]; entries: Record<string, number> };

/** All items of a list, page by page. */
async function* pages<Item>(ask: Ask, path: string, cursor = ''): AsyncGenerator<Item> {
  const answer = await ask(`${path}limit=100${cursor}`);
  const { data, nextCursor } = (await answer.json()) as { data: Item[]; nextCursor?: string };
  yield* data;
  if (nextCursor !== undefined) yield* pages(ask, path, `&cursor=${encodeURIComponent(nextCursor)}`);
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

function ledgerText({ movement: { movementId, kind, endToEndId }, bank }: Ledger): string {
  const amount = bank.amount === undefined ? 'amount unknown' : money(bank.amount, bank.currency);
  return `${kind} of ${amount}  ${endToEndId ?? ''}  ${movementId}`;
}

function proposalText({ movementId, reasons = [], ledger }: Match): string {
  const doubts = reasons.map((reason) => reason.toLowerCase().replaceAll('_', ' ')).join(', ');
  return `\n    perhaps ${ledger === undefined ? movementId : ledgerText(ledger)}, but: ${doubts}`;
}

function show(title: string, lines: readonly string[]): void {
  console.log(`\n${title}: ${lines.length}`);
  for (const line of lines) console.log(`  ${line}`);
}

/** Compares a statement with the payments, and answers whether all agrees. The same file is one statement, however often it is sent. */
export async function reconcile(ask: Ask, file: string): Promise<boolean> {
  const imported = await ask('/v1/reconciliation/statements', readFileSync(file));
  const { statementId, sections, entries } = (await imported.json()) as Statement;
  console.log(`\n${basename(file)}: ${entries['TOTAL']} entries, ${entries['IGNORED']} of them ignored`);
  for (const { account, currency, opening, closing, gap } of sections) {
    const [first, last] = [money(opening.amount, currency), money(closing.amount, currency)];
    console.log(`  account ${account}: ${first} on ${opening.on}, ${last} on ${closing.on}`);
    if (gap === undefined) continue;
    const { amount, on } = gap.expectedOpening;
    console.log(`  A statement is missing: the one before closed with ${money(amount, currency)} on ${on}`);
  }

  const path = `/v1/reconciliation/statements/${statementId}`;
  const matched: string[] = [];
  for await (const entry of pages<Entry>(ask, `${path}/entries?status=MATCHED&`))
    matched.push(`${entryText(entry)}  ${entry.matches.map(({ movementId }) => movementId).join(' ')}`);
  const [tentative, bankAlone, ledgerAlone, takenBack]: [string[], string[], string[], string[]] = [
    [],
    [],
    [],
    [],
  ];
  const proposed = new Set<string>();
  for await (const { kind, entry, ledger, openAmount } of pages<Difference>(ask, `${path}/differences?`)) {
    if (entry === undefined) {
      if (ledger === undefined) continue;
      const open = openAmount === undefined ? '' : `, open ${money(openAmount, ledger.bank.currency)}`;
      const isAbove = proposed.has(ledger.movement.movementId);
      ledgerAlone.push(`${ledgerText(ledger)}${open}${isAbove ? ', perhaps an entry above' : ''}`);
      continue;
    }
    for (const { movementId } of entry.proposals) proposed.add(movementId);
    const text = `${entryText(entry)}  ${entry.entryId}`;
    if (kind === 'MOVEMENT_TAKEN_BACK') takenBack.push(text);
    else if (entry.status === 'TENTATIVE') tentative.push(text + entry.proposals.map(proposalText).join(''));
    else bankAlone.push(`${text}, open ${money(entry.openAmount, entry.asset.currency)}`);
  }
  show('The bank and the ledger agree', matched);
  show('The bank has it, and it may be a payment, which a person decides', tentative);
  show('The bank has it, and no payment is like it', bankAlone);
  show('The ledger has it, and no entry of the bank is it for certain', ledgerAlone);
  show('The bank has it, and the ledger has taken it back', takenBack);
  const open = tentative.length + bankAlone.length + ledgerAlone.length + takenBack.length;
  return open === 0 && sections.every(({ gap }) => gap === undefined);
}
