import { minorDecimalsOf } from '@fairway/plan';
import type {
  EntryFacts,
  PaidAccount,
  PlanScope,
  ReportAsk,
  ReportPlace,
  PayoutStatementHead,
} from '@fairway/store';
import { timestampOf } from '@fairway/api';
import type { ReportParts } from './reportParts.ts';

/** The parts of a request that decide whether a statement can be made of it. */
type PayoutStatementAsk = Pick<ReportAsk, 'type' | 'filter'>;

/** The account of a statement, or why there is none. */
export type JudgedAccount = { readonly account: PaidAccount } | { readonly detail: string };

/** How many movements are added up at once. The thread serves other requests between two parts. */
const SUMMED_AT_ONCE = 10_000;
/** Amounts of the message have at most 18 digits. */
const MOST_MINOR = 10n ** 18n;

/** The corridor of whose payouts a statement is asked for, or why a request can have none. */
export function payoutStatementCorridor({
  type,
  filter,
}: PayoutStatementAsk): { readonly corridorId: string } | { readonly detail: string } {
  const { corridorId, kind } = filter;
  if (type !== 'movements')
    return { detail: `camt.053 is a format of the report movements; ask for csv, json or xlsx of ${type}.` };
  if (corridorId === undefined)
    return {
      detail:
        'camt.053 is the statement of one account: name in filter.corridorId the corridor whose payouts it is to have.',
    };
  if (kind !== undefined)
    return { detail: 'camt.053 has payouts and what came back of them; leave filter.kind out.' };
  return { corridorId };
}

/** The only account whose payouts are in the period, if all amounts up to its end are known; else why there is no statement. */
export function judgeEntries(
  corridorId: string,
  { accounts, unknown }: Pick<EntryFacts, 'accounts' | 'unknown'>,
): JudgedAccount {
  const [account, ...others] = accounts;
  if (account === undefined)
    return {
      detail:
        'No payout of the corridor is recorded before the end of the period, so the account of a statement is not known. Ask for csv, json or xlsx.',
    };
  if (others.length > 0) {
    const names = accounts.map(({ custodian, currency }) => `${custodian} ${currency}`).join(', ');
    return {
      detail: `The payouts of the period are of several accounts (${names}), and camt.053 is of one. Ask for a period in which the corridor had one custodian and one currency, or for csv.`,
    };
  }
  const { currency } = account;
  if (minorDecimalsOf(currency) === undefined)
    return {
      detail: `camt.053 holds currencies of ISO 4217 alone, and the corridor pays ${currency}; ask for csv, json or xlsx.`,
    };
  if (unknown !== undefined) {
    const { movementId, planId, bookedAtMs } = unknown.first;
    return {
      detail: `camt.053 holds amounts of a currency. Only units of the token are known of ${unknown.count === 1 ? 'one payout or return' : `${unknown.count} payouts or returns`} of the period or before it, so its balances are not known. The first is ${movementId} of ${planId}, of ${timestampOf(bookedAtMs)}. Report ${unknown.count === 1 ? 'it' : 'each of them'} once more, with its providerReference and with the amount in ${currency}: a payment with paid, what came back with returned; and ask again. If a payment came back, paid can no longer be told. Ask for csv or json, which have it, for this and later periods.`,
    };
  }
  return { account: { corridorId, ...account } };
}

/** What a statement says before its entries, once its period is sealed; or why it can hold none. */
export async function payoutStatementHead(
  reports: ReportParts['reports'],
  scope: PlanScope,
  { type, filter, fromMs, toMs }: PayoutStatementAsk & Pick<ReportAsk, 'fromMs' | 'toMs'>,
): Promise<{ readonly head: PayoutStatementHead } | { readonly detail: string }> {
  const asked = payoutStatementCorridor({ type, filter });
  if ('detail' in asked) return asked;
  const { corridorId } = asked;
  const judged = judgeEntries(corridorId, await reports.entryFacts(scope, { corridorId, fromMs, toMs }));
  if ('detail' in judged) return judged;
  const { account } = judged;
  const before = await sumsOf(reports, scope, account, { fromMs: 0, toMs: fromMs });
  const opening = before.credits.minor - before.debits.minor;
  const { credits, debits } = await sumsOf(reports, scope, account, { fromMs, toMs });
  const sums = [opening, opening + credits.minor - debits.minor, credits.minor + debits.minor];
  if (sums.some((sum) => sum >= MOST_MINOR || sum <= -MOST_MINOR))
    return {
      detail:
        'camt.053 holds amounts of at most 18 digits, and the balances have more; ask for csv, json or xlsx.',
    };
  const textOf = ({ entryCount, minor }: typeof credits) => ({ entryCount, minor: String(minor) });
  const { custodian, currency } = account;
  return {
    head: { custodian, currency, opening: String(opening), credits: textOf(credits), debits: textOf(debits) },
  };
}

/** What the entries of an account in a sealed time come to. */
async function sumsOf(
  reports: ReportParts['reports'],
  scope: PlanScope,
  account: PaidAccount,
  period: Pick<ReportAsk, 'fromMs' | 'toMs'>,
) {
  const credits = { entryCount: 0, minor: 0n };
  const debits = { entryCount: 0, minor: 0n };
  let after: ReportPlace | undefined;
  do {
    const part = await reports.sumEntries(scope, account, { ...period, after, limit: SUMMED_AT_ONCE });
    for (const [sum, more] of [
      [credits, part.credits],
      [debits, part.debits],
    ] as const) {
      sum.entryCount += more.entryCount;
      sum.minor += more.minor;
    }
    after = part.next;
  } while (after !== undefined);
  return { credits, debits };
}
