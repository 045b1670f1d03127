import { type AccountKind, code, optional } from '../kinds/accountKind.ts';
import { SEPARATOR } from '../kinds/schema.ts';
import { bic } from './bic.ts';
import { exampleIban } from './ibanExamples.ts';

/** An account with an IBAN. */
export type IbanAccount = { readonly iban: string; readonly bic?: string };

/**
 * An account in a country (ISO 3166-1 alpha-2) with IBANs and no kind of its own.
 * @throws Error for a country without IBANs: that is a bug of the caller.
 */
export function ibanAccount(country: string): AccountKind<IbanAccount> {
  const example = exampleIban(country);
  const prefix = example.slice(0, 2);
  const [first, second] = Array.from(prefix, (letter) => `[${letter}${letter.toLowerCase()}]`);
  const rest = example.length - 4;
  // A QR-IBAN takes only payments with a QR reference, which payments of this service do not have.
  const exception = prefix === 'CH' || prefix === 'LI' ? ', and no QR-IBAN' : '';
  const iban = code({
    title: 'IBAN',
    description: `an IBAN of ${example.length} characters that begins with ${prefix}, with or without spaces${exception}`,
    example: example.replaceAll(/(.{4})(?=.)/g, '$1 '),
    least: example.length,
    most: example.length,
    pattern: `^${first}${SEPARATOR}${second}(?:${SEPARATOR}[0-9]){2}(?:${SEPARATOR}[A-Za-z0-9]){${rest}}$`,
    check: 'iban',
    isGrouped: true,
  });
  return {
    description: "the account's IBAN",
    fields: { iban, bic: optional(bic(country)) },
    endShown: 'iban',
  };
}
