import { type AccountKind, digits } from '../kinds/accountKind.ts';

/** An account in Canada. */
export type CaAccount = {
  readonly institutionNumber: string;
  readonly transitNumber: string;
  readonly accountNumber: string;
};

/** An account in Canada. */
export const CA: AccountKind<CaAccount> = {
  description: "the account's institution number, transit number and account number",
  fields: {
    institutionNumber: digits({
      title: 'Institution number',
      description: 'three digits',
      example: '000',
      least: 3,
      most: 3,
    }),
    transitNumber: digits({
      title: 'Transit number',
      description: 'five digits',
      example: '00000',
      least: 5,
      most: 5,
    }),
    accountNumber: digits({
      title: 'Account number',
      description: '7 to 12 digits',
      example: '0000001',
      least: 7,
      most: 12,
    }),
  },
  endShown: 'accountNumber',
};
