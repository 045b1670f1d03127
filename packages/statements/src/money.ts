import { minorDecimalsOf } from '@fairway/plan';
import { FaultError } from './statement.ts';

/** The most digits of an amount of ISO 20022. */
const MOST_DIGITS = 18;

/**
 * An amount in minor units of its currency, from decimal digits with a point. Throws a FaultError for a currency without a minor unit,
 * and for digits that the currency does not have.
 */
export function minorOf(text: string, currency: string, place: string): bigint {
  const decimalCount = minorDecimalsOf(currency);
  if (decimalCount === undefined)
    throw new FaultError(`${place}: the currency is not one of ISO 4217 with a minor unit.`);
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === '' || whole.length + fraction.length > MOST_DIGITS)
    throw new FaultError(
      `${place}: an amount must be decimal digits with a point, at most ${MOST_DIGITS} of them.`,
    );
  if (!/^0*$/.test(fraction.slice(decimalCount)))
    throw new FaultError(`${place}: an amount has more decimals than ${currency} has.`);
  return BigInt(whole + fraction.slice(0, decimalCount).padEnd(decimalCount, '0'));
}

/** A day as YYYY-MM-DD. Throws a FaultError where there is none. */
export function dayOf(text: string, place: string): string {
  const day = /^(\d{4}-\d{2}-\d{2})(?:$|[TZ+-])/.exec(text)?.[1];
  if (day === undefined || !isDay(day))
    throw new FaultError(`${place}: a date must be a day of the years 1970 to ${LAST_YEAR}, YYYY-MM-DD.`);
  return day;
}

/** The last year of which days are taken. Others are slips, and days after the year 9999 are written otherwise. */
const LAST_YEAR = 2199;

/** Whether YYYY-MM-DD is a day of the calendar, of a year in which there are statements. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return time >= 0 && day.slice(0, 4) <= String(LAST_YEAR) && new Date(time).toISOString().startsWith(day);
}
