import { toAddress } from '@fairway/engine';
import { latestHead, readBalance } from '@fairway/evm';
import {
  type Address,
  type Amount,
  amountOf,
  depositStep,
  type Hash,
  isLess,
  judgeDeposit,
  type Plan,
  type PlanEvent,
  type RecordedTransfer,
  sumOf,
  type TransactionFacts,
  type Transfer,
} from '@fairway/plan';
import { done, type Outcome, refuse } from '../../problems/problem.ts';
import { readOrAway, readTransactionFacts } from '../chainFacts.ts';
import type { Acting, PaymentParts } from '../paymentParts.ts';
import { chainAway, DATABASE_AWAY, mismatch } from '../planProblems.ts';

/** What a report names, and the block up to which the record of the chain was read. */
type Named = { readonly txHash: Hash; readonly amount?: Amount | undefined; readonly readNumber: number };

/**
 * The event of a deposit that is older than its plan: a backup was put back that did not have the plan, and the plan was made
 * again. Nothing looks for such deposits: only who asks for the plan again knows that it is the same, and names the
 * transaction. Undefined where the transaction cannot be such a deposit.
 */
export async function olderDeposit(
  parts: PaymentParts,
  { scope }: Acting,
  plan: Plan,
  { txHash, amount, readNumber }: Named,
): Promise<Outcome<PlanEvent> | undefined> {
  const { options, corridor, watchFromBlock } = plan;
  const { depositAddress } = options;
  if (depositAddress === undefined) return undefined;
  const reading = await readTransactionFacts(parts.chains.get(corridor.source.chainId), txHash);
  if (reading.outcome !== 'MINED' || reading.facts.blockNumber >= watchFromBlock) return undefined;
  const { facts } = reading;
  const looked = await parts.store.record.lookBack(scope, plan);
  if (!looked.ok) return refuse(DATABASE_AWAY);
  if (looked.sinceMs === undefined || facts.blockTimeMs < looked.sinceMs) return undefined;
  const judged = judgeDeposit(plan, facts, depositAddress);
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const brought = sumOf(judged.transfers.map((transfer) => transfer.amount));
  if (amount !== undefined && amount !== brought)
    return refuse(mismatch(`The transaction ${txHash} brought ${brought}, not ${amount}.`));
  const held = await heldNow(parts, plan, depositAddress);
  if (!held.ok) return held;
  const due = sumOf([depositStep(plan).received, brought]);
  if (isLess(held.value, due))
    return refuse(
      mismatch(
        `The deposit address holds ${held.value} of the source token, less than the ${due} of the deposit: it was moved on, perhaps by the swap of the plan that was lost.`,
      ),
    );
  const added = judged.transfers.map((transfer) => recorded(plan, depositAddress, facts, transfer));
  const { stepId } = depositStep(plan);
  return done({ type: 'TRANSFERS_RECORDED', stepId, readNumber, added });
}

/** What the deposit address holds of the source token: a deposit that was swapped is gone from it. */
async function heldNow(
  { chains }: PaymentParts,
  { corridor }: Plan,
  depositAddress: Address,
): Promise<Outcome<Amount>> {
  const { chainId, token } = corridor.source;
  const chain = chains.get(chainId);
  if (chain === undefined) return refuse(chainAway('UNREACHABLE', chainId));
  const asked = { token: toAddress(token), owner: toAddress(depositAddress) };
  const read = await readOrAway(async () => {
    const { hash } = await latestHead(chain.request);
    return readBalance(chain.request, hash, asked);
  });
  return read.ok ? done(amountOf(read.value)) : refuse(chainAway(read.away, chainId));
}

function recorded(
  { corridor }: Plan,
  depositAddress: Address,
  { sender, blockTimeMs }: TransactionFacts,
  transfer: Transfer,
): RecordedTransfer {
  return { from: sender, ...transfer, blockTimeMs, token: corridor.source.token, to: depositAddress };
}
