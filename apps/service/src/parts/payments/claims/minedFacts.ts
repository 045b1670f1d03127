import type { Hash, Plan, TransactionFacts } from '@fairway/plan';
import { done, type Outcome, refuse } from '@fairway/api';
import { type FactsReading, readTransactionFacts, transferName } from '../chainFacts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { chainAway, mismatch } from '../planProblems.ts';

type Read = typeof readTransactionFacts;
type Found = Extract<FactsReading, { outcome: 'MINED' | 'PENDING' }>;

/**
 * The facts about a transaction that was mined after the plan was made, or why it cannot be the evidence of a report.
 */
export async function minedFacts(
  parts: PaymentParts,
  plan: Plan,
  txHash: Hash,
  read: Read = readTransactionFacts,
): Promise<Outcome<TransactionFacts>> {
  const found = await sentFacts(parts, plan, txHash, read);
  if (!found.ok) return found;
  if (found.value.outcome === 'MINED') return done(found.value.facts);
  return refuse(mismatch(notMined(txHash)));
}

/** That a transaction cannot be evidence yet. */
export function notMined(txHash: Hash): string {
  return `The transaction ${txHash} is not mined yet; report it when it is.`;
}

/** What the chain has of a transaction that was mined after the plan was made or waits to be mined, or why it has none. */
export async function sentFacts(
  parts: PaymentParts,
  plan: Plan,
  txHash: Hash,
  read: Read = readTransactionFacts,
): Promise<Outcome<Found>> {
  const { chainId } = plan.corridor.source;
  const reading = await read(parts.chains.get(chainId), txHash);
  switch (reading.outcome) {
    case 'MINED':
      if (reading.facts.blockNumber < plan.watchFromBlock)
        return refuse(
          mismatch(
            `The transaction ${txHash} was mined before the plan was made: report one that was made for this plan.`,
          ),
        );
      return done(reading);
    case 'PENDING':
      return done(reading);
    case 'NONE':
      return refuse(
        mismatch(
          `The chain ${chainId} has no transaction ${txHash}. If another one replaced it, report that one's hash.`,
        ),
      );
    case 'UNREACHABLE':
    case 'CONTRADICTED':
      return refuse(chainAway(reading.outcome, chainId));
  }
}

/** The transfers of a transaction that are ignored, by the index of their log. */
export function takenOf(
  { txHash, transfers }: TransactionFacts,
  ignored: ReadonlySet<string>,
): ReadonlySet<number> {
  const places = transfers.map(({ logIndex }) => logIndex);
  return new Set(places.filter((logIndex) => ignored.has(transferName({ txHash, logIndex }))));
}
