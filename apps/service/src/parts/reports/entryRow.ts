import type { PeriodEntry } from '@fairway/store';
import { maskText } from './maskText.ts';
import type { ReportRow } from './reportRow.ts';

/** Makes the rows of a statement that Fairway writes. `day`: the days of the report's time zone. */
export function entryRow(
  day: (timeMs: number) => string,
  currency: string,
): (entry: PeriodEntry) => ReportRow<never> {
  return ({ bookedAtMs, occurredAtMs, payee, ...told }) => {
    const { kind, minor, reverses } = told;
    const entry = {
      ...told,
      isCredit: (kind === 'RETURN') !== (reverses !== undefined),
      bookedOn: day(bookedAtMs),
      valueOn: day(occurredAtMs ?? bookedAtMs),
      ...(payee === undefined ? {} : { payee: maskText(payee) }),
    };
    const units = reverses === undefined ? minor : -minor;
    return { cells: {}, amounts: [{ asset: { currency }, kind, units }], tokens: [], entry };
  };
}
