import type { MovementKind, PlanStatus, UnallocatedReason } from '@fairway/plan';

/** How plans of the model stand at the end. FAILED is rare. */
export const STATUSES: readonly PlanStatus[] = [
  'PENDING',
  'IN_PROGRESS',
  'ACTION_REQUIRED',
  'COMPLETED',
  'EXPIRED',
  'CANCELLED',
  'RETURNED',
  'CLOSED',
];

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
