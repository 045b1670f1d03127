import { type AccountKind, code, digits, run } from '../kinds/accountKind.ts';
import { SEPARATOR } from '../kinds/schema.ts';

/** An account in India. */
export type InAccount = { readonly ifsc: string; readonly accountNumber: string };

/** An account in India. */
export const IN: AccountKind<InAccount> = {
  description: "the account's IFSC and account number",
  fields: {
    ifsc: code({
      title: 'IFSC',
      description: 'four letters, a zero and six letters or digits',
      example: 'XMPL0000001',
      least: 11,
      most: 11,
      pattern: `^${run('A-Za-z', 4)}${SEPARATOR}0(?:${SEPARATOR}[A-Za-z0-9]){6}$`,
    }),
    accountNumber: digits({
      title: 'Account number',
      description: '9 to 18 digits',
      example: '000000001',
      least: 9,
      most: 18,
    }),
  },
  endShown: 'accountNumber',
};
