import { type AccountKind, choice, digits } from '../kinds/accountKind.ts';
import { withoutSeparators } from '../kinds/spelling.ts';
import { weightedSum } from './weightedSum.ts';

/** An account in the United States. */
export type UsAccount = {
  readonly routingNumber: string;
  readonly accountNumber: string;
  readonly accountType: 'CHECKING' | 'SAVINGS';
};

/** An account in the United States. */
export const US: AccountKind<UsAccount> = {
  description: "the account's routing number, account number and account type",
  fields: {
    routingNumber: digits({
      title: 'Routing number',
      description: 'an ABA routing number of nine digits',
      example: '800000006',
      least: 9,
      most: 9,
      check: { name: 'aba-routing-number', isValid: isRoutingNumber },
    }),
    accountNumber: digits({
      title: 'Account number',
      description: '4 to 17 digits',
      example: '0000000001',
      least: 4,
      most: 17,
    }),
    accountType: choice('Account type', ['CHECKING', 'SAVINGS']),
  },
  endShown: 'accountNumber',
};

/**
 * Whether a text is an ABA routing number of nine digits (ABA routing number policy). The first two are the prefix of
 * a Federal Reserve district (01 to 12) or of a thrift (21 to 32). They can also stand for electronic payments (61 to
 * 72) or traveller's cheques (80). The sum with weights 3, 7, 1 ends in 0.
 */
function isRoutingNumber(text: string): boolean {
  const number = withoutSeparators(text);
  if (!/^[0-9]{9}$/.test(number)) return false;
  const prefix = Number(number.slice(0, 2));
  const known =
    (prefix >= 1 && prefix <= 12) ||
    (prefix >= 21 && prefix <= 32) ||
    (prefix >= 61 && prefix <= 72) ||
    prefix === 80;
  return known && weightedSum(number) % 10 === 0;
}
