import type { Hash, Plan, TransactionFacts } from '@fairway/plan';
import { done, type Outcome, refuse } from '../../problems/problem.ts';
import { readTransactionFacts, transferName } from '../chainFacts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { chainAway, mismatch } from '../planProblems.ts';

/**
 * The facts about a transaction that was mined after the plan was made, or why it cannot be the evidence of a report.
 */
export async function minedFacts(
  parts: PaymentParts,
  plan: Plan,
  txHash: Hash,
  read: typeof readTransactionFacts = readTransactionFacts,
): Promise<Outcome<TransactionFacts>> {
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
      return done(reading.facts);
    case 'PENDING':
      return refuse(mismatch(`The transaction ${txHash} is not mined yet; report it when it is.`));
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
