import { defined } from '@fairway/values';
import { acknowledgedAs, acknowledgementOf } from '../book/acknowledgement.ts';
import { amountOf, isLess, leastOf, mostOf, sumOf, unitsIn, unitsOf, ZERO } from '../terms/amount.ts';
import { isLinkLive, owedLink } from '../collect/rules.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, mismatch, notReady, unchanged } from '../plan/rulings.ts';
import { closingsOf, leftOf, payableOf, refundableOf, totalOf, unaskedIn } from '../book/equations.ts';
import { awaitedRefunds, isLostRefund, lostRefundsOf } from '../deposit/lostTransactions.ts';
import { lostPartsOf } from '../payout/lostParts.ts';
import { pendingPayoutsOf } from '../payout/pendingPayouts.ts';
import { reversalOf, standingMovements, transferOf, transfersOf, withMovements } from '../book/ledger.ts';
import { type Asset, assetsOf, isSameAsset, type Money } from '../terms/money.ts';
import type { Movement, NewMovement, Side } from '../plan/movement.ts';
import {
  depositStep,
  evidenceOf,
  isReturned,
  lastStep,
  owedDelivery,
  payingState,
  swapStep,
} from '../plan/steps.ts';
import { withTurn } from '../book/payoutTurn.ts';
import { withoutTransfers, withReversals } from '../deposit/recordRules.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { timeText } from '../payout/reports.ts';
import { depositQuestion, isFromCustodian, isSpare } from '../deposit/sentBack.ts';
import { isSameLog } from '../plan/transferPlaces.ts';
import type { Plan } from '../plan/types.ts';
import { PLAIN_WORDS } from '../terms/words.ts';

type Refunded = CommandOf<'REFUND_RECORDED'>;

/**
 * Records money that went back to the payer. The plan has no use for it any more: what is refunded is neither swapped nor
 * paid out. Money that came to the deposit address unasked for, and turns out to be a refund, is no longer counted as
 * a deposit.
 */
export function onRefundRecorded(before: Plan, command: Refunded, atMs: TimeMs): Ruling {
  const { amount, asset } = command.money;
  const known = knownRefund(before, command);
  const isTraced = known !== undefined && isSentOn(before, command) && isNewlyTraced(known, command);
  if (known !== undefined && (!isSameAsset(known.asset, asset) || known.amount !== amount))
    return mismatch(
      `This refund is recorded already, with ${PLAIN_WORDS.amount(known.amount, known.asset)}, not ${PLAIN_WORDS.amount(amount, asset)}. Send the recorded amount, or give another refund its own providerReference.`,
    );
  if (known !== undefined && !isTraced) return calledOtherwise(known, command) ?? unchanged(before);
  const question = command.transfer === undefined ? depositQuestion(before, PLAIN_WORDS) : undefined;
  // Without a transaction nobody knows whether the custodian's money went back or what came to the deposit address.
  if (question !== undefined && isSameAsset(asset, assetsOf(before).target))
    return notReady(before, question);
  const deposit = depositAt(before, command);
  if (deposit !== undefined && !isSpare(before, deposit))
    return mismatch(
      'This transfer is a deposit that the plan needs, so it is no refund. Report the transfer that sent the money back.',
    );
  // A refund that gets its transaction is recorded anew.
  const bare = withMovements(before, (known?.rows ?? []).map(reversalOf), atMs);
  const plan = withoutDeposit(bare, deposit, atMs);
  const { transfer } = command;
  const again = lostRefundsOf(plan).find((lost) => transfer && isLostRefund(lost, transfer, command.money));
  // It went back once, whatever was done with the money since.
  if (again !== undefined)
    return changed(
      withMovements(
        plan,
        again.rows.map((row) => againIn(row, command)),
        atMs,
      ),
    );
  const parts = portionsOf(plan, command, isSentOn(before, command));
  if (parts.length === 0)
    return mismatch(
      `The plan does not have ${PLAIN_WORDS.amount(amount, asset)} that could go back. Look at money.left: that much can go back.`,
    );
  const besideLost = refuseBesideLost(plan, command);
  if (besideLost !== undefined) return notReady(plan, besideLost);
  const told = { ...defined({ occurredAtMs: known?.rows[0]?.occurredAtMs }), ...command };
  const rows = parts.map(([side, units]) => refundRow(plan, told, side, units));
  const next = withMovements(plan, rows, atMs);
  const isOfDeposit = rows.every(({ side }) => side === 'SOURCE');
  if (isOfDeposit || payableOf(next) === payableOf(before)) return changed(next);
  const refusal = refuseWhilePaid(plan);
  if (refusal !== undefined) return notReady(plan, refusal);
  return changed(isToBePaid(plan) ? withTurn(next) : next);
}

function depositAt(plan: Plan, { transfer }: Refunded): Movement | undefined {
  return standingMovements(plan, 'DEPOSIT').find((row) => isSameLog(row.transfer, transfer));
}

/** The plan without a deposit that was the plan's own money, on its way back. */
function withoutDeposit(plan: Plan, deposit: Movement | undefined, atMs: TimeMs): Plan {
  const places = transferOf(deposit);
  if (places.length === 0) return plan;
  return withoutTransfers(plan, withReversals(plan, depositStep(plan).stepId, places, atMs));
}

/**
 * Whether a refund that was recorded by its reference alone is told to be a transfer. The transfer may have sent money
 * of the plan on to the deposit address. Then it is no deposit any more, and the money counts once.
 */
function isNewlyTraced(known: KnownRefund, { transfer, providerReference }: Refunded): boolean {
  const isUntraced = known.transfer === undefined && transfer !== undefined;
  return isUntraced && known.providerReference === providerReference;
}

/** Whether the transfer of a refund brought the payout token to the deposit address, where no deposit can come from. */
function isSentOn(plan: Plan, told: Refunded): boolean {
  const { money, transfer } = told;
  const { depositAddress } = plan.options;
  if (!isSameAsset(money.asset, assetsOf(plan).target)) return false;
  const isThere =
    depositAddress !== undefined && transfer?.to?.toLowerCase() === depositAddress.toLowerCase();
  return isThere || depositAt(plan, told) !== undefined;
}

/** A refund that is recorded: what it is called, and its movements. */
type KnownRefund = Money &
  Pick<Movement, 'providerReference' | 'transfer'> & { readonly rows: readonly Movement[] };

/** The refund that was recorded for the same reference or in the same transfer: all of its movements together. */
function knownRefund(
  plan: Plan,
  { providerReference, transfer }: Pick<Refunded, 'providerReference' | 'transfer'>,
): KnownRefund | undefined {
  const rows = standingMovements(plan, 'REFUND').filter(
    (row) =>
      isSameLog(row.transfer, transfer) ||
      (providerReference !== undefined && row.providerReference === providerReference),
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const amount = sumOf(rows.map(({ actual }) => actual));
  return {
    asset: first.asset,
    amount,
    rows,
    ...defined({ providerReference: first.providerReference, transfer: first.transfer }),
  };
}

/**
 * The refusal of a report that gives a known refund another name. A refund keeps the names of its first report. If
 * another name were accepted and not kept, the money would count once more when that name is told alone.
 */
function calledOtherwise(known: KnownRefund, told: Refunded): Ruling | undefined {
  const name = known.transfer === undefined ? known.providerReference : known.transfer.txHash;
  const { providerReference, transfer } = told;
  if (providerReference !== undefined && providerReference !== known.providerReference)
    return mismatch(
      `This refund is recorded as ${name}${known.providerReference === undefined ? ', without a providerReference' : ` with the providerReference ${known.providerReference}`}, and keeps the names of its first report. Leave providerReference out, or send the recorded one.`,
    );
  if (transfer === undefined || isSameLog(known.transfer, transfer)) return undefined;
  return mismatch(
    known.transfer === undefined
      ? `This refund is recorded as ${name}, without a transaction, and keeps the names of its first report. Leave txHash out.`
      : `This refund is recorded in the transaction ${known.transfer.txHash}. Give another refund its own providerReference.`,
  );
}

/**
 * Why a refund is refused of money that was settled elsewhere, as a closing of the plan says. Undefined where other
 * money of the asset is enough, or where the integrator says that it did go back.
 */
export function refuseSettled(before: Plan, refund: Refunded): Ruling | undefined {
  const { money, force } = refund;
  const named = acknowledgedAs(before, 'SETTLED_ELSEWHERE', money.asset);
  if (named === 0n || force === true) return undefined;
  const plan = withoutDeposit(before, depositAt(before, refund), before.updatedAtMs);
  const { SOURCE, TARGET } = refundableOf(plan, money.asset);
  const since = acknowledgementOf(plan).find(
    ({ direction, asset }) => direction === 'IN' && isSameAsset(asset, money.asset),
  );
  const acknowledged = SOURCE + TARGET - unitsOf(since?.amount ?? ZERO);
  // The money that closings acknowledged and that is still there, whatever their reasons. Money that was lost since is
  // settled nowhere.
  const settled = leastOf([named, acknowledged]);
  const free = amountOf(SOURCE + TARGET - settled);
  if (settled === 0n || !isLess(free, money.amount)) return undefined;
  return notReady(
    plan,
    `The plan was ended as SETTLED_ELSEWHERE when ${PLAIN_WORDS.amount(amountOf(named), money.asset)} was left, and only ${PLAIN_WORDS.amount(free, money.asset)} is there besides. Refund no more than that, or add "force": true if the money that was left went back to the payer after all.`,
  );
}

/** How much of a refund is money of a side. */
type Portion = readonly [side: Side, units: bigint];

/**
 * Whose money went back, and how much of it. It is the payer's own token where that is enough, else what the swap
 * brought. The order is reversed where the custodian sent it, who has only what the swap brought. Where both are one
 * token, a transfer can give back all of the first side and a part of the other. The deposits are at the
 * deposit address already, so a transfer to it is the custodian's money. Empty where the plan has too little.
 */
function portionsOf(plan: Plan, command: Refunded, isOfCustodian: boolean): readonly Portion[] {
  const { amount, asset } = command.money;
  const there = refundableOf(plan, asset);
  const units = unitsOf(amount);
  if (isOfCustodian) return units > 0n && there.TARGET >= units ? [['TARGET', units]] : [];
  const isCustodians = isFromCustodian(plan, command.transfer);
  const order: readonly Side[] = isCustodians ? ['TARGET', 'SOURCE'] : ['SOURCE', 'TARGET'];
  const side = order.find((each) => units > 0n && there[each] >= units);
  if (side !== undefined) return [[side, units]];
  const [first = 'SOURCE', second = 'TARGET'] = order;
  if (units === 0n || there.SOURCE + there.TARGET < units) return [];
  return [
    [first, there[first]],
    [second, units - there[first]],
  ];
}

/** Why a refund without a transaction is refused while a lost one is waited for: both may be one, or send the same money. */
function refuseBesideLost(plan: Plan, { transfer }: Refunded): string | undefined {
  const awaited = transfer === undefined ? awaitedRefunds(plan) : undefined;
  if (awaited === undefined) return undefined;
  return `The transaction ${awaited.txHashes[0]}, which sent money back to the payer, is no longer on the chain, and may be mined again. Until ${timeText(awaited.untilMs)}, report a refund only by the txHash of a mined transaction.`;
}

/** A movement of a refund that was mined again, as it is now. */
function againIn({ kind, side, stepId, asset, actual, ...row }: Movement, told: Refunded): NewMovement {
  const { verification, transfer } = told;
  const { providerReference = told.providerReference, occurredAtMs = told.occurredAtMs } = row;
  const facts = defined({ stepId, transfer, providerReference, occurredAtMs });
  return { kind, side, asset, actual, verification, ...facts };
}

function refundRow(plan: Plan, command: Refunded, side: Side, units: bigint): NewMovement {
  const { money, verification, transfer, providerReference, occurredAtMs } = command;
  const { stepId } = side === 'SOURCE' ? depositStep(plan) : lastStep(plan);
  const told = defined({ stepId, transfer, providerReference, occurredAtMs });
  return { kind: 'REFUND', side, asset: money.asset, actual: amountOf(units), verification, ...told };
}

/**
 * Why the money that is to be paid out cannot go back now: both the recipient and the payer might be paid. Undefined
 * when it can.
 */
function refuseWhilePaid(plan: Plan): string | undefined {
  const last = lastStep(plan);
  if (plan.ended !== undefined) return undefined;
  if (swapStep(plan).evidence?.status !== 'FINAL')
    return 'The swap is not final; record the refund when it is.';
  const [part] = lostPartsOf(plan);
  const pending = pendingPayoutsOf(plan).at(-1);
  const isPaid = payingState(last) === 'PAID' && !isReturned(plan);
  if (pending !== undefined && !isPaid)
    return `The transaction ${pending.txHash}, which waits to be mined, may still pay the recipient; report FAILED when it cannot be mined any more, and record the refund then.`;
  // Nothing is asked for any more, so a refund is what happened. Where it is to be decided, next says to wait.
  if (part !== undefined && !isPaid)
    return `The transaction ${part.txHash}, which is lost, may still pay the recipient a part; record the refund when that is certain.`;
  if (isReturned(plan)) return undefined;
  const evidence = evidenceOf(last);
  if (evidence !== undefined && evidence.status !== 'FINAL')
    return `The transaction ${evidence.txHash} may have paid the recipient; record the refund when that is certain.`;
  if (last.hold !== undefined)
    return 'The custodian holds the payment and may still make it; report FAILED when the custodian gives it up, and record the refund then.';
  if (last.type !== 'SEND_DIGITAL_COLLECT') return undefined;
  if (isLinkLive(last.link) || owedLink(plan) !== undefined)
    return 'The recipient can still choose where the money goes: end the plan first, then record the refund.';
  const isOwed = last.delivery !== undefined && ['PENDING', 'SENT'].includes(last.delivery.status);
  return isOwed
    ? 'The recipient has chosen and is to be paid; report that the delivery FAILED first.'
    : undefined;
}

/** Whether the recipient is still to be paid. A payment that came back is due only when it is tried again. */
function isToBePaid(plan: Plan): boolean {
  if (plan.ended !== undefined || isReturned(plan)) return false;
  return lastStep(plan).status !== 'DONE' || owedDelivery(plan) !== undefined;
}

/**
 * How many units of an asset a plan may send back soon to an account that its deposit came from, at most in one
 * transfer. It is all that the plan has not swapped or paid out, because a refund may come at any time before that.
 * Money that was acknowledged when the plan was closed does not count, unless the plan was closed as refunded and no
 * refund is recorded since. `isAsking`: the plan itself is due to pay this account. Then what it has to pay out is no
 * refund, unless the payment failed or came back.
 *
 * @example
 * ```ts
 * import { type Address, assetsOf, pendingRefundOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const wallet: Address;
 * const mayBeRefund = pendingRefundOf(plan, wallet, assetsOf(plan).target) >= 250_000_000n;
 * ```
 */
export function pendingRefundOf(plan: Plan, account: string, asset: Asset, isAsking = false): bigint {
  const payers = transfersOf(plan, 'DEPOSIT').map(({ from }) => from?.toLowerCase());
  const isPayer = payers.includes(account.toLowerCase());
  if (!isPayer) return 0n;
  const isDue = isAsking && !isReturned(plan) && plan.steps.every(({ status }) => status !== 'FAILED');
  const toRefund = promisedOf(plan, asset);
  const sums = leftOf(plan)
    .filter((left) => isSameAsset(left.asset, asset))
    .map((left) => {
      const there = unaskedIn(left);
      const named = unitsIn(there.filter(({ acknowledged }) => acknowledged));
      return (isDue ? 0n : left.outstanding) + unitsIn(there) - named + leastOf([named, toRefund]);
    });
  return mostOf(sums);
}

/** How much of an asset was acknowledged as refunded when the plan was ended, less the refunds that are recorded since. */
function promisedOf(plan: Plan, asset: Asset): bigint {
  const first = closingsOf(plan).find(({ reason }) => reason === 'REFUNDED');
  if (first === undefined) return 0n;
  const since = standingMovements(plan, 'REFUND').filter(
    (row) => row.seq > first.movements && isSameAsset(row.asset, asset),
  );
  return mostOf([acknowledgedAs(plan, 'REFUNDED', asset) - totalOf(since)]);
}
