import { namedHash, type Plan } from '@fairway/plan';
import { type Outcome, refuse } from '@fairway/api';
import { readTransactionFacts } from '../chainFacts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { mismatch } from '../planProblems.ts';

/**
 * The problem of a return whose money is not back at the custodian. The transaction that it names as its reference brought the
 * money to the deposit address of the plan. The record lists it as a deposit, perhaps a moment later. Undefined for every other
 * reference. Undefined, too, while the chain cannot be read: a return is only reported, not checked.
 */
export async function returnedToPayer(
  { chains }: PaymentParts,
  { corridor, options }: Plan,
  reference: string | undefined,
): Promise<Outcome<never> | undefined> {
  const address = options.depositAddress?.toLowerCase();
  const txHash = namedHash(reference);
  if (address === undefined || txHash === undefined) return undefined;
  const chain = chains.get(corridor.source.chainId);
  const reading = await readTransactionFacts(chain, txHash);
  if (reading.outcome !== 'MINED') return undefined;
  const isToPayer = reading.facts.transfers.some(({ to, from }) => to === address && from !== to);
  if (!isToPayer) return undefined;
  const detail = `The transaction ${txHash} brought the money to the deposit address: it is with the payer and not with the custodian. If the custodian got it back and sent it on, report the return with the custodian's reference, and then this transaction as a refund.`;
  return refuse(mismatch(detail));
}
