import type { EndReason, MovementKind, PlanStatus, UnallocatedReason } from '@fairway/plan';

/** How plans of the model stand at the end. */
export const STATUSES: readonly PlanStatus[] = [
  'IN_PROGRESS',
  'ACTION_REQUIRED',
  'COMPLETED',
  'RETURNED',
  'ENDED',
];

/** Why plans of the model ended. */
export const END_REASONS: readonly EndReason[] = ['EXPIRED', 'CANCELLED', 'OTHER', 'SETTLED_ELSEWHERE'];

/** How a plan stands, in the words of the second ledger: its status, or UNFUNDED while it asks for its first money. */
export function standingAs(status: string, why: string | undefined, deposit: string | undefined): string {
  const isAsked = why === 'DEPOSIT_MISSING' || why === 'DEPOSIT_PARTIAL';
  return isAsked && deposit === 'PENDING' ? 'UNFUNDED' : status;
}

/** Why nobody asked for money of theirs. */
export const REASONS: readonly UnallocatedReason[] = [
  'ABOVE_AMOUNT',
  'AFTER_SWAP',
  'AFTER_END',
  'LEFT_AT_CLOSE',
  'OTHER_TOKEN',
  'SECOND_EXECUTION',
  'SWAP_WITHOUT_DEPOSIT',
  'PAID_WITHOUT_SWAP',
  'PAID_ABOVE_DUE',
];

/** How money of theirs moves. */
export const KINDS: readonly MovementKind[] = [
  'DEPOSIT',
  'SWAP_IN',
  'SWAP_OUT',
  'PAYOUT',
  'RETURN',
  'REFUND',
  'DEDUCTION',
];

/** Which movements are taken back: by a reorganisation, or by a correction. */
export const TAKEN_BACK: readonly MovementKind[] = ['DEPOSIT', 'SWAP_IN', 'SWAP_OUT', 'PAYOUT', 'DEDUCTION'];
