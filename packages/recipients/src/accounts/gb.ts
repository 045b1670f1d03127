import { type AccountKind, digits } from '../kinds/accountKind.ts';

/** An account in the United Kingdom. */
export type GbAccount = { readonly sortCode: string; readonly accountNumber: string };

/** An account in the United Kingdom. */
export const GB: AccountKind<GbAccount> = {
  description: "the account's sort code and account number",
  fields: {
    sortCode: digits({
      title: 'Sort code',
      description: 'six digits, with or without hyphens',
      example: '00-00-00',
      least: 6,
      most: 6,
    }),
    accountNumber: digits({
      title: 'Account number',
      description: 'eight digits, with leading zeros',
      example: '00000001',
      least: 8,
      most: 8,
    }),
  },
  endShown: 'accountNumber',
};
