import type { MoneyTexts } from '../moneyTexts.ts';

/** Sentences about money in English. */
export const MONEY: MoneyTexts = {
  conversion: {
    offered:
      'Bank accounts and eMoney wallets are paid in another currency: {currency}. {custodian} converts the {amount} at its own rate. How much that will be is not fixed yet.',
    chosen:
      'The money is paid out in another currency: {currency}. {custodian} converts the {amount} at its own rate. How much that will be is not fixed yet.',
    done: 'The money was paid out in another currency: {currency}. {custodian} converted the {amount} at its own rate.',
  },
  estimate:
    'An estimate: about {estimate}, at {rate} for 1 {token}, the rate of {source} on {asOf}. The amount you get can differ.',
};
