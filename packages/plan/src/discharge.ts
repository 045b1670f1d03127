import { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from './amount.ts';
import type { Conversion } from './corridor.ts';
import { minorDecimalsOf } from './currencies.ts';
import { type Asset, isSameAsset, type Money } from './money.ts';

/** Money that was kept back from a payout, and why. */
export type Deduction = Money & { readonly reason: string };

/** What a report tells of the amounts of a payout. `amount`: units of the token that the custodian pays from. */
export type ToldAmounts = {
  readonly amount?: Amount;
  readonly paid?: Money;
  readonly deductions?: readonly Deduction[];
};

/** What a payout is made from, and how that becomes the currency that is paid. `decimals`: of the token. */
export type PayoutTerms = {
  readonly due: Amount;
  readonly token: Asset;
  readonly decimals: number;
  readonly currency: string;
  readonly conversion: Conversion;
};

/**
 * How a report accounts for the amount that is due, in units of the token: what the payment settles of it, what was kept
 * back with a reason, and what nobody has explained. A payment above what is due settles more than that.
 */
export type Discharge = {
  readonly discharged: Amount;
  readonly deducted: Amount;
  readonly missing: Amount;
};

/** A discharge, or the member of the report that contradicts the plan or the rest of the report. */
export type DischargeAnswer =
  | { readonly ok: true; readonly discharge: Discharge }
  | { readonly ok: false; readonly member: keyof ToldAmounts; readonly detail: string };

/**
 * How a report on a payout accounts for the amount that is due. A report without amounts settles all of it, less its
 * deductions. So does one that tells what was paid in a currency that the custodian converted to, unless `amount` says
 * less: there is no exact rate to compare it with. What was paid in the token, or in a currency that it is pegged to,
 * settles as much as it is. Deductions explain what is missing, and no more than that.
 *
 * @example
 * ```ts
 * import { amountOf, dischargeOf, type PayoutTerms } from '@fairway/plan';
 *
 * declare const terms: PayoutTerms; // 250 USDC are due, which the custodian converts to PHP
 * const answer = dischargeOf(terms, { amount: amountOf(245_000_000n) });
 * if (answer.ok) console.log(answer.discharge.missing); // '5000000': somebody has to explain 5 USDC
 * ```
 */
export function dischargeOf(terms: PayoutTerms, told: ToldAmounts): DischargeAnswer {
  const { due } = terms;
  const deductions = (told.deductions ?? []).map((each) => tokenUnits(terms, each));
  if (!deductions.every((units) => units !== undefined))
    return wrong('deductions', `must be of ${assetName(terms.token)}${peggedToo(terms)}.`);
  const deducted = sumOf(deductions);
  if (isLess(due, deducted))
    return wrong('deductions', `come to ${deducted} units of the token, but ${due} are due.`);
  const settled = settledBy(terms, told, amountOf(unitsOf(due) - unitsOf(deducted)));
  if (!settled.ok) return settled;
  const { discharged } = settled;
  const missing = unitsOf(due) - unitsOf(discharged) - unitsOf(deducted);
  if (missing < 0n && deducted !== ZERO)
    return wrong(
      'deductions',
      `come to ${deducted} units of the token, but ${discharged} of the ${due} that are due were paid.`,
    );
  return {
    ok: true,
    discharge: { discharged, deducted, missing: missing > 0n ? amountOf(missing) : ZERO },
  };
}

type Settled =
  | { readonly ok: true; readonly discharged: Amount }
  | Extract<DischargeAnswer, { readonly ok: false }>;

/** What the payment settles. `rest`: what is due beside the deductions. */
function settledBy(terms: PayoutTerms, { amount, paid }: ToldAmounts, rest: Amount): Settled {
  if (paid === undefined) return { ok: true, discharged: amount ?? rest };
  const units = tokenUnits(terms, paid);
  if (units !== undefined) {
    if (amount === undefined || amount === units) return { ok: true, discharged: units };
    return wrong('amount', `is ${amount} units of the token, but paid comes to ${units}.`);
  }
  const isInCurrency = isSameAsset(paid.asset, { currency: terms.currency });
  if (isInCurrency && terms.conversion === 'CUSTODIAN') return { ok: true, discharged: amount ?? rest };
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
  const scaled = unitsOf(money.amount) * 10n ** BigInt(decimals);
  const unit = 10n ** BigInt(minor);
  return scaled % unit === 0n && scaled / unit < 10n ** 78n ? amountOf(scaled / unit) : undefined;
}

function wrong(member: keyof ToldAmounts, detail: string): Extract<DischargeAnswer, { ok: false }> {
  return { ok: false, member, detail: `${member} ${detail}` };
}

function assetName(asset: Asset): string {
  return 'currency' in asset ? asset.currency : `the token ${asset.address}`;
}

function peggedToo({ conversion, currency }: PayoutTerms): string {
  return conversion === 'PEGGED' ? ` or ${currency}` : '';
}
