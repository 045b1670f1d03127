import { type AccountKind, code, type RequiredField, run } from '../kinds/accountKind.ts';
import { SEPARATOR } from '../kinds/schema.ts';
import { withoutSeparators } from '../kinds/spelling.ts';

/** An account in a country that has neither a kind of account of its own nor IBANs. */
export type BicAccount = { readonly bic: string; readonly accountNumber: string };

/** An account in a country (ISO 3166-1 alpha-2) that has neither a kind of account of its own nor IBANs. */
export function bicAccount(country: string): AccountKind<BicAccount> {
  return {
    description: "the bank's BIC and the account number",
    fields: {
      bic: bic(country),
      accountNumber: {
        ...code({
          title: 'Account number',
          description: '4 to 34 letters or digits',
          example: '0000000001',
          least: 4,
          most: 34,
          pattern: `^[A-Za-z0-9](?:${SEPARATOR}[A-Za-z0-9]){3,33}$`,
        }),
        // The case of its letters is kept, because it may matter to the bank.
        normal: withoutSeparators,
      },
    },
    endShown: 'accountNumber',
  };
}

/** The BIC of a bank in any country; the example has the given one. */
export function bic(country: string): RequiredField {
  return code({
    title: 'BIC',
    description: 'the BIC (SWIFT code) of a bank: 8 or 11 letters and digits',
    example: `XMPL${country}22`,
    least: 8,
    most: 11,
    pattern: `^${run('A-Za-z', 6)}(?:${SEPARATOR}[A-Za-z0-9]){2}(?:(?:${SEPARATOR}[A-Za-z0-9]){3})?$`,
    check: 'bic',
  });
}
