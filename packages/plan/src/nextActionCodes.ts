import type { StepId, TimeMs } from './scalars.ts';

/** What has to happen next, and who has to do it. */
export type NextAction = {
  readonly stepId: StepId;
  readonly actor: 'INTEGRATOR' | 'RECIPIENT' | 'SERVICE';
  readonly what: NextActionCode;
  /** The same as a sentence. */
  readonly detail: string;
  readonly deadlineMs?: TimeMs;
};

/** The code of a next action. The API has the same words: `packages/wire/src/nextActions.ts` says what each means. */
export type NextActionCode =
  | 'APPROVE_PAYMENT'
  | 'SEND_DEPOSIT'
  | 'TOP_UP_DEPOSIT'
  | 'CONFIRM_DEPOSIT'
  | 'DERIVE_INSTRUCTIONS'
  | 'WAIT_FOR_PRICE'
  | 'EXECUTE_INSTRUCTIONS'
  | 'WAIT_FOR_EXECUTION'
  | 'REFRESH_INSTRUCTIONS'
  | 'FIND_TRANSACTION'
  | 'CONFIRM_TRANSACTION'
  | 'PAY_OUT'
  | 'RESOLVE_HOLD'
  | 'REVIEW_PAYOUT'
  | 'SEND_LINK'
  | 'COLLECT'
  | 'REISSUE_LINK'
  | 'SETTLE_DIRECTLY'
  | 'DELIVER'
  | 'RETRY_STEP'
  | 'CATCHING_UP'
  | 'REPLACE_RECIPIENT'
  | 'REVIEW_FUNDS'
  | 'CLOSE_PLAN';

/**
 * When it is asked what has to happen next. `isCatchingUp`: the record of the plan's chain is behind, so that money may
 * have moved that the plan does not show yet.
 */
export type Moment = { readonly nowMs: TimeMs; readonly isCatchingUp?: boolean };
