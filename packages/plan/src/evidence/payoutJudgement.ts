import { assetsOf } from '../terms/money.ts';
import { PLAIN_WORDS } from '../terms/words.ts';
import { type Amount, amountOf, isLess } from '../terms/amount.ts';
import { evidenceWith, isRefundOf, standingMovements } from '../book/ledger.ts';
import { payoutOf } from '../book/payout.ts';
import { lastStep, payingState, recipientWallet, standingEvidence, swapStep } from '../plan/steps.ts';
import { walletFor } from '../payout/lostParts.ts';
import { isRepetitionKnown, takesRepeatedPayment } from '../payout/repeatedPayment.ts';
import type { Address } from '../terms/scalars.ts';
import { arrivals, disproved, evidenceFrom, type Judgement, onAnotherChain } from './judgement.ts';
import type { TransactionFacts, TransferChoice, TransferFacts } from './transactionFacts.ts';
import { isSameLog, isSamePlace, mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { Evidence, Plan, RecordedTransfer, TransferPlace } from '../plan/types.ts';
import type { Movement } from '../plan/movement.ts';

/** A wallet that a plan pays, what it is due, and the transaction that has paid it, if any. */
export type PaidWallet = {
  readonly address: Address;
  readonly due: Amount;
  readonly evidence?: Evidence | undefined;
  readonly verification?: 'VERIFIED' | 'REPORTED' | undefined;
};

/**
 * The wallet that a plan pays: of its recipient, or the one that the recipient of a collect link chose. Undefined for
 * every other plan. `transaction`: the one that is to be judged. A part that was lost is judged by the wallet that it had
 * paid, whoever is the recipient since.
 *
 * @example
 * ```ts
 * import { paidWallet, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const due = paidWallet(plan)?.due;
 * ```
 */
export function paidWallet(
  plan: Plan,
  transaction?: Pick<Evidence, 'txHash' | 'sender' | 'nonce'>,
): PaidWallet | undefined {
  const address = transaction === undefined ? recipientWallet(plan) : walletFor(plan, transaction);
  if (address === undefined) return undefined;
  const last = lastStep(plan);
  const paid = last.type === 'CUSTODIAN_PAYOUT' ? last : last.delivery;
  const verification = paid?.verification === 'UNVERIFIABLE' ? undefined : paid?.verification;
  const evidence = paid?.evidence && evidenceWith(plan, 'PAYOUT', paid.evidence);
  return { address, due: payoutOf(plan).left, evidence, verification };
}

/** What decides which transfer of a transaction pays a wallet, and how far it is verified. */
export type PayoutRules = TransferChoice & {
  /** The accounts that the custodian pays from. */
  readonly payoutAddresses: readonly Address[];
};

/** What a transaction proves about a payout to a wallet. */
type Payout = { readonly verification: 'VERIFIED' | 'REPORTED'; readonly evidence: Evidence };

/**
 * Judges whether a transaction paid the wallet of a plan in the corridor's token. One transfer of it counts: the one
 * that is named, else the one that the plan has recorded already. Otherwise it is the first of exactly the amount
 * that is due, else the largest below that. A transfer of more counts only when it is named, and so does a further
 * one of the same transaction. It is VERIFIED when it comes from the custodian, else REPORTED. A transaction that was
 * mined before the swap pays nothing of what the swap brought.
 *
 * @example
 * ```ts
 * import { judgePayout, type Plan, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * const payoutAddresses = plan.corridor.target.payoutAddresses ?? [];
 * const judged = judgePayout(plan, facts, { payoutAddresses });
 * const paid = judged.ok ? judged.evidence.amount : undefined;
 * ```
 */
export function judgePayout(plan: Plan, facts: TransactionFacts, rules: PayoutRules): Judgement<Payout> {
  const { txHash } = facts;
  const wallet = paidWallet(plan, facts);
  if (wallet === undefined)
    return disproved(
      `The transaction ${txHash} pays no wallet of this plan. Report its providerReference instead.`,
    );
  const elsewhere = onAnotherChain(facts, plan.corridor.target.chainId);
  if (elsewhere !== undefined) return elsewhere;
  if (facts.outcome === 'REVERTED')
    return disproved(`The transaction ${txHash} was reverted. Report the transaction that paid.`);
  const { evidence: known } = wallet;
  if (known?.txHash !== txHash || isOfAnotherLog(plan, known, facts, rules))
    return judgeNew(plan, facts, wallet, rules);
  const again = judgeKnown(plan, facts, wallet, known, rules);
  return again.ok || known.status !== 'LOST' ? again : judgeNew(plan, facts, wallet, rules);
}

/**
 * Whether a transaction that is mined may have paid the wallet of a plan: it brought the corridor's token there, and not as a
 * refund. `taken`: the transfers that settle another plan, by the index of their log. A part that was lost is judged by the wallet that it had paid. One that did not is no payment, whatever its amounts.
 *
 * @example
 * ```ts
 * import { paysWallet, type Plan, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * const isDueAgain = !paysWallet(plan, facts);
 * ```
 */
export function paysWallet(
  plan: Plan,
  facts: TransactionFacts,
  taken: ReadonlySet<number> = new Set(),
): boolean {
  const wallet = paidWallet(plan, facts);
  if (wallet === undefined || facts.outcome === 'REVERTED') return false;
  const unclaimed = unclaimedOf(plan, facts, arrivalsOf(plan, facts, wallet));
  return unclaimed.some(({ logIndex }) => !taken.has(logIndex));
}

function arrivalsOf(plan: Plan, { transfers }: TransactionFacts, { address }: PaidWallet) {
  return arrivals(transfers, plan.corridor.target.token, address);
}

function unclaimedOf(plan: Plan, facts: TransactionFacts, arrived: readonly TransferFacts[]) {
  return arrived.filter(({ logIndex }) => !isRefund(plan, facts, logIndex));
}

/** Whether a report names another transfer of the transaction that paid all that was due: the wallet was paid twice by it. */
function isOfAnotherLog(
  plan: Plan,
  known: Evidence,
  { blockHash, chainId, txHash }: TransactionFacts,
  { logIndex }: PayoutRules,
): boolean {
  if (logIndex === undefined || known.blockHash !== blockHash) return false;
  // After a return no further payment is accepted, but a payment that was told before is still recognised.
  const isTaken =
    takesRepeatedPayment(plan) || isRepetitionKnown(plan, { chainId, txHash, blockHash, logIndex });
  if (!isTaken) return false;
  return !known.transfers.some((each) => isSameLog(each, { chainId, txHash, logIndex }));
}

function judgeNew(
  plan: Plan,
  facts: TransactionFacts,
  wallet: PaidWallet,
  rules: PayoutRules,
): Judgement<Payout> {
  const { txHash, blockNumber } = facts;
  const arrived = arrivalsOf(plan, facts, wallet);
  if (arrived.length === 0)
    return disproved(
      `The transaction ${txHash} pays the recipient nothing. Report the transaction that paid the wallet.`,
    );
  const swapBlock = swapBlockOf(plan);
  if (swapBlock !== undefined && blockNumber < swapBlock)
    return disproved(
      `The transaction ${txHash} is in block ${blockNumber}, before the swap in block ${swapBlock}, so it pays nothing of what the swap brought. Report the payment that was made after the swap.`,
    );
  const unclaimed = unclaimedOf(plan, facts, arrived);
  const isNamedRefund = rules.logIndex !== undefined && isRefund(plan, facts, rules.logIndex);
  if (unclaimed.length === 0 || isNamedRefund)
    return disproved(
      `What the transaction ${txHash} pays the recipient is recorded as a refund of this plan. Report the transaction that paid the recipient.`,
    );
  // A transaction that has paid the wallet is only reported again, unless the report names another transfer of it.
  const known =
    rules.logIndex === undefined ? unclaimed.find((each) => isRecorded(plan, facts, each)) : undefined;
  const chosen: Judgement<{ readonly transfer: TransferFacts }> =
    known === undefined
      ? chosenOf(txHash, unclaimed, mostOf(plan, wallet.due), rules)
      : { ok: true, transfer: known };
  if (!chosen.ok) return chosen;
  return { ok: true, ...proofOf(plan, facts, [chosen.transfer], rules) };
}

/** Whether a transfer is recorded as money that went back to the payer, who may have the recipient's wallet. */
function isRefund(plan: Plan, { chainId, txHash }: TransactionFacts, logIndex: number): boolean {
  return isRefundOf(plan, { chainId, txHash, logIndex });
}

/** Whether a transfer is recorded as a payment of the plan, perhaps in another block. */
function isRecorded(
  plan: Plan,
  { chainId, txHash, blockHash }: TransactionFacts,
  { logIndex, amount }: TransferFacts,
): boolean {
  const place = { chainId, txHash, blockHash, logIndex };
  return standingMovements(plan, 'PAYOUT').some(
    ({ transfer, actual }) => mayBeSameTransfer(transfer, place) && actual === amountOf(amount),
  );
}

/** The most that a transfer pays without being named; undefined where all was paid, so that it is above what is due anyway. */
function mostOf(plan: Plan, due: Amount): Amount | undefined {
  return takesRepeatedPayment(plan) ? undefined : due;
}

function chosenOf(
  txHash: string,
  arrived: readonly TransferFacts[],
  due: Amount | undefined,
  { logIndex, taken = new Set() }: PayoutRules,
): Judgement<{ readonly transfer: TransferFacts }> {
  if (logIndex !== undefined) {
    const named = arrived.find((transfer) => transfer.logIndex === logIndex);
    if (named !== undefined) return { ok: true, transfer: named };
    return disproved(
      `The log ${logIndex} of the transaction ${txHash} is no transfer to the recipient. Leave logIndex out, or give that of a transfer to the wallet.`,
    );
  }
  const free = arrived.filter((transfer) => !taken.has(transfer.logIndex));
  const [first] = free;
  if (first === undefined)
    return disproved(
      `Every transfer of the transaction ${txHash} to the recipient settles another step already. Report the transaction that paid this step.`,
    );
  const fitting = free.filter(({ amount }) => due === undefined || !isLess(due, amountOf(amount)));
  if (fitting.length > 0)
    return { ok: true, transfer: fitting.reduce((most, each) => (each.amount > most.amount ? each : most)) };
  const least = free.reduce((less, each) => (each.amount < less.amount ? each : less), first);
  return disproved(
    `The transaction ${txHash} pays the recipient ${least.amount} in one transfer, ${due} is due; name the transfer by logIndex if it is for this payout.`,
  );
}

/**
 * Judges the transaction that has paid the wallet already, which may be in another block by now: the same amounts have
 * to reach the wallet. An amount that was enough when it was accepted stays enough.
 */
function judgeKnown(
  plan: Plan,
  facts: TransactionFacts,
  { address, verification }: PaidWallet,
  known: Evidence,
  rules: PayoutRules,
): Judgement<Payout> {
  const { txHash, blockHash, transfers } = facts;
  const { token } = plan.corridor.target;
  const counted: TransferFacts[] = [];
  for (const { amount, logIndex } of known.transfers) {
    const alike = transfers.filter(
      (each) =>
        each.token === token &&
        each.to === address &&
        String(each.amount) === amount &&
        !counted.includes(each),
    );
    const same = alike.find((each) => each.logIndex === logIndex) ?? alike[0];
    if (same === undefined)
      return disproved(
        `The transaction ${txHash} no longer pays the recipient ${PLAIN_WORDS.amount(known.amount, assetsOf(plan).target)}. Report the transaction that pays it.`,
      );
    counted.push(same);
  }
  const places = counted.map(({ logIndex }) => logIndex);
  const { logIndex } = rules;
  if (logIndex !== undefined && known.blockHash === blockHash && !places.includes(logIndex)) {
    const rests = `The payout rests on the log ${places.join(', ')} of the transaction ${txHash}`;
    return disproved(
      known.status === 'CONFIRMING'
        ? `${rests}, which is being confirmed. Report the log ${logIndex} once it is confirmed.`
        : `${rests}, not on ${logIndex}. Leave logIndex out.`,
    );
  }
  const payout = proofOf(plan, facts, counted, rules);
  const isStanding = known.status !== 'LOST' && verification !== undefined;
  return { ok: true, ...payout, ...(isStanding ? { verification } : {}) };
}

function proofOf(
  plan: Plan,
  facts: TransactionFacts,
  counted: readonly TransferFacts[],
  { payoutAddresses }: PayoutRules,
): Payout {
  const isCustodians = counted.every(({ from }) => payoutAddresses.includes(from));
  const isAfterSwap = facts.blockNumber >= (swapBlockOf(plan) ?? 0);
  const verification = isCustodians && isAfterSwap ? 'VERIFIED' : 'REPORTED';
  return { verification, evidence: evidenceFrom(plan, facts, counted) };
}

/** The block of the swap; undefined while the chain has no swap of the plan. */
function swapBlockOf(plan: Plan): number | undefined {
  return standingEvidence(swapStep(plan))?.blockNumber;
}

/**
 * Finds, among the transfers to a plan's wallet, the one that can only be the payment that is due. It brings exactly
 * what is due, or it is a part that was paid before a reorganisation. Such a part is no more than what is due.
 * Undefined when nothing is due, or when each transfer is in the ledger already. Whether other plans pay the same
 * wallet is not asked here.
 *
 * @example
 * ```ts
 * import { expectedPayout, type Plan, type RecordedTransfer } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const transfersToItsWallet: readonly RecordedTransfer[];
 * const txHash = expectedPayout(plan, transfersToItsWallet)?.txHash;
 * ```
 */
export function expectedPayout(
  plan: Plan,
  transfers: readonly RecordedTransfer[],
): RecordedTransfer | undefined {
  const wallet = paidWallet(plan);
  const step = lastStep(plan);
  if (wallet === undefined || step.status === 'PENDING' || payingState(step) !== 'DUE') return undefined;
  return transfers.find(
    (each) =>
      (each.amount === wallet.due || (isLess(each.amount, wallet.due) && isLostPayment(plan, each))) &&
      !isCounted(plan, each),
  );
}

/**
 * Whether a transfer is a part that a reorganisation took back and that is mined again. The transaction must have
 * paid the same amount, by as many transfers as it had in one block. Others of the same transaction are for something
 * else.
 */
function isLostPayment(plan: Plan, { txHash, amount }: RecordedTransfer): boolean {
  const isAlike = ({ kind, transfer, reverses, actual }: Movement) =>
    kind === 'PAYOUT' && reverses === undefined && transfer?.txHash === txHash && actual === amount;
  const paid = (plan.ledger ?? []).filter(isAlike);
  const blocks = Map.groupBy(paid, ({ transfer }) => transfer?.blockHash);
  const logs = [...blocks.values()].map(
    (rows) => new Set(rows.map(({ transfer }) => transfer?.logIndex)).size,
  );
  return standingMovements(plan).filter(isAlike).length < Math.max(0, ...logs);
}

/**
 * Whether a transfer is in the ledger already, such as a payout that came back before this one became due. In another
 * block only a payout may be this transfer.
 */
function isCounted(plan: Plan, place: TransferPlace): boolean {
  return standingMovements(plan).some(({ kind, transfer }) =>
    kind === 'PAYOUT' ? mayBeSameTransfer(transfer, place) : isSamePlace(transfer, place),
  );
}
