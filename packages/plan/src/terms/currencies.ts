/** Currencies whose minor unit is another part than a hundredth, by the number of its decimals (ISO 4217). */
const OTHER_DECIMALS: Readonly<Record<number, readonly string[]>> = {
  0: words('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  3: words('BHD IQD JOD KWD LYD OMR TND'),
  4: words('CLF UYW'),
};

/** Codes of ISO 4217 for metals, funds and tests, which have no minor unit. */
const WITHOUT_MINOR_UNIT = words('XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX');

function words(text: string): readonly string[] {
  return text.split(' ');
}

/**
 * How many decimals the minor unit of a currency has, by ISO 4217; undefined for what cannot be such a currency. Whether
 * a code is in use is not known here.
 *
 * @example
 * ```ts
 * import { minorDecimalsOf } from '@fairway/plan';
 *
 * minorDecimalsOf('PHP'); // 2
 * minorDecimalsOf('JPY'); // 0
 * minorDecimalsOf('USDC'); // undefined
 * ```
 */
export function minorDecimalsOf(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || WITHOUT_MINOR_UNIT.includes(currency)) return undefined;
  const [decimalCount = '2'] =
    Object.entries(OTHER_DECIMALS).find(([, currencies]) => currencies.includes(currency)) ?? [];
  return Number(decimalCount);
}
