import { unitsIn, unitsOf } from '../terms/amount.ts';
import { leftOf, payableOf, totalOf, unaskedIn } from '../book/equations.ts';
import { standingMovements } from '../book/ledger.ts';
import { assetsOf, isSameAsset } from '../terms/money.ts';
import type { Movement, MovementTransfer } from '../plan/movement.ts';
import { depositStep, lastStep } from '../plan/steps.ts';
import type { Plan } from '../plan/types.ts';
import type { Words } from '../terms/words.ts';

/** The custodian's money is this many times a transfer that is too small to be asked about: anybody can send one. */
const DUST_UNITS = 1_000n;

/**
 * The deposits of which nobody has said whether they are money of the plan that the custodian sent on. The ledger then
 * has that money a second time. It is to be paid out, nobody asked for it, or it was refunded without a transaction.
 * Nothing is paid before that is known.
 */
export function unexplainedDeposits(plan: Plan): readonly Movement[] {
  const { payersOwn = [] } = depositStep(plan);
  const open = depositsAfterSwap(plan).filter(
    ({ transfer }) => transfer !== undefined && !payersOwn.includes(transfer.txHash),
  );
  const there = open.length === 0 ? 0n : heldUnits(plan);
  return open.filter((row) => {
    const rowUnits = unitsOf(row.actual);
    const isEnough = there > 0n && rowUnits * DUST_UNITS >= there;
    return isEnough && (isFromCustodian(plan, row.transfer) || isOnItsWay(plan));
  });
}

/**
 * The deposits of the payout token that came after the swap. Each may be money of the plan that the custodian sent on
 * to the deposit address.
 *
 * @example
 * ```ts
 * import { depositsAfterSwap, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const hashes = depositsAfterSwap(plan).flatMap(({ transfer }) => transfer?.txHash ?? []);
 * ```
 */
export function depositsAfterSwap(plan: Plan): readonly Movement[] {
  const { target } = assetsOf(plan);
  // Also the swaps that were taken back: a reorganisation may have moved the swap behind the deposits.
  const swaps = (plan.ledger ?? []).flatMap(({ kind, transfer }) =>
    kind === 'SWAP_OUT' && transfer !== undefined ? [transfer] : [],
  );
  const blockNumbers = swaps.map(({ blockNumber }) => blockNumber);
  const first = Math.min(...blockNumbers);
  return standingMovements(plan, 'DEPOSIT').filter(
    (row) =>
      isSameAsset(row.asset, target) &&
      (row.transfer?.blockNumber ?? 0) >= first &&
      // A swap can give a rest of its output to the wallet that executes it.
      !swaps.some(({ txHash }) => txHash === row.transfer?.txHash) &&
      isSpare(plan, row),
  );
}

/**
 * Whether the plan has swapped and does not need a deposit for that. Nobody asked for the deposit, or the others are
 * as much as was planned. A chain record that was behind brings deposits before the swap, although they came after it
 * on the chain.
 */
export function isSpare(plan: Plan, deposit: Movement): boolean {
  if (standingMovements(plan, 'SWAP_IN').length === 0) return false;
  const others = standingMovements(plan, 'DEPOSIT').filter(
    (row) => row !== deposit && isSameAsset(row.asset, assetsOf(plan).source),
  );
  return deposit.reason !== undefined || totalOf(others) >= unitsOf(plan.amountIn);
}

/** Whether a transfer came from an account of the custodian, as far as the plan knows them. */
export function isFromCustodian(
  { corridor: { target } }: Plan,
  transfer: MovementTransfer | undefined,
): boolean {
  const accounts = [target.settlementAddress, ...(target.payoutAddresses ?? [])];
  return accounts.some((each) => each.toLowerCase() === transfer?.from?.toLowerCase());
}

/** What the custodian has of the plan's money, and what was refunded of it without a known transaction. */
function heldUnits(plan: Plan): bigint {
  return payableOf(plan) + unaskedUnits(plan) + totalOf(untracedRefunds(plan));
}

function unaskedUnits(plan: Plan): bigint {
  const [, target] = leftOf(plan);
  return target === undefined ? 0n : unitsIn(unaskedIn(target));
}

/** The refunds of the custodian's money of which no transaction is known. */
function untracedRefunds(plan: Plan): readonly Movement[] {
  return standingMovements(plan, 'REFUND').filter(
    ({ side, transfer }) => side === 'TARGET' && transfer === undefined,
  );
}

/**
 * Whether the custodian may be sending money of the plan back, from any account. A payment failed or came back, nobody
 * asked for some of the money, or it was refunded.
 */
function isOnItsWay(plan: Plan): boolean {
  const step = lastStep(plan);
  const isTried =
    step.type === 'CUSTODIAN_PAYOUT'
      ? step.attempts.length > 0
      : step.rounds.some(({ delivery }) => delivery !== undefined);
  return isTried || plan.returns.length > 0 || unaskedUnits(plan) > 0n || untracedRefunds(plan).length > 0;
}

/** The question what the unexplained deposits are, and the requests that answer it; undefined when there are none. */
export function depositQuestion(plan: Plan, words: Words): string | undefined {
  const [first, ...more] = unexplainedDeposits(plan);
  if (first === undefined) return undefined;
  const told = `${words.amount(first.actual, first.asset)} in the transaction ${first.transfer?.txHash}`;
  const others = more.length === 0 ? '' : ` (${more.length} more after it)`;
  return `${told}${others} came to the deposit address, and may be the very money that the plan has or had at the custodian: pay and refund nothing before you have said which it is. If the custodian sent it on, record this transaction as a refund (txHash). If it is other money, report it as DONE with its txHash on the step AWAIT_DEPOSIT.`;
}
