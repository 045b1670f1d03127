import type { FieldError } from '@fairway/wire';
import { exactAmount } from '../text/exactAmount.ts';

/** An amount that cannot be carried out, in smallest units of its token, and what is wrong with it. */
export type UnfitAmount = {
  /** JSON Pointer to the amount in the request. */
  readonly pointer: string;
  readonly units: bigint;
  readonly token: { readonly symbol: string; readonly decimals: number };
  readonly fault: 'TOO_LARGE' | 'TOO_SMALL';
};

/** How amounts are often written by mistake: with the decimals of most tokens, of most dollars, or as whole tokens. */
const USUAL_DECIMALS = [18, 6, 0];

/**
 * The problem of an amount. When the amount looks as if it was given with other decimals than its token has, the
 * problem says what was probably meant. `isPossible` tells whether an amount in smallest units could be carried out.
 */
export function withMeantAmount<
  Facts extends { readonly detail: string; readonly errors?: readonly FieldError[] },
>(problem: Facts, unfit: UnfitAmount, isPossible: (units: bigint) => boolean): Facts {
  const meant = meantAmounts(unfit).filter(({ units }) => isPossible(units));
  if (meant.length === 0) return problem;
  const { pointer, units, token } = unfit;
  const { symbol, decimals } = token;
  const shown = (amount: bigint) => `${exactAmount(amount, decimals)} ${symbol}`;
  const proposed = meant.map((each) => `${each.units} (${shown(each.units)})`).join(' or ');
  const looks = meant.map((each) => looksOf(each.decimals)).join(' or ');
  const detail = `${problem.detail} ${units} is ${shown(units)}, with ${decimals} decimals; did you mean ${proposed}? It looks like ${looks}.`;
  return {
    ...problem,
    detail,
    errors: [{ pointer, detail, suggestions: meant.map((each) => String(each.units)) }],
  };
}

function looksOf(decimals: number): string {
  return decimals === 0 ? 'whole tokens' : `an amount of a token with ${decimals} decimals`;
}

/**
 * The exact amounts that were meant if the amount was given with other decimals. Amounts that nobody would choose are
 * left out.
 */
function meantAmounts({ units, token: { decimals }, fault }: UnfitAmount) {
  const others = USUAL_DECIMALS.filter((each) => (fault === 'TOO_LARGE' ? each > decimals : each < decimals));
  return others.flatMap((each) => {
    if (each < decimals) {
      const isWhole = units >= 10n ** BigInt(each);
      return isWhole ? [{ decimals: each, units: units * 10n ** BigInt(decimals - each) }] : [];
    }
    const factor = 10n ** BigInt(each - decimals);
    const isThousandth = units * 1000n >= 10n ** BigInt(each);
    return units % factor === 0n && isThousandth ? [{ decimals: each, units: units / factor }] : [];
  });
}
