import { assetsOf } from '../terms/money.ts';
import { PLAIN_WORDS } from '../terms/words.ts';
import { depositOf } from '../book/deposit.ts';
import { type Amount, isLess, sumOf } from '../terms/amount.ts';
import { depositStep } from '../plan/steps.ts';
import type { Address } from '../terms/scalars.ts';
import { arrivals, didNothing, disproved, evidenceFrom, isFinal, type Judgement } from './judgement.ts';
import type { TransactionFacts, TransferChoice } from './transactionFacts.ts';
import { isSamePlace } from '../plan/transferPlaces.ts';
import type { Plan, Transfer } from '../plan/types.ts';

/** What decides which transfers of a transaction are the deposit of a plan. */
export type DepositRules = TransferChoice & {
  /** How much came, as the report says. */
  readonly amount?: Amount | undefined;
};

/**
 * Judges which transfers of a reported transaction are the deposit of a plan, at an account that is not the plan's alone.
 * One transaction may pay several plans there. The transfer counts that the report names, else those that the plan has
 * recorded already. Otherwise it is one of exactly the amount, which is what the report says or what is due, else all
 * of them. All of them count only where they are no more than that amount.
 *
 * @example
 * ```ts
 * import { type Address, judgeReportedDeposit, type Plan, sumOf, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * declare const sender: Address;
 * const judged = judgeReportedDeposit(plan, facts, sender, {});
 * const received = judged.ok ? sumOf(judged.transfers.map(({ amount }) => amount)) : undefined;
 * ```
 */
export function judgeReportedDeposit(
  plan: Plan,
  facts: TransactionFacts,
  account: Address,
  { amount = depositStep(plan).expected, logIndex, taken = new Set() }: DepositRules,
): Judgement<{ readonly transfers: readonly Transfer[]; readonly isFinal: boolean }> {
  const judged = judgeDeposit(plan, facts, account);
  if (!judged.ok) return judged;
  const { txHash } = facts;
  const chosen = (transfers: readonly Transfer[]) => ({ ...judged, transfers });
  if (logIndex !== undefined) {
    const named = judged.transfers.filter((each) => each.logIndex === logIndex);
    if (named.length > 0) return chosen(named);
    return disproved(
      `The log ${logIndex} of the transaction ${txHash} is no transfer of the source token to ${account}. Leave logIndex out, or give that of a transfer to the account.`,
    );
  }
  const { transfers: counted } = depositOf(plan);
  const known = judged.transfers.filter((each) => counted.some((other) => isSamePlace(each, other)));
  if (known.length > 0) return chosen(known);
  const free = judged.transfers.filter((each) => !taken.has(each.logIndex));
  if (free.length === 0)
    return disproved(
      `Every transfer of the transaction ${txHash} to ${account} settles another step already. Report the transaction that paid the deposit of this plan.`,
    );
  const exact = free.find((each) => each.amount === amount);
  if (exact !== undefined) return chosen([exact]);
  const brought = sumOf(free.map((each) => each.amount));
  if (!isLess(amount, brought)) return chosen(free);
  const [came, due] = [brought, amount].map((each) => PLAIN_WORDS.amount(each, assetsOf(plan).source));
  return disproved(
    `The transaction ${txHash} brings ${came} to ${account}, ${due} is due, and no transfer of it is exactly that. Name the transfer for this plan by logIndex, or give that amount if all of it is for this plan.`,
  );
}

/**
 * Judges whether a transaction brought the source token to an account. `isFinal`: it has the corridor's confirmations.
 *
 * @example
 * ```ts
 * import { judgeDeposit, type Plan, sumOf, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * const judged = judgeDeposit(plan, facts, '0x00000000000000000000000000000000000000aa');
 * const received = judged.ok ? sumOf(judged.transfers.map(({ amount }) => amount)) : undefined;
 * ```
 */
export function judgeDeposit(
  plan: Plan,
  facts: TransactionFacts,
  account: Address,
): Judgement<{ readonly transfers: readonly Transfer[]; readonly isFinal: boolean }> {
  const { chainId, token } = plan.corridor.source;
  const nothing = didNothing(facts, chainId);
  if (nothing !== undefined) return nothing;
  const { transfers } = evidenceFrom(plan, facts, arrivals(facts.transfers, token, account));
  if (transfers.length === 0)
    return disproved(
      `The transaction ${facts.txHash} brings none of the source token to ${account}. Report the transaction that paid the deposit.`,
    );
  return { ok: true, transfers, isFinal: isFinal(plan, facts) };
}
