import { nationalFields } from './accounts/byCountry.ts';
import type { FormatCheck, GivenFormat } from './kinds/formatCheck.ts';
import { isEmailAddress } from './types/email.ts';

/**
 * The checks that the `format` of a field can name. The caller gives those that need a library.
 *
 * @example
 * ```ts
 * import { createRecipientFormats } from '@fairway/recipients';
 *
 * declare const isValidIban: (text: string) => boolean;
 * declare const isValidBic: (text: string) => boolean;
 * declare const isEvmAddress: (text: string) => boolean;
 * const formats = createRecipientFormats({ iban: isValidIban, bic: isValidBic, 'evm-address': isEvmAddress });
 * formats['clabe']?.('000000000000000013'); // true
 * ```
 */
export function createRecipientFormats(
  given: Readonly<Record<GivenFormat, FormatCheck>>,
): Readonly<Record<string, FormatCheck>> {
  const national = nationalFields().flatMap(({ schema, check }): [string, FormatCheck][] =>
    schema.format === undefined || check === undefined ? [] : [[schema.format, check]],
  );
  return { ...given, 'email-address': isEmailAddress, ...Object.fromEntries(national) };
}
