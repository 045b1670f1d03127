import { type Asset, isSameAsset, NATIVE_CURRENCY, roundingNote, unitsOf } from '@fairway/plan';
import type { PeriodMovement } from '@fairway/store';
import type { AccountRole } from '@fairway/wire';

/** A line of a journal: a debit where `units` are positive, else a credit. */
export type JournalLine = { readonly role: AccountRole; readonly asset: Asset; readonly units: bigint };

/**
 * The lines of a movement. In each asset they add up to nothing, and those of what takes a movement back are those of
 * the movement with the other sign. Money that
 * changes its asset passes the account of foreign exchange, so no rate is needed.
 */
export function journalLines(reported: PeriodMovement): readonly JournalLine[] {
  const { movement } = reported;
  const sign = movement.reverses === undefined ? 1n : -1n;
  return [...moneyLines(reported), ...feeLines(reported), ...gasLines(reported)]
    .filter(({ units }) => units !== 0n)
    .map((line) => ({ ...line, units: sign * line.units }));
}

/** A credit of one account and a debit of another one. */
function moved(from: AccountRole, to: AccountRole, asset: Asset, units: bigint): readonly JournalLine[] {
  return [
    { role: to, asset, units },
    { role: from, asset, units: -units },
  ];
}

function moneyLines(reported: PeriodMovement): readonly JournalLine[] {
  const { movement, note, currency } = reported;
  const { kind, side, asset, actual } = movement;
  const units = unitsOf(actual);
  switch (kind) {
    case 'DEPOSIT':
      return moved('funding', 'inTransit', asset, units);
    case 'SWAP_IN':
      return moved('inTransit', 'fx', asset, units);
    case 'SWAP_OUT':
      return moved('fx', 'custodian', asset, units);
    case 'PAYOUT':
      return paidLines(reported);
    case 'RETURN':
      return paidLines(reported).map((line) => ({ ...line, units: -line.units }));
    case 'REFUND':
      return moved(side === 'SOURCE' ? 'inTransit' : 'custodian', 'funding', asset, units);
    case 'DEDUCTION':
      return moved('custodian', note === roundingNote(currency) ? 'rounding' : 'fees', asset, units);
  }
}

/** What the beneficiary was paid: in the currency that the bank moves, where its amount is known, else in the token. */
function paidLines({ movement: { asset, actual }, entry, currency }: PeriodMovement): readonly JournalLine[] {
  const units = unitsOf(actual);
  const paid: Asset = { currency };
  if (entry?.minor === undefined || isSameAsset(asset, paid))
    return moved('custodian', 'payee', asset, units);
  return [...moved('fx', 'payee', paid, entry.minor), ...moved('custodian', 'fx', asset, units)];
}

/** What the custodian charged beside the payment, or took of what it converted. */
function feeLines({ fee }: PeriodMovement): readonly JournalLine[] {
  return fee === undefined ? [] : moved('custodian', 'fees', fee.asset, unitsOf(fee.amount));
}

/** The gas of the transaction, which the wallet that sends it pays. */
function gasLines({ gas, movement: { transfer } }: PeriodMovement): readonly JournalLine[] {
  if (gas?.costWei === undefined || transfer === undefined) return [];
  const native: Asset = { chainId: transfer.chainId, address: NATIVE_CURRENCY };
  return moved('funding', 'gas', native, unitsOf(gas.costWei));
}
