import { toAddress } from '@fairway/engine';
import {
  type Amount,
  convertedAt,
  conversionOf,
  minorDecimalsOf,
  type Plan,
  type Rate,
  type RecipientType,
  type TimeMs,
  ZERO,
  payoutOf,
} from '@fairway/plan';
import { offeredTypes } from '../corridors/offeredTypes.ts';
import type { PaymentParts } from '../paymentParts.ts';

/** Who converts the money of a plan, and to which currency. */
export type PlanConversion = { readonly custodian: string; readonly currency: string };

/**
 * Who converts the money of a plan; undefined where nobody does. `paidTo`: the type of the destination; until it is
 * chosen, the answer is for the accounts that can be chosen.
 */
export function conversionFor(plan: Plan, paidTo?: RecipientType): PlanConversion | undefined {
  if (conversionOf(plan.corridor) === 'PEGGED' || paidTo === 'wallet') return undefined;
  if (paidTo === undefined && offeredTypes(plan).every((type) => type === 'wallet')) return undefined;
  const { custodian, currency } = plan.corridor.target;
  return { custodian, currency };
}

/** What a payout may come to. `amount`: minor units of `currency`. `source`: the origin of where the rate was read. */
export type Estimate = {
  readonly amount: Amount;
  readonly currency: string;
  readonly rate: Rate;
  readonly asOfMs: TimeMs;
  readonly source: string;
};

/**
 * What the payout of a plan may come to in the currency that its custodian converts it to. Undefined where nobody
 * converts it, once it was paid or sent, and without a rate that is young enough.
 */
export function estimateOf({ chains, rateFor }: EstimateParts, plan: Plan): Estimate | undefined {
  const { corridor } = plan;
  const due = duePayout(plan);
  if (due === undefined || conversionFor(plan, due.paidTo) === undefined) return undefined;
  const { chainId, token, currency } = corridor.target;
  const current = rateFor(corridor);
  const from = chains.get(chainId)?.follower.tokens.get(toAddress(token))?.decimals;
  const to = minorDecimalsOf(currency);
  if (current === undefined || from === undefined || to === undefined) return undefined;
  const amount = convertedAt(due.amount, current.rate, { from, to });
  return amount === undefined || amount === ZERO ? undefined : { amount, currency, ...current };
}

type EstimateParts = Pick<PaymentParts, 'chains' | 'rateFor'>;

/**
 * The amount that is still to be paid, and the type of recipient, where it is known; undefined when the payment is
 * under way.
 */
function duePayout(plan: Plan): { readonly amount: Amount; readonly paidTo?: RecipientType } | undefined {
  if (plan.ended !== undefined) return undefined;
  const step = plan.steps.at(-1);
  switch (step?.type) {
    case 'CUSTODIAN_PAYOUT':
      return step.status === 'DONE'
        ? undefined
        : { amount: payoutOf(plan).left, paidTo: plan.recipient.type };
    case 'SEND_DIGITAL_COLLECT': {
      const { destination, delivery } = step;
      if (delivery !== undefined && delivery.status !== 'PENDING' && delivery.status !== 'FAILED')
        return undefined;
      // After a failed delivery the recipient chooses again.
      const isChosen = destination !== undefined && delivery?.status !== 'FAILED';
      const { left: amount } = payoutOf(plan);
      return isChosen ? { amount, paidTo: destination.type } : { amount };
    }
    default:
      return undefined;
  }
}
