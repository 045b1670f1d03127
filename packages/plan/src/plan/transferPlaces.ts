import type { TransferPlace } from './types.ts';

/** Where a transfer is, as far as it is known: a movement that is a call has no log. Undefined: on no chain, so nowhere. */
type KnownPlace = Partial<TransferPlace> | undefined;

/**
 * Whether two places are one: the same log in the same block of a chain. A transfer that a reorganisation took is
 * recognised by its place.
 *
 * Three questions about transfers look alike, and each has one rule for all that ask it:
 * - `isSamePlace`: is it this log, in this block?
 * - `isSameLog`: is it this log of the transaction, whatever block that is in? Claims are kept by it, and so are references and
 *   refunds, which were told by it.
 * - `mayBeSameTransfer`: may it be this transfer, mined again in another block? Then any log of the transaction may be it.
 *
 * Two rules beside them look at what was moved. `judgePayout` finds the payment that a plan rests on in the
 * transaction's new block by receiver and amount. The store gives a lost claim back to its transfer by token,
 * receiver and amount. The log of that transfer may have another index by then, and another transfer may have its
 * former index (`makeRoom`). Tables ask the same questions by their keys: claims by transaction and log, the record
 * of a chain by block and log.
 *
 * @example
 * ```ts
 * import { isSamePlace, standingMovements, type Plan, type TransferPlace } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const gone: TransferPlace;
 * const lost = standingMovements(plan).filter(({ transfer }) => isSamePlace(transfer, gone));
 * ```
 */
export function isSamePlace(a: KnownPlace, b: KnownPlace): boolean {
  return isSameLog(a, b) && a?.blockHash === b?.blockHash;
}

/** Whether two places are of one log of a transaction, whatever block the transaction is in. See `isSamePlace`. */
export function isSameLog(a: KnownPlace, b: KnownPlace): boolean {
  return a !== undefined && b !== undefined && logName(a) === logName(b);
}

/** What a log of a transaction is called, whatever block the transaction is in: `isSameLog` for sets. */
export function logName({ chainId, txHash, logIndex }: NonNullable<KnownPlace>): string {
  return `${chainId} ${txHash} ${logIndex}`;
}

/**
 * Whether two places may be of one transfer: of one transaction and, in one block of it, of one log. In another block its logs
 * may have other indices. A question by this rule counts no transfer twice. See `isSamePlace`.
 *
 * @example
 * ```ts
 * import { mayBeSameTransfer, standingMovements, type Plan, type TransferPlace } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const told: TransferPlace;
 * const isKnown = standingMovements(plan).some(({ transfer }) => mayBeSameTransfer(transfer, told));
 * ```
 */
export function mayBeSameTransfer(a: KnownPlace, b: KnownPlace): boolean {
  if (a === undefined || b === undefined) return false;
  const isOneTransaction = a.chainId === b.chainId && a.txHash === b.txHash;
  return isOneTransaction && (a.blockHash !== b.blockHash || a.logIndex === b.logIndex);
}
