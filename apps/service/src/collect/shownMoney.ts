import { toAddress } from '@fairway/engine';
import type { TokenInfo } from '@fairway/evm';
import { type Amount, conversionOf, type Plan, type RecipientType } from '@fairway/plan';
import { formatAmount } from '../locales/formats.ts';
import type { Language } from '../locales/language.ts';
import type { PaymentParts } from '../payments/paymentParts.ts';
import { decimalOf } from '../text/decimalOf.ts';
import { plainLine } from '../text/plainLine.ts';
import { offeredTypes } from './offeredTypes.ts';

/** An amount as recipients read it: a number in their language, and the currency or the token that it counts. */
export type ShownAmount = { readonly number: string; readonly unit: string };

/** Who converts the money, and to which currency. */
export type ShownConversion = { readonly custodian: string; readonly currency: string };

const MOST_SYMBOL_CHARACTERS = 32;

/** The token that a plan's payout is made from; undefined until the chain's tokens have been read. */
export function payoutToken(
  { chains }: Pick<PaymentParts, 'chains'>,
  { corridor }: Plan,
): TokenInfo | undefined {
  const { chainId, token } = corridor.target;
  return chains.get(chainId)?.follower.tokens.get(toAddress(token));
}

/**
 * An amount of the payout token as the recipient reads it: in the currency only where the token is pegged to it, else in
 * the token. `paidTo`: the type of the destination, where it is known; a wallet is paid the token itself.
 */
export function shownAmount(
  { corridor }: Plan,
  token: Pick<TokenInfo, 'symbol' | 'decimals'>,
  amount: Amount,
  language: Language,
  paidTo?: RecipientType,
): ShownAmount {
  const decimal = decimalOf(amount, token.decimals);
  if (paidTo === 'wallet' || conversionOf(corridor) !== 'PEGGED')
    return {
      number: formatAmount(language, decimal),
      unit: plainLine(token.symbol, MOST_SYMBOL_CHARACTERS),
    };
  const { currency } = corridor.target;
  return { number: formatAmount(language, decimal, currency), unit: currency };
}

/**
 * Who converts the money of a plan; undefined where nobody does. `paidTo`: the type of the destination; until it is
 * chosen, the answer is for the accounts that can be chosen.
 */
export function shownConversion(plan: Plan, paidTo?: RecipientType): ShownConversion | undefined {
  if (conversionOf(plan.corridor) === 'PEGGED' || paidTo === 'wallet') return undefined;
  if (paidTo === undefined && offeredTypes(plan).every((type) => type === 'wallet')) return undefined;
  const { custodian, currency } = plan.corridor.target;
  return { custodian, currency };
}
