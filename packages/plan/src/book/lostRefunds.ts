import { sumOf } from '../terms/amount.ts';
import { defined } from '@fairway/values';
import { standingMovements, transfersOf } from './ledger.ts';
import { isSameAsset, type Money } from '../terms/money.ts';
import type { Movement, MovementTransfer } from '../plan/movement.ts';
import { depositStep, without, withStep } from '../plan/steps.ts';
import type { TransactionFacts } from '../plan/transactionFacts.ts';
import type { LostTransactions, Plan } from '../plan/types.ts';

/** A refund that a reorganisation took back, and its movements. */
type LostRefund = Money & {
  readonly transfer: MovementTransfer;
  readonly rows: readonly Movement[];
};

/** A refund that is on the chain again, as it was recorded before. */
export type FoundRefund = Pick<LostRefund, 'amount' | 'asset' | 'transfer'> &
  Pick<Movement, 'verification' | 'providerReference' | 'occurredAtMs'>;

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

/** The plan that no longer waits for refunds. They are recorded all the same when they are reported again. */
export function withoutLostRefunds(plan: Plan): Plan {
  return withStep(plan, without(depositStep(plan), 'lostRefunds'));
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
  const standing = standingMovements(plan).filter(({ kind }) => kind === 'REFUND');
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
