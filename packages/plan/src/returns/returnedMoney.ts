import { defined } from '@fairway/values';
import { amountOf, leastOf, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { peggedMinor } from '../book/accountEntry.ts';
import { changed, mismatch, unchanged } from '../plan/rulings.ts';
import type { Ruling, ToldReturn } from '../plan/commands.ts';
import { netPaidOf } from '../book/equations.ts';
import { paidToAccount, payoutOf, payoutRow, restsOn } from '../book/payout.ts';
import { reversalOf, standingMovements, withMovements } from '../book/ledger.ts';
import { isSameAsset, type Money } from '../terms/money.ts';
import type { Movement } from '../plan/movement.ts';
import { lastStep, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { PLAIN_WORDS } from '../terms/words.ts';
import type { Plan, Return } from '../plan/types.ts';
import { begunTurn } from '../book/payoutTurn.ts';

/** Whether a return is known: by its reference or, when neither has one, by amount and time. */
export function isSameReturn(known: Return, told: Omit<ToldReturn, 'returned'>): boolean {
  if (known.providerReference !== undefined || told.providerReference !== undefined)
    return known.providerReference === told.providerReference;
  return known.amount === told.amount && known.occurredAtMs === told.occurredAtMs;
}

/** Whether a return is recorded. */
export function isReturnKnown({ returns }: Plan, told: Omit<ToldReturn, 'returned'>): boolean {
  return returns.some((known) => isSameReturn(known, told));
}

/** The movement of a return that is recorded, once the ledger has it. */
export function movementOfReturn(plan: Plan, told: ToldReturn): Movement | undefined {
  const known = plan.returns.find((each) => isSameReturn(each, told));
  return standingMovements(plan, 'RETURN').find(
    ({ providerReference, occurredAtMs }) =>
      known !== undefined &&
      providerReference === known.providerReference &&
      occurredAtMs === known.occurredAtMs,
  );
}

/**
 * A known return is reported again. If its amount in the currency was not reported before, it is added: the movement is
 * taken back, and recorded with that amount.
 */
export function onReturnReportedAgain(plan: Plan, told: ToldReturn, atMs: TimeMs): Ruling {
  const row = movementOfReturn(plan, told);
  if (told.returned === undefined || row === undefined || row.paid !== undefined) return unchanged(plan);
  const { movementId: _id, seq: _seq, recordedAtMs: _at, ...same } = row;
  return changed(withMovements(plan, [reversalOf(row), { ...same, paid: told.returned }], atMs));
}

/**
 * The plan with money that came back, and that the ledger has not. No more comes back than was paid, whatever was told;
 * where nothing was told, all that this attempt has paid is back. `paid`: what came back in the currency.
 */
export function withReturn(
  plan: Plan,
  told: Omit<Return, 'recordedAtMs'>,
  paid: Money | undefined,
  atMs: TimeMs,
): Plan {
  const returns = [...plan.returns, { ...told, recordedAtMs: atMs }];
  const { paidOut } = payoutOf(plan);
  const { amount = paidOut === ZERO ? sumOf(paidToAccount(plan).map(({ actual }) => actual)) : paidOut } =
    told;
  const units = leastOf([unitsOf(amount), netPaidOf(plan)]);
  if (units <= 0n) return { ...plan, returns };
  const row = { ...payoutRow(plan, 'RETURN', told), actual: amountOf(units), ...defined({ paid }) };
  return withMovements({ ...plan, returns }, [row], atMs);
}

/** What came back by a return in the currency: as it was told, else what the payment was that came back as a whole. */
export function returnedMoneyOf(plan: Plan, row: Movement): Money | undefined {
  if (row.paid !== undefined) return row.paid;
  const whole = wholePayments(plan, row);
  const [first] = whole;
  return whole.every(({ paid }) => paid !== undefined && paid.amount === first?.paid?.amount)
    ? first?.paid
    : undefined;
}

/** The payments of which a return can be the whole: the one with its reference, else all of as many units that were made before. */
function wholePayments(plan: Plan, row: Movement): readonly Movement[] {
  const alike = standingMovements(plan, 'PAYOUT').filter(
    ({ seq, actual }) => seq < row.seq && actual === row.actual,
  );
  const named = alike.filter(({ providerReference }) => providerReference === row.providerReference);
  return named.length > 0 ? named.slice(-1) : alike;
}

/** Why what is told of a return in the currency cannot be so; undefined when it can. `plan`: with the movement of the return. */
export function refuseReturnedMoney(plan: Plan, told: ToldReturn): Ruling | undefined {
  const { returned } = told;
  const row = movementOfReturn(plan, told);
  if (returned === undefined || row === undefined) return undefined;
  const { currency } = plan.corridor.target;
  const minorUnits = peggedMinor(plan.corridor, row);
  const minor = minorUnits === undefined ? undefined : amountOf(minorUnits);
  if (minor !== undefined && minor !== returned.amount)
    return mismatch(
      `The report says that ${moneyText(returned)} came back (returned), but the ${row.actual} units that did are ${moneyText({ ...returned, amount: minor })}. Give that in returned or leave it out, or say in amount how many units came back.`,
    );
  const accounts = standingMovements(plan, 'PAYOUT').filter(({ transfer }) => transfer === undefined);
  if (accounts.length === 0)
    return mismatch(
      `The member returned is what came back of a payment to an account in ${currency}, but a wallet was paid. Leave returned out; amount says how much it was.`,
    );
  const whole = wholePayments(plan, row);
  const isKnown = whole.length > 0 && whole.every(({ paid }) => paid !== undefined);
  if (isKnown && !whole.some(({ paid }) => paid !== undefined && isSameMoney(paid, returned)))
    return mismatch(
      `The report says that ${moneyText(returned)} came back (returned), but the whole payment of ${row.actual} units did, by which the beneficiary was paid ${whole.map(({ paid }) => paid && moneyText(paid)).join(' or ')}. Give that in returned or leave it out; if only a part came back, say in amount how many units that was.`,
    );
  const paidUnits = sumOfMoney(accounts.map(({ paid }) => paid));
  if (paidUnits === undefined) return undefined;
  const others = standingMovements(plan, 'RETURN').filter(({ movementId }) => movementId !== row.movementId);
  const backUnits = sumOfMoney(others.flatMap((each) => returnedMoneyOf(plan, each) ?? [])) ?? 0n;
  const leftUnits = paidUnits - backUnits;
  if (unitsOf(returned.amount) <= leftUnits) return refuseFarOff(row, returned, accounts);
  const left = amountOf(leftUnits > 0n ? leftUnits : 0n);
  return mismatch(
    `The report says that ${moneyText(returned)} came back (returned), but ${moneyText({ ...returned, amount: left })} were paid and are not back yet. Give in returned what came back, in minor units of ${currency}.`,
  );
}

/**
 * The refusal of a return that is more than twice, or less than half, of what each payment came to for as many units.
 * Fees and another rate explain less than that, and an amount in the wrong unit is further off.
 */
function refuseFarOff(
  { actual }: Movement,
  returned: Money,
  payments: readonly Movement[],
): Ruling | undefined {
  const isNear = (payment: Movement) => {
    const [minorUnits, backUnits] = [unitsOf(payment.actual), unitsOf(actual)];
    const [toldUnits, paidUnits] = [unitsOf(returned.amount), unitsOf(payment.paid?.amount ?? ZERO)];
    const [toldRateUnits, paidRateUnits] = [toldUnits * minorUnits, paidUnits * backUnits];
    return (
      toldRateUnits <= paidRateUnits * 2n + minorUnits && paidRateUnits <= toldRateUnits * 2n + minorUnits
    );
  };
  const [last] = payments.slice(-1);
  if (last?.paid === undefined || payments.some(isNear)) return undefined;
  return mismatch(
    `The report says that ${moneyText(returned)} came back (returned) with ${actual} units, but ${moneyText(last.paid)} were paid for ${last.actual} units. Give in amount how many units of the token came back, and in returned how much that was.`,
  );
}

/** What amounts of a currency come to; undefined where one is not known, or is of a token. */
function sumOfMoney(all: readonly (Money | undefined)[]): bigint | undefined {
  let sum = 0n;
  for (const money of all) {
    if (money === undefined || !('currency' in money.asset)) return undefined;
    sum += unitsOf(money.amount);
  }
  return sum;
}

/** Whether two amounts of money are the same. */
export function isSameMoney(a: Money, b: Money): boolean {
  return a.amount === b.amount && isSameAsset(a.asset, b.asset);
}

/** An amount of money as refusals say it. */
export function moneyText({ amount, asset }: Money): string {
  return PLAIN_WORDS.amount(amount, asset);
}

/**
 * Records money of an earlier attempt to pay that comes back while another attempt is under way. Undefined where all that earlier attempts paid is back. `money`: what
 * came back in the currency.
 */
export function recordEarlierReturn(
  plan: Plan,
  told: Omit<Return, 'recordedAtMs'>,
  money: Money | undefined,
  atMs: TimeMs,
): Ruling | undefined {
  const paidBefore = netPaidOf(plan) - unitsOf(restsOn(plan));
  if (paidBefore <= 0n) return undefined;
  const { amount } = told;
  if (amount === undefined)
    return mismatch(
      'Another attempt to pay has begun since: say how much came back (amount, in units of the token).',
    );
  const units = unitsOf(amount);
  if (units > paidBefore)
    return mismatch(
      `The report says that ${units} units came back, ${paidBefore} of earlier payments are not back yet. Give the amount that came back.`,
    );
  // As much more is due, and the attempt goes on.
  const next = withReturn(plan, told, money, atMs);
  const payout = { ...begunTurn(plan), returns: next.returns.length };
  return changed(withStep(next, { ...lastStep(next), payout }));
}
