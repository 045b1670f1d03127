import type { PeriodMovement } from '@fairway/store';
import { defined } from '@fairway/plan';
import { maskText } from './maskText.ts';
import type { ReportRow } from './reportRow.ts';
import type { PayoutStatementEntry } from './payoutStatementEntry.ts';

/** Makes the rows of a statement that Fairway writes. `day`: the days of the report's time zone. */
export function entryRow(
  day: (timeMs: number) => string,
  currency: string,
): (reported: PeriodMovement) => ReportRow<never> {
  return (reported) => {
    const entry = entryOf(reported, day);
    const { kind, minor, reverses } = entry;
    const units = reverses === undefined ? minor : -minor;
    return { cells: {}, amounts: [{ asset: { currency }, kind, units }], tokens: [], entry };
  };
}

function entryOf(reported: PeriodMovement, day: (timeMs: number) => string): PayoutStatementEntry {
  const { movement, entry, bookedAtMs, planId, clientReference, payee, failureCode } = reported;
  const { kind, movementId, reverses, providerReference, occurredAtMs } = movement;
  if (entry === undefined || (kind !== 'PAYOUT' && kind !== 'RETURN'))
    throw new Error(`${movementId} is no entry of an account.`);
  return {
    kind,
    isCredit: (kind === 'RETURN') !== (reverses !== undefined),
    minor: entry.minor,
    bookedOn: day(bookedAtMs),
    valueOn: day(occurredAtMs ?? bookedAtMs),
    ...{ movementId, planId, clientReference },
    ...defined({ reverses, providerReference, failureCode, endToEndId: entry.endToEndId }),
    ...(payee === undefined ? {} : { payee: maskText(payee) }),
  };
}
