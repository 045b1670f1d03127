import type { Language } from './language.ts';

/** A moment as people read it, to the minute. It is in UTC because the reader's time zone is not known. */
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

/** An ISO 8601 duration in words, such as "1 day" or "2 hours, 30 minutes". */
export function formatDuration({ formats }: Language, duration: string): string {
  const parts = Temporal.Duration.from(duration);
  const { years, months, weeks, days, hours, minutes, seconds } = parts;
  return new Intl.DurationFormat(formats, { style: 'long' }).format({
    years,
    months,
    weeks,
    days,
    hours,
    minutes,
    seconds,
  });
}

/** How many decimals are shown of a token, and of a symbol that is no currency of ISO 4217. */
const TOKEN_DECIMALS = 6;

/**
 * A decimal amount as people read it, without its currency: "1,234.50". Decimals that its currency does not have are
 * cut off and never rounded up. They are kept where the rest would be zero.
 * @param decimal a text such as "1234.500000000000000001", because a number could not hold all of its digits
 * @param currency absent: it is an amount of a token, whatever the token's symbol
 */
export function formatAmount({ formats }: Language, decimal: string, currency?: string): string {
  const exact = decimal as Intl.StringNumericLiteral;
  const decimals = currency === undefined ? undefined : currencyDecimals(currency);
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

/** A decimal number as people read it, with all of its decimals. */
export function formatDecimal({ formats }: Language, decimal: string): string {
  const decimals = decimal.split('.')[1]?.length ?? 0;
  return new Intl.NumberFormat(formats, { minimumFractionDigits: decimals }).format(
    decimal as Intl.StringNumericLiteral,
  );
}

/** How many decimals a currency of ISO 4217 has; undefined for anything else. */
function currencyDecimals(currency: string): number | undefined {
  if (!Intl.supportedValuesOf('currency').includes(currency)) return undefined;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
}

/** A currency's name and code, such as "Philippine peso (PHP)". A symbol that is no ISO 4217 code has no name. */
export function currencyName({ formats }: Language, currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return currency;
  const name = new Intl.DisplayNames([formats], { type: 'currency' }).of(currency);
  return name === undefined || name === currency ? currency : `${name} (${currency})`;
}
