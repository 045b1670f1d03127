import {
  type Acknowledged,
  type Asset,
  defined,
  directionOf,
  fundsOf,
  type Money,
  type Movement,
  type PayingStep,
  paymentsOf,
  type Plan,
} from '@fairway/plan';
import type {
  Acknowledged as AcknowledgedView,
  AssetFunds,
  Asset as AssetView,
  Movement as MovementView,
  PaymentStep,
} from '@fairway/wire';
import { eip55 } from '../text/eip55.ts';
import { timestampOf } from '../time/timestamp.ts';

/** Where the money of a plan is, in the form of the API. */
export function fundsBody(plan: Plan): AssetFunds[] {
  return fundsOf(plan).map(({ asset, unallocated, ...amounts }) => ({
    asset: assetBody(asset),
    ...amounts,
    unallocated: unallocated.map((entry) => ({ ...entry, asset: assetBody(entry.asset) })),
  }));
}

/** The token or currency of an amount, in the form of the API. */
export function assetBody(asset: Asset): AssetView {
  return 'currency' in asset ? { ...asset } : { chainId: asset.chainId, address: eip55(asset.address) };
}

/** A movement of money in the form of the API. */
export function movementBody(movement: Movement): MovementView {
  const { movementId, kind, asset, actual, recordedAtMs, verification, reverses } = movement;
  const { stepId, attempt, expected, rate, providerReference, endToEndId, reason, note } = movement;
  const { paid, fee, transfer, occurredAtMs } = movement;
  return {
    movementId,
    kind,
    direction: directionOf(movement),
    asset: assetBody(asset),
    actual,
    recordedAt: timestampOf(recordedAtMs),
    verification,
    ...defined({ stepId, attempt, expected, rate, providerReference, endToEndId, reason, note, reverses }),
    ...defined({
      paid: paid && moneyBody(paid),
      fee: fee && moneyBody(fee),
      transfer: transfer && transferBody(transfer),
      occurredAt: occurredAtMs === undefined ? undefined : timestampOf(occurredAtMs),
    }),
  };
}

/**
 * The payments to the accounts of a step, as reported: the amounts of the newest payment, and the deductions of all
 * payments.
 */
export function paymentsBody(
  plan: Plan,
  step: PayingStep,
): Pick<PaymentStep, 'paid' | 'fee' | 'rate' | 'deductions'> {
  const { payouts, deductions } = paymentsOf(plan, step);
  const { paid, fee, rate } = payouts.at(-1) ?? {};
  const kept = deductions.map(({ actual, asset, note = '' }) => ({
    ...moneyBody({ amount: actual, asset }),
    reason: note,
  }));
  return defined({
    paid: paid && moneyBody(paid),
    fee: fee && moneyBody(fee),
    rate,
    deductions: kept.length === 0 ? undefined : kept,
  });
}

/** Money that is named when a plan is closed, in the form of the API. */
export function acknowledgedBody({ amount, asset, direction }: Acknowledged): AcknowledgedView {
  return { amount, asset: assetBody(asset), ...(direction === 'OUT' ? { direction } : {}) };
}

/** Money in the form of the API. */
export function moneyBody({ amount, asset }: Money) {
  return { amount, asset: assetBody(asset) };
}

/** Where a movement is on its chain, in the form of the API. */
export function transferBody({ from, to, blockTimeMs, ...place }: NonNullable<Movement['transfer']>) {
  return {
    ...place,
    ...defined({
      from: from && eip55(from),
      to: to && eip55(to),
      blockTime: blockTimeMs === undefined ? undefined : timestampOf(blockTimeMs),
    }),
  };
}
