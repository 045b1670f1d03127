import { defined } from '@fairway/values';
import { type Amount, amountOf, isLess, unitsOf } from '../terms/amount.ts';
import { depositMovements, depositOf, depositRow, hasMoneyMoved, isDepositMoved } from '../book/deposit.ts';
import { placeOf, reversalOf, withMovements } from '../book/ledger.ts';
import { assetsOf } from '../terms/money.ts';
import type { NewMovement } from '../plan/movement.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, dueSentence, mismatch, notReady, unchanged } from '../plan/rulings.ts';
import { depositStep, swapStep, without, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { isDepositMissing } from './lostTransactions.ts';
import { depositsAfterSwap } from './sentBack.ts';
import { isSameLog, isSamePlace } from '../plan/transferPlaces.ts';
import type { AwaitDepositStep, Plan, Transfer } from '../plan/types.ts';
import { totalOf } from '../book/equations.ts';

/**
 * Records a deposit that the integrator reports, with or without a transaction. A transfer after the swap is recorded
 * already: then the report says that it is not money of the plan which the custodian sent on.
 */
export function onDepositReported(plan: Plan, command: CommandOf<'DEPOSIT_REPORTED'>, atMs: TimeMs): Ruling {
  const before = depositStep(plan);
  const { amount, transfers } = command;
  if (transfers.length > 0 && transfers.every((each) => isAfterSwap(plan, each)))
    return withPayersOwn(plan, before, transfers);
  if (before.status === 'DONE') {
    const deposit = depositOf(plan);
    const addsNothing = transfers.length === 0 || same(transfers, deposit.transfers);
    if (amount === deposit.received && addsNothing) return unchanged(plan);
    const [first] = deposit.transfers;
    if (first !== undefined && transfers.length > 0) return mismatch(restsOn(first, transfers));
    if (plan.ended !== undefined || plan.closed !== undefined || transfers.length === 0)
      return notReady(plan, `The deposit is DONE already. ${dueSentence(plan)}`);
    if (isLess(amount, deposit.received)) return mismatch(toldOtherwise(command, deposit.received));
    return withEvidence(plan, command, before, atMs);
  }
  if (plan.ended !== undefined || before.status === 'FAILED') return notReady(plan, dueSentence(plan));
  if (isLess(amount, before.expected)) {
    const detail = `The deposit is ${amount} of the ${before.expected} expected; report it when all of it is there.`;
    return mismatch(detail);
  }
  return withEvidence(plan, command, before, atMs);
}

/** Records the deposit as a report tells it. A transaction that is told later takes the place of the bare word. */
function withEvidence(
  plan: Plan,
  command: CommandOf<'DEPOSIT_REPORTED'>,
  step: AwaitDepositStep,
  atMs: TimeMs,
): Ruling {
  const { verification, transfers } = command;
  const told = withReported(plan, command, atMs);
  const finalBlock = newestBlock(transfers);
  return changed(withDeposit(withStep(told, { ...step, verification, ...defined({ finalBlock }) })));
}

/** The newest block of some transfers, up to a block where one is given; undefined where there is none. */
export function newestBlock(
  transfers: readonly Transfer[],
  upToBlock: number = Infinity,
): number | undefined {
  const blockNumbers = transfers.map(({ blockNumber }) => blockNumber).filter((each) => each <= upToBlock);
  return blockNumbers.length === 0 ? undefined : Math.max(...blockNumbers);
}

/** That the deposit has another transaction as its evidence. */
function restsOn(known: Transfer, [told]: readonly Transfer[]): string {
  return `The deposit is recorded as the transfer ${known.logIndex} of the transaction ${known.txHash}; this report names the transfer ${told?.logIndex} of ${told?.txHash}. One deposit is reported once: report what came besides as the deposit of its own plan.`;
}

/** That a transaction brought less than was reported without one. */
function toldOtherwise({ amount, transfers }: CommandOf<'DEPOSIT_REPORTED'>, received: Amount): string {
  const [first] = transfers;
  return `The deposit is recorded with ${received}, reported without a transaction; the transaction ${first?.txHash} brought ${amount}. Report the one that brought all of it. If there is none, less has come than was said: settle that with the payer, and end the plan.`;
}

/** The plan with what is reported of its deposit in place of what its ledger had. */
function withReported(plan: Plan, command: CommandOf<'DEPOSIT_REPORTED'>, atMs: TimeMs): Plan {
  const { amount, verification, transfers } = command;
  const row = { ...depositRow(plan, verification), asset: assetsOf(plan).source };
  const named = transfers.map(
    (each): NewMovement => ({ ...row, actual: each.amount, transfer: placeOf(each) }),
  );
  const rest = unitsOf(amount) - totalOf(named);
  const untraced = named.length === 0 ? verification : 'REPORTED';
  const told: readonly NewMovement[] =
    rest > 0n ? [{ ...row, actual: amountOf(rest), verification: untraced }, ...named] : named;
  const known = depositMovements(plan);
  const gone = known.filter((each) => !told.some((other) => isSameDeposit(each, other)));
  const added = told.filter((each) => !known.some((other) => isSameDeposit(each, other)));
  return withMovements(plan, [...gone.map(reversalOf), ...added], atMs);
}

function isSameDeposit(a: NewMovement, b: NewMovement): boolean {
  const isThere = a.transfer === b.transfer || isSamePlace(a.transfer, b.transfer);
  return isThere && a.actual === b.actual;
}

function isAfterSwap(plan: Plan, told: Transfer): boolean {
  return depositsAfterSwap(plan).some(({ transfer }) => isSameLog(transfer, told));
}

function withPayersOwn(plan: Plan, step: AwaitDepositStep, transfers: readonly Transfer[]): Ruling {
  const { payersOwn = [] } = step;
  const hashes = [...new Set(transfers.map(({ txHash }) => txHash))].filter(
    (each) => !payersOwn.includes(each),
  );
  if (hashes.length === 0) return unchanged(plan);
  return changed(withStep(plan, { ...step, payersOwn: [...payersOwn, ...hashes] }));
}

/** Derives the deposit's status from its amounts, and from it the status of the swap. */
export function withDeposit(plan: Plan): Plan {
  const before = swapStep(plan);
  const swapMoved = before.status === 'DONE' || before.evidence !== undefined;
  const step = without(depositStep(plan), 'isLate', 'failure');
  // The swap has moved the money on: what the chain shows of the deposit is recorded and undoes nothing.
  const status = swapMoved ? step.status : statusOf(plan);
  const next = withStep(plan, { ...step, status });
  if (status === 'DONE' || swapMoved) return next;
  const swap = swapStep(next);
  return withStep(next, { ...without(swap, 'failure', 'verification'), status: 'PENDING' });
}

function statusOf(plan: Plan): AwaitDepositStep['status'] {
  if (!isLess(depositOf(plan).confirmed, depositStep(plan).expected)) return 'DONE';
  return isDepositMoved(plan) ? 'READY' : 'PENDING';
}

function same(a: readonly Transfer[], b: readonly Transfer[]): boolean {
  return a.length === b.length && a.every((transfer, index) => isSamePlace(transfer, b[index] ?? transfer));
}

/**
 * Whether the plan expires at this time: money is missing. A plan that only waits for confirmations does not expire.
 */
export function expiresByTime(plan: Plan, nowMs: number): boolean {
  return isDepositMissing(plan) && nowMs >= plan.expiresAtMs;
}

/** Fails a deposit that did not come in time. The plan ends with it, unless a part of the money has moved. */
export function expireDeposit(plan: Plan, atMs: TimeMs): Plan {
  const step = depositStep(plan);
  const detail = `Received ${depositOf(plan).received} of ${step.expected} in the time the plan had.`;
  const failed = withStep(plan, { ...step, status: 'FAILED', failure: { code: 'DEPOSIT_EXPIRED', detail } });
  return hasMoneyMoved(plan) ? failed : { ...failed, ended: { reason: 'EXPIRED', atMs } };
}
