import type { FieldError } from '@fairway/wire';
import { exactAmount } from '@fairway/values';

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

/**
 * The largest amount below a too large one that is not too large, rounded down to two digits. `isTooLarge` is false for
 * every amount below one for which it is false.
 */
export function mostBelow(tooLarge: bigint, isTooLarge: (units: bigint) => boolean): bigint {
  const places = String(tooLarge).length;
  const zeros = lastThat((power) => !isTooLarge(10n ** BigInt(power)), 0, places - 1);
  const unit = 10n ** BigInt(Math.max(0, zeros - 1));
  const [least, most] = zeros === 0 ? [1, 9] : [10, 99];
  const isBelow = (count: number) => BigInt(count) * unit < tooLarge && !isTooLarge(BigInt(count) * unit);
  return BigInt(lastThat(isBelow, least, most)) * unit;
}

/** The last of some integers for which something holds that holds up to it. It is taken to hold for the first. */
function lastThat(holds: (value: number) => boolean, first: number, last: number): number {
  let [known, end] = [first, last + 1];
  while (end - known > 1) {
    const middle = Math.floor((known + end) / 2);
    if (holds(middle)) known = middle;
    else end = middle;
  }
  return known;
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
