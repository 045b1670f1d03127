import { type AccountKind, digits } from '../kinds/accountKind.ts';
import { withoutSeparators } from '../kinds/spelling.ts';
import { weightedSum } from './weightedSum.ts';

/** An account in Mexico. */
export type MxAccount = { readonly clabe: string };

/** An account in Mexico. */
export const MX: AccountKind<MxAccount> = {
  description: "the account's CLABE",
  fields: {
    clabe: digits({
      title: 'CLABE',
      description: 'a CLABE of 18 digits',
      example: '000000000000000013',
      least: 18,
      most: 18,
      check: { name: 'clabe', isValid: isClabe },
      isGrouped: true,
    }),
  },
  endShown: 'clabe',
};

/**
 * Whether a text is a CLABE: 3 digits for the bank, 3 for the place, 11 for the account and a check digit. The check
 * digit makes the sum with weights 3, 7, 1 a multiple of 10. Banxico takes each product modulo 10 before adding; the
 * last digit of the sum is the same.
 */
function isClabe(text: string): boolean {
  const number = withoutSeparators(text);
  if (!/^[0-9]{18}$/.test(number)) return false;
  return (weightedSum(number.slice(0, 17)) + Number(number.at(-1))) % 10 === 0;
}
