import { defined } from '@fairway/values';
import { amountOf, sumOf } from '../terms/amount.ts';
import type { Address } from '../terms/scalars.ts';
import type { Evidence, Plan, Transfer } from '../plan/types.ts';
import { minedAs } from '../book/ledger.ts';
import { movesMoney, type TransactionFacts, type TransferFacts } from './transactionFacts.ts';

/** What a transaction proves about a step, or why it proves nothing. `detail` is a sentence for the integrator. */
export type Judgement<Proof> = ({ readonly ok: true } & Proof) | Disproved;

type Disproved = { readonly ok: false; readonly detail: string };

/** The judgement that a transaction proves nothing, and why. */
export function disproved(detail: string): Disproved {
  return { ok: false, detail };
}

/** The judgement on a transaction on another chain than `due`; undefined for one of that chain. */
export function onAnotherChain({ txHash, chainId }: TransactionFacts, due: number): Disproved | undefined {
  if (chainId === due) return undefined;
  return disproved(
    `The transaction ${txHash} is on the chain ${chainId}, not on ${due}. Report a transaction on that chain.`,
  );
}

/** The judgement on a transaction that did nothing on the chain `due`; undefined where it succeeded there. */
export function didNothing(facts: TransactionFacts, due: number): Disproved | undefined {
  const isReverted = facts.outcome === 'REVERTED';
  const reverted = isReverted ? disproved(`The transaction ${facts.txHash} was reverted.`) : undefined;
  return onAnotherChain(facts, due) ?? reverted;
}

/**
 * The transfers of a token that bring something to an account. A transfer of nothing brings nothing. A transfer whose
 * sender is its receiver brings nothing either: anybody can repeat it with the same money.
 */
export function arrivals(
  transfers: readonly TransferFacts[],
  token: Address,
  account: Address,
): readonly TransferFacts[] {
  return transfers.filter((each) => each.token === token && each.to === account && movesMoney(each));
}

/** A transaction as the evidence of these transfers of it. */
export function evidenceFrom(
  plan: Plan,
  facts: TransactionFacts,
  counted: readonly TransferFacts[],
): Evidence {
  const { blockTimeMs, sender, nonce } = facts;
  const place = minedAs(facts);
  const transfers = counted.map(
    ({ amount, logIndex, from }): Transfer => ({
      ...place,
      logIndex,
      amount: amountOf(amount),
      from,
      blockTimeMs,
    }),
  );
  const amount = sumOf(transfers.map((transfer) => transfer.amount));
  return {
    ...place,
    sender,
    nonce,
    transfers,
    amount,
    status: isFinal(plan, facts) ? 'FINAL' : 'CONFIRMING',
    ...defined({ trust: facts.trust }),
  };
}

/** Whether a transaction has the confirmations that the corridor asks for. */
export function isFinal({ corridor }: Plan, { confirmations }: TransactionFacts): boolean {
  return confirmations >= corridor.minConfirmations;
}
