import { needsApproval } from '../plan/approvalRules.ts';
import type { Next, NextWhy } from './codes.ts';
import type { Plan } from '../plan/types.ts';

/** The actions about the deposit, which may be sent before the payment is approved. */
const OF_DEPOSIT: readonly NextWhy[] = [
  'DEPOSIT_MISSING',
  'DEPOSIT_PARTIAL',
  'DEPOSIT_CONFIRMING',
  'DEPOSIT_LOST',
];

/** The actions that a plan without approval does not ask for: all that would swap the money or pay it out. */
const HELD_BACK: readonly NextWhy[] = [
  ...OF_DEPOSIT,
  'INSTRUCTIONS_DUE',
  'PRICE_BELOW_FLOOR',
  'SWAP_DUE',
  'INSTRUCTIONS_EXPIRED',
  'PAYOUT_DUE',
  'LINKS_USED_UP',
  'PAYMENT_SENT',
];

/** An action of a plan, or in its place that the payment has to be approved first. */
export function afterApproval(plan: Plan, action: Next | undefined): Next | undefined {
  const { approval } = plan;
  if (approval === undefined || action === undefined || !needsApproval(plan)) return action;
  if (!HELD_BACK.includes(action.why)) return action;
  const besides = OF_DEPOSIT.includes(action.why)
    ? ` The deposit may come before that. ${action.detail}`
    : '';
  const detail = `Look at the recipient and the amount, and approve version ${approval.version} of this payment with another credential than the one that made it; until then no instructions are given out and nothing is to be paid.${besides}`;
  // The deadline of what is held back is none of the approval.
  return { stepId: action.stepId, why: 'NOT_APPROVED', detail };
}
