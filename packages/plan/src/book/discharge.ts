import { type Amount, amountOf, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import type { Conversion } from '../terms/corridor.ts';
import { minorDecimalsOf } from '../terms/currencies.ts';
import { defined } from '@fairway/values';
import { type Asset, isSameAsset, type Kept, type Money } from '../terms/money.ts';

/** Money that was kept back from a payout, and why. */
export type Deduction = Money & { readonly reason: string };

/** What a report tells of the amounts of a payout. `amount`: units of the token that the custodian pays from. */
export type ReportedPayout = {
  readonly amount?: Amount;
  readonly paid?: Money;
  readonly deductions?: readonly Deduction[];
};

/** What a payout is made from, and how that becomes the currency that is paid. `decimals`: of the token. */
export type PayoutTerms = {
  readonly token: Asset;
  readonly decimals: number;
  readonly currency: string;
  readonly conversion: Conversion;
};

/** What a report tells in exact units of the token. Absent `discharged`: the payment settles all that is due. */
type ExactAmounts = { readonly discharged?: Amount; readonly deductions: readonly Kept[] };

/** What a report tells of money that came back. `amount`: units of the token; `returned`: in the currency that was paid. */
export type ReportedReturn = { readonly amount?: Amount; readonly returned?: Money };

/** A member of a report that contradicts the plan or the rest of the report. */
export type Contradiction = {
  readonly ok: false;
  readonly member: keyof ReportedPayout | keyof ReportedReturn;
  readonly detail: string;
};

/**
 * What a report tells in units of the token. A payment in the token, or in a currency that the token is pegged to,
 * settles its own amount. A payment in a currency that the custodian converted to settles what `amount` says, or all
 * that is due. There is no exact rate to compare it with.
 *
 * @example
 * ```ts
 * import { type Amount, exactAmounts, type PayoutTerms } from '@fairway/plan';
 *
 * declare const terms: PayoutTerms; // a token of six decimals that is pegged to EUR
 * declare const amount: Amount; // '24500': 245.00 EUR
 * const exact = exactAmounts(terms, { paid: { amount, asset: { currency: 'EUR' } } });
 * if (exact.ok) console.log(exact.amounts.discharged); // '245000000'
 * ```
 */
export function exactAmounts(
  terms: PayoutTerms,
  told: ReportedPayout,
): { readonly ok: true; readonly amounts: ExactAmounts } | Contradiction {
  const deductions: Kept[] = [];
  for (const { reason, ...money } of told.deductions ?? []) {
    const amount = tokenUnits(terms, money);
    if (amount === undefined)
      return wrong('deductions', `must be of ${assetName(terms.token)}${peggedToo(terms)}.`);
    deductions.push({ amount, reason });
  }
  const settled = settledBy(terms, told);
  if (!settled.ok) return settled;
  return { ok: true, amounts: { deductions, ...defined({ discharged: settled.discharged }) } };
}

/**
 * How many units of the token came back, as a report tells; undefined where it does not say so. A return in a
 * currency that the token is pegged to is the same amount in units. For a currency that the custodian converted to,
 * only `amount` tells the units.
 *
 * @example
 * ```ts
 * import { type Amount, type PayoutTerms, returnedUnits } from '@fairway/plan';
 *
 * declare const terms: PayoutTerms; // a token of six decimals that is pegged to EUR
 * declare const amount: Amount; // '24500': 245.00 EUR
 * const back = returnedUnits(terms, { returned: { amount, asset: { currency: 'EUR' } } });
 * if (back.ok) console.log(back.amount); // '245000000'
 * ```
 */
export function returnedUnits(
  terms: PayoutTerms,
  { amount, returned }: ReportedReturn,
): { readonly ok: true; readonly amount: Amount | undefined } | Contradiction {
  if (returned === undefined) return { ok: true, amount };
  const { currency, conversion } = terms;
  if (!isSameAsset(returned.asset, { currency }))
    return wrong('returned', `must be of ${currency}; amount says it in units of the token.`);
  if (amount !== undefined || conversion === 'CUSTODIAN') return { ok: true, amount };
  const units = tokenUnits(terms, returned);
  if (units !== undefined) return { ok: true, amount: units };
  return wrong(
    'returned',
    `is no whole number of units of ${assetName(terms.token)}, to which it is pegged.`,
  );
}

/**
 * How a report accounts for the amount that is due, in units of the token. It has what the payment settles, what was
 * kept back with a reason, and what nobody has explained. A payment above what is due settles more than that.
 */
export type Discharge = {
  readonly discharged: Amount;
  readonly deducted: Amount;
  readonly missing: Amount;
};

/**
 * How a report accounts for the amount that is due. Deductions explain what is missing, and no more than that. They
 * may exceed it by less than `minorUnit`, the smallest unit of the currency, to which a custodian may round up. A
 * payment of all that is due makes whole units of the currency with what was `paid` before. No bank can pay the rest.
 */
export function dischargeOf(
  due: Amount,
  {
    discharged: told,
    deductions,
    minorUnit = ONE,
    paid = ZERO,
  }: ExactAmounts & { readonly minorUnit?: Amount; readonly paid?: Amount },
): { readonly ok: true; readonly discharge: Discharge } | Contradiction {
  const deducted = sumOf(deductions.map(({ amount }) => amount));
  const above = unitsOf(deducted) - unitsOf(due);
  if (above >= unitsOf(minorUnit))
    return wrong(
      'deductions',
      `come to ${deducted} units of the token, but ${due} units are due; tell no more than was kept back.`,
    );
  const all = above < 0n ? amountOf(-above) : ZERO;
  const discharged = told === undefined || told === all ? payableIn(minorUnit, all, paid) : told;
  const missing = unitsOf(due) - unitsOf(discharged) - unitsOf(deducted);
  if (-missing >= unitsOf(minorUnit) && deducted !== ZERO)
    return wrong(
      'deductions',
      `come to ${deducted} units of the token, but ${discharged} of the ${due} units that are due were paid; tell no more than was kept back.`,
    );
  return {
    ok: true,
    discharge: { discharged, deducted, missing: missing > 0n ? amountOf(missing) : ZERO },
  };
}

const ONE = amountOf(1n);

/** The part of an amount that makes whole units with what was paid. An amount without such a part stays as it is. */
function payableIn(minorUnit: Amount, amount: Amount, paid: Amount): Amount {
  const [allUnits, coinUnits] = [unitsOf(amount) + unitsOf(paid), unitsOf(minorUnit)];
  const restUnits = allUnits % coinUnits;
  const payableUnits = unitsOf(amount) - restUnits;
  return payableUnits <= 0n ? amount : amountOf(payableUnits);
}

/** What the payment settles, where the report says so exactly. */
function settledBy(
  terms: PayoutTerms,
  { amount, paid }: ReportedPayout,
): { readonly ok: true; readonly discharged: Amount | undefined } | Contradiction {
  if (paid === undefined) return { ok: true, discharged: amount };
  const units = tokenUnits(terms, paid);
  if (units !== undefined) {
    if (amount === undefined || amount === units) return { ok: true, discharged: units };
    return wrong('amount', `is ${amount} units of the token, but paid comes to ${units}.`);
  }
  const isInCurrency = isSameAsset(paid.asset, { currency: terms.currency });
  if (isInCurrency && terms.conversion === 'CUSTODIAN') return { ok: true, discharged: amount };
  if (isInCurrency)
    return wrong('paid', `is no whole number of units of ${assetName(terms.token)}, to which it is pegged.`);
  return wrong('paid', `must be of ${terms.currency} or of ${assetName(terms.token)}.`);
}

/** An amount in units of the token; undefined where there is no exact number of them. */
function tokenUnits(
  { token, decimals, currency, conversion }: PayoutTerms,
  money: Money,
): Amount | undefined {
  if (isSameAsset(money.asset, token)) return money.amount;
  const minor = minorDecimalsOf(currency);
  if (conversion !== 'PEGGED' || minor === undefined || !isSameAsset(money.asset, { currency }))
    return undefined;
  const scaledUnits = unitsOf(money.amount) * 10n ** BigInt(decimals);
  const minorUnits = 10n ** BigInt(minor);
  const convertedUnits = scaledUnits / minorUnits;
  const isExact = scaledUnits % minorUnits === 0n;
  return isExact && convertedUnits < 10n ** 78n ? amountOf(convertedUnits) : undefined;
}

function wrong(member: Contradiction['member'], detail: string): Contradiction {
  return { ok: false, member, detail: `${member} ${detail}` };
}

function assetName(asset: Asset): string {
  return 'currency' in asset ? asset.currency : `the token ${asset.address}`;
}

function peggedToo({ conversion, currency }: PayoutTerms): string {
  return conversion === 'PEGGED' ? ` or ${currency}` : '';
}
