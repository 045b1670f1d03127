import { FaultError, type StatementSection, type StatementUnit } from './statement.ts';

/** An amount as it changes the balance: negative where money left. */
export function signedMinor({ direction, minor }: Pick<StatementUnit, 'direction' | 'minor'>): bigint {
  return direction === 'IN' ? minor : -minor;
}

/** Throws a FaultError unless the opening balance and all entries come to the closing balance, where both are known. */
export function assertBalanced({ opening, closing, units }: StatementSection, place: string): void {
  if (opening === undefined || closing === undefined) return;
  let sum = opening.minor;
  for (const unit of units) sum += signedMinor(unit);
  if (sum !== closing.minor)
    throw new FaultError(
      `${place}: the opening balance and the booked entries come to ${sum} minor units, but the closing balance is ${closing.minor}. Send the whole statement.`,
    );
}
