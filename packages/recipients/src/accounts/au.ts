import { type AccountKind, digits } from '../kinds/accountKind.ts';

/** An account in Australia. */
export type AuAccount = { readonly bsb: string; readonly accountNumber: string };

/** An account in Australia. */
export const AU: AccountKind<AuAccount> = {
  description: "the account's BSB and account number",
  fields: {
    bsb: digits({
      title: 'BSB',
      description: 'six digits, with or without a hyphen',
      example: '000-000',
      least: 6,
      most: 6,
    }),
    accountNumber: digits({
      title: 'Account number',
      description: '5 to 9 digits',
      example: '000000001',
      least: 5,
      most: 9,
    }),
  },
  endShown: 'accountNumber',
};
