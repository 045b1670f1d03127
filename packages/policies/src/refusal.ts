import type { UnsafeReason } from '@fairway/sdk/checks';

/**
 * Why something is not signed. ANSWER_…: the calls do something else than what was asked for, or are not understood. The
 * others: a rule of the policy refuses what was asked for.
 */
export type RefusalCode =
  | `ANSWER_${UnsafeReason}`
  | 'ANSWER_TAG'
  | 'CHAIN_NOT_ALLOWED'
  | 'TOKEN_NOT_ALLOWED'
  | 'RECIPIENT_NOT_ALLOWED'
  | 'AMOUNT_ABOVE_MOST'
  | 'WINDOW_AMOUNT'
  | 'WINDOW_COUNT'
  | 'USAGE_UNKNOWN'
  | 'OPTIMALITY_GAP'
  | 'TRUST'
  | 'SLIPPAGE'
  | 'NOT_SIMULATED'
  | 'SIMULATION_FAILED'
  | 'SIMULATION_DIFFERS'
  | 'GAS_ABOVE_MOST'
  | 'BALANCE_NOT_KEPT'
  | 'TOP_UP_NOT_ALLOWED'
  | 'MESSAGE_NOT_ALLOWED'
  | 'TYPED_DATA_NOT_ALLOWED'
  | 'GRANTS_SPENDING';

/** A refusal, with the name of the rule that refuses, and plain words. */
export type Refusal = { readonly code: RefusalCode; readonly rule: string; readonly detail: string };
