import { FaultError, type StatementSection, type StatementUnit } from './statement.ts';

/** An amount as it changes the balance: negative where money left. */
export function signedMinor({ direction, minor }: Pick<StatementUnit, 'direction' | 'minor'>): bigint {
  return direction === 'IN' ? minor : -minor;
}

/** Whether the opening balance and all entries come to the closing balance. */
export function isBalanced({ opening, closing, units }: StatementSection): boolean {
  return sumOf(opening?.minor ?? 0n, units) === closing?.minor;
}

function sumOf(opening: bigint, units: readonly StatementUnit[]): bigint {
  let sum = opening;
  for (const unit of units) sum += signedMinor(unit);
  return sum;
}

/**
 * Throws a FaultError unless the opening balance and all entries come to the closing balance, where both are known. `passedOver`: how many
 * entries are not booked.
 */
export function assertBalanced(
  { opening, closing, units }: StatementSection,
  place: string,
  passedOver = 0,
): void {
  if (opening === undefined || closing === undefined) return;
  const sum = sumOf(opening.minor, units);
  if (sum === closing.minor) return;
  const others =
    passedOver === 0
      ? ''
      : ` Entries that are not booked were passed over (PDNG, INFO or FUTR): ${passedOver}.`;
  throw new FaultError(
    `${place}: the opening balance and the booked entries come to ${sum} minor units, but the closing balance is ${closing.minor}.${others} Send the whole statement.`,
  );
}
