import { defined } from '@fairway/values';
import { PLAIN_WORDS } from '../terms/words.ts';
import { unitsOf } from '../terms/amount.ts';
import { isRefundOf, standingMovements, transfersOf } from '../book/ledger.ts';
import { type Asset, assetsOf, isSameAsset, type Money } from '../terms/money.ts';
import type { Movement, MovementTransfer } from '../plan/movement.ts';
import type { Address } from '../terms/scalars.ts';
import { depositStep } from '../plan/steps.ts';
import { depositsAfterSwap, isSpare } from '../deposit/sentBack.ts';
import { disproved, type Judgement } from './judgement.ts';
import { movesMoney, type TransactionFacts } from './transactionFacts.ts';
import type { Plan } from '../plan/types.ts';
import { lostRefundsOf } from '../deposit/lostTransactions.ts';
import type { PayoutRules } from './payoutJudgement.ts';

/** What decides which transfer of a transaction is a refund. */
type RefundRules = Pick<PayoutRules, 'payoutAddresses' | 'logIndex'> & {
  /** Whether the transfer with this index settles nothing else. */
  readonly isFree: (logIndex: number) => boolean;
};

type Refund = { readonly verification: 'VERIFIED' | 'REPORTED'; readonly transfer: MovementTransfer };

/**
 * Judges whether a transaction sent this money back to the payer. One transfer of exactly the amount counts: the one
 * that is named, else the one that is recorded already, else another. It is VERIFIED when it comes from an account of
 * the plan and goes to an account that has deposited as much, else REPORTED. The account in `options.sender` proves
 * neither, because anybody may have it. A transaction that the plan rests on refunds nothing, except what the
 * custodian sent to the deposit address.
 *
 * @example
 * ```ts
 * import { judgeRefund, type Money, type Plan, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * declare const money: Money;
 * const judged = judgeRefund(plan, facts, money, { payoutAddresses: [], isFree: () => true });
 * const isProven = judged.ok && judged.verification === 'VERIFIED';
 * ```
 */
export function judgeRefund(
  plan: Plan,
  facts: TransactionFacts,
  { amount, asset }: Money,
  { payoutAddresses, logIndex, isFree }: RefundRules,
): Judgement<Refund> {
  const { txHash, chainId, outcome, confirmations, blockNumber, blockHash, blockTimeMs } = facts;
  const { corridor } = plan;
  const { minConfirmations } = corridor;
  if (outcome === 'REVERTED')
    return disproved(
      `The transaction ${txHash} was reverted. Report the transaction that sent the money back.`,
    );
  if (confirmations < minConfirmations)
    return disproved(
      `The transaction ${txHash} has ${confirmations} of ${minConfirmations} confirmations; record the refund when it has them.`,
    );
  const custodians = [corridor.target.settlementAddress.toLowerCase(), ...payoutAddresses];
  const rests = standingMovements(plan).some(
    (row) => row.kind !== 'REFUND' && row.transfer?.txHash === txHash && !isSentBack(plan, row, custodians),
  );
  if (rests)
    return disproved(
      `The transaction ${txHash} is a deposit, the swap or the payout of this plan. Report the transaction that sent the money back.`,
    );
  const alike = facts.transfers.filter(
    (each) => each.token === tokenOf(asset) && movesMoney(each) && String(each.amount) === amount,
  );
  const named = alike.filter((each) => logIndex === undefined || each.logIndex === logIndex);
  const isOwn = ({ from, to }: { from: Address; to: Address }) =>
    ownAccounts(plan, payoutAddresses).has(from) && isPayer(plan, to, { amount, asset });
  const free = named.filter((each) => isFree(each.logIndex));
  // A transaction that is recorded as a refund is only reported again, unless the report names another transfer of it.
  const known =
    logIndex === undefined ? named.find((each) => isRefundOf(plan, { ...each, chainId, txHash })) : undefined;
  const chosen = known ?? free.find(isOwn) ?? free[0];
  if (chosen === undefined) {
    const why = named.length > 0 ? 'every one settles something else already' : 'there is none';
    return disproved(
      `The transaction ${txHash} has no transfer of ${PLAIN_WORDS.amount(amount, asset)} that counts: ${why}. Give the amount and the asset of one transfer of the transaction, or, if this one was your refund all the same, report it with a providerReference of your own and without txHash.`,
    );
  }
  const { from, to, logIndex: place } = chosen;
  return {
    ok: true,
    verification: isOwn(chosen) ? 'VERIFIED' : 'REPORTED',
    transfer: { chainId, txHash, logIndex: place, blockNumber, blockHash, blockTimeMs, from, to },
  };
}

/**
 * Whether a deposit may be the plan's own money on its way back. The plan does not need it, and it came from the
 * custodian, or in the payout token after the swap.
 */
function isSentBack(plan: Plan, row: Movement, custodians: readonly string[]): boolean {
  const isCustodians = custodians.includes(row.transfer?.from?.toLowerCase() ?? '');
  if (depositsAfterSwap(plan).includes(row)) return true;
  return row.kind === 'DEPOSIT' && isCustodians && isSpare(plan, row);
}

function tokenOf(asset: Asset): string {
  return 'address' in asset ? asset.address : '';
}

/** The accounts that the plan's money is or was at. */
function ownAccounts({ options, corridor }: Plan, payoutAddresses: readonly Address[]): ReadonlySet<string> {
  const own = [options.depositAddress, corridor.target.settlementAddress, ...payoutAddresses];
  return new Set(own.flatMap((address) => address?.toLowerCase() ?? []));
}

/**
 * Whether an account has deposited what goes back to it. It needs as much of the asset, or all that was planned where
 * the payout token goes back. The deposit address counts, too: it is the payer's. Dust makes nobody a payer. Without
 * a deposit address nobody is known as the payer of a plan: the account that it names may have sent another plan's
 * deposit.
 */
function isPayer(plan: Plan, account: Address, { amount, asset }: Money): boolean {
  const { depositAddress } = plan.options;
  if (depositAddress === undefined) return false;
  if (depositAddress.toLowerCase() === account) return depositStep(plan).verification === 'VERIFIED';
  const { source, target } = assetsOf(plan);
  const isBrought = isSameAsset(asset, target) && !isSameAsset(asset, source);
  const [deposited, least] = isBrought ? [source, plan.amountIn] : [asset, amount];
  return leftOfPayer(plan, account, deposited) >= unitsOf(least);
}

/** What an account has deposited of an asset and did not get back, as far as the chain tells it. */
function leftOfPayer(plan: Plan, account: Address, asset: Asset): bigint {
  return standingMovements(plan).reduce((left, row) => {
    if (!isSameAsset(row.asset, asset)) return left;
    if (row.kind === 'DEPOSIT' && row.transfer?.from?.toLowerCase() === account)
      return left + unitsOf(row.actual);
    if (row.kind === 'REFUND' && row.transfer?.to?.toLowerCase() === account)
      return left - unitsOf(row.actual);
    return left;
  }, 0n);
}

/** A refund that is on the chain again, as it was recorded before. */
export type FoundRefund = Money & { readonly transfer: MovementTransfer } & Pick<
    Movement,
    'verification' | 'providerReference' | 'occurredAtMs'
  >;

/**
 * The refunds of a transaction that was mined again, in the order of its logs. A log may have another index by now, so
 * each is found by its token, its accounts and its amount.
 *
 * @example
 * ```ts
 * import { type Plan, refundsAgain, type TransactionFacts } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const facts: TransactionFacts;
 * const isBack = refundsAgain(plan, facts).length > 0;
 * ```
 */
export function refundsAgain(plan: Plan, facts: TransactionFacts): readonly FoundRefund[] {
  const { chainId, txHash, outcome, blockNumber, blockHash, blockTimeMs } = facts;
  if (outcome === 'REVERTED') return [];
  const taken = new Set(
    transfersOf(plan, 'REFUND').flatMap((each) => (each.txHash === txHash ? (each.logIndex ?? []) : [])),
  );
  return lostRefundsOf(plan).flatMap(({ amount, asset, transfer, rows }) => {
    if (transfer.txHash !== txHash || !('address' in asset)) return [];
    const log = facts.transfers.find(
      (each) =>
        !taken.has(each.logIndex) &&
        each.token === asset.address.toLowerCase() &&
        String(each.amount) === amount &&
        each.from === transfer.from?.toLowerCase() &&
        each.to === transfer.to?.toLowerCase(),
    );
    if (log === undefined) return [];
    taken.add(log.logIndex);
    const { from, to, logIndex } = log;
    const place = { chainId, txHash, logIndex, blockNumber, blockHash, blockTimeMs, from, to };
    const { verification = 'REPORTED', providerReference, occurredAtMs } = rows[0] ?? {};
    return [
      { amount, asset, transfer: place, verification, ...defined({ providerReference, occurredAtMs }) },
    ];
  });
}
