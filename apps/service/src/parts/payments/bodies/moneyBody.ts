import { toAddress } from '@fairway/engine';
import {
  type Asset,
  directionOf,
  fundsOf,
  isTransferOnly,
  type Money,
  type Movement,
  payoutOf,
  type Plan,
  unitsOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type {
  Asset as AssetView,
  AssetFunds,
  Movement as MovementView,
  PaymentPlan,
  PaymentStep,
} from '@fairway/wire';
import { type TokenBody, tokenBody } from '../../../platform/chains/tokenBody.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { eip55, timestampOf } from '@fairway/api';

/** Where the money of a plan is, in the form of the API: what came, what went, what is left, and what is unexplained. */
export function moneyOf(plan: Plan, chains: Chains): PaymentPlan['money'] {
  return fundsOf(plan).map((funds) => {
    const { asset, received, swapped, returned, paidOut, refunded, deducted } = funds;
    if ('currency' in asset) throw new Error('The ledger of a plan counts tokens.');
    const [spent, brought] = [unitsOf(swapped.in), unitsOf(swapped.out)];
    // Where nothing is swapped, the payer's token goes to the custodian as it is: that is one way of the same money.
    const moved = isTransferOnly(plan.corridor) ? leastOf(spent, brought) : 0n;
    const came = unitsOf(received) + brought - moved + unitsOf(returned);
    const went = spent - moved + unitsOf(paidOut) + unitsOf(refunded) + unitsOf(deducted);
    const unexplained = funds.unallocated
      .filter(({ acknowledged }) => !acknowledged)
      .reduce((sum, { amount, direction }) => sum + (direction === 'IN' ? 1n : -1n) * unitsOf(amount), 0n);
    return {
      asset: planToken(asset, chains),
      in: String(came),
      out: String(went),
      left: String(came - went),
      unexplained: String(unexplained),
    };
  });
}

function leastOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The chains that have been read, by id: they know what tokens are called. */
export type Chains = PaymentParts['chains'];

/** A token of a plan in the form of the API. */
export function planToken(asset: Asset, chains: Chains): TokenBody {
  if ('currency' in asset) throw new Error('A currency is no token.');
  return tokenBody(asset.chainId, toAddress(asset.address), chains.get(asset.chainId));
}

/** What makes up the money of a plan, in the form of the API. */
export function fundsBody(plan: Plan, chains: Chains): AssetFunds[] {
  return fundsOf(plan).map(({ asset, unallocated, ...amounts }) => ({
    asset: planToken(asset, chains),
    ...amounts,
    unallocated: unallocated.map((entry) => ({ ...entry, asset: planToken(entry.asset, chains) })),
  }));
}

/** The token or currency of an amount, in the form of the API. */
function assetBody(asset: Asset, chains: Chains): AssetView {
  return 'currency' in asset ? { ...asset } : planToken(asset, chains);
}

/** A movement of money in the form of the API. */
export function movementBody(movement: Movement, chains: Chains): MovementView {
  const { movementId, kind, asset, actual, recordedAtMs, verification, reverses } = movement;
  const { stepId, attempt, expected, rate, providerReference, endToEndId, reason, note } = movement;
  const { paid, fee, transfer, occurredAtMs } = movement;
  return {
    movementId,
    kind,
    direction: directionOf(movement),
    asset: assetBody(asset, chains),
    actual,
    recordedAt: timestampOf(recordedAtMs),
    verification,
    ...defined({ stepId, attempt, expected, rate, providerReference, endToEndId, reason, note, reverses }),
    ...defined({
      paid: paid && moneyBody(paid, chains),
      fee: fee && moneyBody(fee, chains),
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
  chains: Chains,
): Pick<PaymentStep, 'paid' | 'fee' | 'rate' | 'deductions'> {
  const { payouts, deductions } = payoutOf(plan);
  const { paid, fee, rate } = payouts.at(-1) ?? {};
  const kept = deductions.map(({ actual, asset, note = '' }) => ({
    ...moneyBody({ amount: actual, asset }, chains),
    reason: note,
  }));
  return defined({
    paid: paid && moneyBody(paid, chains),
    fee: fee && moneyBody(fee, chains),
    rate,
    deductions: kept.length === 0 ? undefined : kept,
  });
}

/** Money in the form of the API. */
export function moneyBody({ amount, asset }: Money, chains: Chains) {
  return { amount, asset: assetBody(asset, chains) };
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
