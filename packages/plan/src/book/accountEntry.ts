import { defined } from '@fairway/values';
import { type Amount, unitsOf } from '../terms/amount.ts';
import { conversionOf, type Corridor } from '../terms/corridor.ts';
import { minorDecimalsOf } from '../terms/currencies.ts';
import { isSameAsset } from '../terms/money.ts';
import type { Movement } from '../plan/movement.ts';
import { standingMovements } from './ledger.ts';

/** The parts of a plan that decide how its movements are entries of the account that its custodian pays from. */
type PaidPlan = { readonly corridor: Pick<Corridor, 'target'>; readonly ledger?: readonly Movement[] };

/** An entry of an account. `minor`: how much the bank moved, in minor units of the currency. Absent: nobody told. */
type AccountEntry = { readonly minor?: bigint };

/**
 * The entry that a movement of a plan's ledger is in the account that its custodian pays from. Undefined for another
 * kind than a payout or a return, and for what a chain moved, or came back from there. A reversal is an entry
 * as the movement that it takes back is.
 *
 * A movement has the same amount for ever: it depends on the movements before it alone. An amount that was reported
 * counts first. Without it, a return has the amount of the payment that came back as a whole. That is the payment with
 * its reference, or any, if all with as many units were of one amount. Otherwise the units of a pegged token count,
 * rounded down to the minor unit.
 *
 * @example
 * ```ts
 * import { accountEntryOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const entries = (plan.ledger ?? []).map((movement) => accountEntryOf(plan, movement));
 * ```
 */
export function accountEntryOf(
  { corridor, ledger = [] }: PaidPlan,
  movement: Movement,
): AccountEntry | undefined {
  const { kind, reverses } = movement;
  if (kind !== 'PAYOUT' && kind !== 'RETURN') return undefined;
  const told = reverses === undefined ? movement : ledger.find(({ movementId }) => movementId === reverses);
  const { currency } = corridor.target;
  if (told === undefined || told.transfer !== undefined || minorDecimalsOf(currency) === undefined)
    return undefined;
  const reported = reportedMinor(told, currency);
  if (reported !== undefined) return { minor: unitsOf(reported) };
  const before = ledger.filter(({ seq }) => told.kind === 'RETURN' && seq < told.seq);
  const payments = standingMovements({ ledger: before }, 'PAYOUT');
  const origin =
    payments.findLast((payment) => payment.providerReference === told.providerReference) ?? payments.at(-1);
  if (origin?.transfer !== undefined) return undefined;
  const paid = originMinor(origin, told, currency) ?? minorAlike(payments, told, currency);
  return defined({ minor: paid === undefined ? peggedMinor(corridor, told) : unitsOf(paid) });
}

function reportedMinor({ paid }: Movement, currency: string): Amount | undefined {
  return paid !== undefined && isSameAsset(paid.asset, { currency }) ? paid.amount : undefined;
}

/** The amount of the payment that came back as a whole, by its reference. */
function originMinor(
  origin: Movement | undefined,
  { actual, providerReference }: Movement,
  currency: string,
): Amount | undefined {
  if (origin === undefined || providerReference === undefined) return undefined;
  const isWhole = origin.actual === actual && origin.providerReference === providerReference;
  return isWhole ? reportedMinor(origin, currency) : undefined;
}

/** The amount of all payments with as many units as came back, if it is one. */
function minorAlike(
  payments: readonly Movement[],
  { actual }: Movement,
  currency: string,
): Amount | undefined {
  const alike = payments.filter((payment) => payment.actual === actual);
  const [minor, ...others] = new Set(alike.map((payment) => reportedMinor(payment, currency)));
  return others.length === 0 ? minor : undefined;
}

/** As many whole minor units of the currency as the units of a pegged token hold; undefined without such a currency. */
export function peggedMinor({ target }: PaidPlan['corridor'], { actual }: Movement): bigint | undefined {
  const { currency, decimals } = target;
  const minorDecimals = minorDecimalsOf(currency);
  if (conversionOf({ target }) !== 'PEGGED' || decimals === undefined || minorDecimals === undefined)
    return undefined;
  const scaledUnits = unitsOf(actual) * 10n ** BigInt(minorDecimals);
  const wholeUnits = 10n ** BigInt(decimals);
  return scaledUnits / wholeUnits;
}
