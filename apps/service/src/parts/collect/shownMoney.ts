import { toAddress } from '@fairway/engine';
import type { TokenInfo } from '@fairway/evm';
import { type Amount, conversionOf, minorDecimalsOf, type Plan, type RecipientType } from '@fairway/plan';
import { defined } from '@fairway/values';
import { formatAmount, formatDecimal } from '../../words/locales/formats.ts';
import type { Language } from '../../words/locales/language.ts';
import type { ShownConversion } from '../../words/locales/moneyTexts.ts';
import { conversionFor, estimateOf, type PaymentParts } from '../payments/index.ts';
import { decimalOf } from '../../words/text/decimalOf.ts';
import { eip55, plainLine } from '@fairway/api';
import type { ShownToken } from './pages/views.ts';

/** An amount as recipients read it: a number in their language, and the currency or the token that it counts. */
export type ShownAmount = { readonly number: string; readonly unit: string };

const MOST_SYMBOL_CHARACTERS = 32;

/** The token that a plan's payout is made from; undefined until the chain's tokens have been read. */
export function payoutToken(
  { chains }: Pick<PaymentParts, 'chains'>,
  { corridor }: Plan,
): TokenInfo | undefined {
  const { chainId, token } = corridor.target;
  return chains.get(chainId)?.follower.tokens.get(toAddress(token));
}

/** The payout token with its place, as recipients read them. */
export function shownToken(
  { chains }: Pick<PaymentParts, 'chains'>,
  { corridor }: Pick<Plan, 'corridor'>,
  token: Pick<TokenInfo, 'symbol'>,
): ShownToken {
  const { chainId, token: address } = corridor.target;
  const chain = chains.get(chainId);
  return defined({
    symbol: symbolOf(token),
    contract: eip55(address),
    chainName: chain?.name ?? '',
    explorerUrl: chain?.explorerUrl,
  });
}

/**
 * An amount of the payout token as the recipient reads it. It is in the currency if the token is pegged to it, else
 * in the token. `paidTo`: the type of the destination, where it is known; a wallet is paid the token itself.
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
    return { number: formatAmount(language, decimal), unit: symbolOf(token) };
  const { currency } = corridor.target;
  return { number: formatAmount(language, decimal, currency), unit: currency };
}

/**
 * Who converts the money, as the recipient reads it; undefined where nobody does. `paidTo`: the type of the destination;
 * until it is chosen, the answer is for the accounts that can be chosen.
 */
export function shownConversion(
  parts: Pick<PaymentParts, 'chains' | 'rateFor'>,
  plan: Plan,
  token: Pick<TokenInfo, 'symbol'>,
  language: Language,
  paidTo?: RecipientType,
): ShownConversion | undefined {
  const conversion = conversionFor(plan, paidTo);
  const estimate = conversion && estimateOf(parts, plan);
  if (conversion === undefined || estimate === undefined) return conversion;
  const { amount, currency, rate, asOfMs, source } = estimate;
  const decimal = decimalOf(amount, minorDecimalsOf(currency) ?? 0);
  return {
    ...conversion,
    estimate: {
      amount: `${formatDecimal(language, decimal)}\u00a0${currency}`,
      rate: `${formatDecimal(language, rate)}\u00a0${currency}`,
      token: symbolOf(token),
      source: new URL(source).host,
      asOfMs,
    },
  };
}

function symbolOf({ symbol }: Pick<TokenInfo, 'symbol'>): string {
  return plainLine(symbol, MOST_SYMBOL_CHARACTERS);
}
