import { isLess, sumOf } from '../terms/amount.ts';
import { standingMovements, transfersOf } from '../book/ledger.ts';
import { isSameAsset, type Money } from '../terms/money.ts';
import type { Movement, MovementTransfer } from '../plan/movement.ts';
import { depositStep, dueStep, without, withStep } from '../plan/steps.ts';
import type { LostTransactions, Plan } from '../plan/types.ts';
import { depositOf } from '../book/deposit.ts';
import type { PlanCommand } from '../plan/commands.ts';
import type { Hash, TimeMs } from '../terms/scalars.ts';

/** A refund that a reorganisation took back, and its movements. */
type LostRefund = Money & {
  readonly transfer: MovementTransfer;
  readonly rows: readonly Movement[];
};

/**
 * What a reorganisation took back of the refunds, and is looked for. Nobody is to move its money meanwhile. Undefined when
 * nothing is waited for.
 *
 * @example
 * ```ts
 * import { awaitedRefunds, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const hashes = awaitedRefunds(plan)?.txHashes ?? [];
 * ```
 */
export function awaitedRefunds(plan: Plan): LostTransactions | undefined {
  return depositStep(plan).lostRefunds;
}

/** The plan that no longer waits for what a reorganisation took back. Told again, it is recorded all the same. */
export function withoutLost(plan: Plan, name: 'lost' | 'lostRefunds'): Plan {
  return withStep(plan, without(depositStep(plan), name));
}

/**
 * The refunds that a reorganisation took back and that are not recorded again. Each may be mined again, however late. One
 * whose reference was reported again is told already.
 */
export function lostRefundsOf(plan: Plan): readonly LostRefund[] {
  const told = (plan.ledger ?? []).filter(
    ({ kind, reverses, transfer }) =>
      kind === 'REFUND' && reverses === undefined && transfer?.logIndex !== undefined,
  );
  const standing = standingMovements(plan, 'REFUND');
  return [...Map.groupBy(told, ({ transfer }) => transfer?.txHash).values()].flatMap((ofTransaction) => {
    const { blockHash } = ofTransaction.at(-1)?.transfer ?? {};
    const newest = ofTransaction.filter(({ transfer }) => transfer?.blockHash === blockHash);
    const isThere = newest.some((row) => standing.some((each) => isOfReport(each, row)));
    if (isThere) return [];
    return [...Map.groupBy(newest, ({ transfer }) => transfer?.logIndex).values()].flatMap((ofLog) => {
      // A block can be on the chain once more: then the ledger has the same place twice.
      const rows = ofLog.filter(
        ({ side }, index) => ofLog.findLastIndex((each) => each.side === side) === index,
      );
      const [first] = rows;
      if (first?.transfer === undefined) return [];
      const amount = sumOf(rows.map(({ actual }) => actual));
      return [{ amount, asset: first.asset, transfer: first.transfer, rows }];
    });
  });
}

function isOfReport(standing: Movement, { transfer, providerReference }: Movement): boolean {
  const isNamed = providerReference !== undefined && standing.providerReference === providerReference;
  return isNamed || standing.transfer?.txHash === transfer?.txHash;
}

/** Whether a transaction is one that refunded, and whose refund is recorded no more. */
export function isLostRefund(
  lost: LostRefund,
  transfer: MovementTransfer,
  { amount, asset }: Money,
): boolean {
  const isSame = lost.amount === amount && isSameAsset(lost.asset, asset);
  return lost.transfer.txHash === transfer.txHash && isSame;
}

/** How long a deposit that a reorganisation took back is waited for: mostly it is mined again within some blocks. */
const WAIT_MS = 3_600_000;

/** Whether money of the deposit is missing and may still come: the deposit is due and has not failed. */
export function isDepositMissing(plan: Plan): boolean {
  const { stepId, status, expected } = depositStep(plan);
  const isOpen = plan.ended === undefined && dueStep(plan)?.stepId === stepId && status !== 'FAILED';
  return isOpen && isLess(depositOf(plan).received, expected);
}

/** What a reorganisation took back of a deposit that is missing; undefined when nothing of it is waited for. */
export function awaitedAgain(plan: Plan): LostTransactions | undefined {
  return isDepositMissing(plan) ? depositStep(plan).lost : undefined;
}

/**
 * The plan that knows which transactions of its deposit, and which refunds, are lost after a command. One that is on the
 * chain again is not waited for any more.
 */
export function withLostTransactions(before: Plan, after: Plan, command: PlanCommand, atMs: TimeMs): Plan {
  const isTaken = command.type === 'EVIDENCE_LOST' && command.cause === 'REORGANISED';
  return LISTS.reduce((plan, [name, hashesIn]) => {
    const step = depositStep(plan);
    const standing = hashesIn(plan);
    const taken = isTaken ? [...hashesIn(before)].filter((txHash) => !standing.has(txHash)) : [];
    if (taken.length === 0 && step[name] === undefined) return plan;
    const { txHashes: known = [], untilMs = 0 } = step[name] ?? {};
    const txHashes = [...new Set([...known, ...taken])].filter((txHash) => !standing.has(txHash));
    if (txHashes.length === known.length && taken.length === 0) return plan;
    if (txHashes.length === 0) return withStep(plan, without(step, name));
    return withStep(plan, {
      ...step,
      [name]: { txHashes, untilMs: taken.length > 0 ? atMs + WAIT_MS : untilMs },
    });
  }, after);
}

/** Where the step of the deposit keeps what is lost, and the transactions that the plan has of it. */
const LISTS = [
  ['lost', (plan: Plan) => hashesOf(depositOf(plan).transfers)],
  ['lostRefunds', (plan: Plan) => hashesOf(transfersOf(plan, 'REFUND'))],
] as const;

function hashesOf(transfers: readonly { readonly txHash: Hash }[]): ReadonlySet<Hash> {
  return new Set(transfers.map(({ txHash }) => txHash));
}
