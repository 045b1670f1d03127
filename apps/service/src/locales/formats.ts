import type { Language } from './language.ts';

/** A moment as a person reads it, to the minute, in UTC: nobody told us where the reader is. */
export function formatMoment({ formats }: Language, ms: number): string {
  return new Intl.DateTimeFormat(formats, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(ms);
}

/** Decimals that are shown of what is no currency of ISO 4217. */
const TOKEN_DECIMALS = 6;

/**
 * A decimal amount as a person reads it, without its currency: "1,234.50". Never more than there is: the decimals
 * that its currency does not have are cut off, unless nothing would be left.
 * @param decimal such as "1234.500000000000000001": never a number, which could not hold it
 */
export function formatAmount({ formats }: Language, decimal: string, currency: string): string {
  const exact = decimal as Intl.StringNumericLiteral;
  const decimals = currencyDecimals(currency);
  const shown = new Intl.NumberFormat(formats, {
    minimumFractionDigits: decimals ?? 2,
    maximumFractionDigits: decimals ?? TOKEN_DECIMALS,
    roundingMode: 'trunc',
  });
  const isNothing = (text: string) => !/[1-9]/.test(text);
  const text = shown.format(exact);
  if (!isNothing(text) || isNothing(decimal)) return text;
  return new Intl.NumberFormat(formats, { maximumFractionDigits: 100 }).format(exact);
}

/** How many decimals a currency of ISO 4217 has; undefined for anything else. */
function currencyDecimals(currency: string): number | undefined {
  if (!Intl.supportedValuesOf('currency').includes(currency)) return undefined;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
}
