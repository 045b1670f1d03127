import type { StepId, TimeMs } from '../terms/scalars.ts';

/** What has to happen next: why, and the same as a sentence. `why` says what is to be done and by whom. */
export type Next = {
  readonly stepId: StepId;
  readonly why: NextWhy;
  readonly detail: string;
  readonly deadlineMs?: TimeMs;
  /** In place of those of `why`, where the state takes others. */
  readonly options?: readonly NextOption[];
};

/** Why something has to happen next. */
export type NextWhy =
  | 'NOT_APPROVED'
  | 'DEPOSIT_MISSING'
  | 'DEPOSIT_PARTIAL'
  | 'DEPOSIT_CONFIRMING'
  | 'DEPOSIT_LOST'
  | 'ADDRESS_LOST'
  | 'OLDER_MONEY'
  | 'INSTRUCTIONS_DUE'
  | 'PRICE_BELOW_FLOOR'
  | 'SWAP_DUE'
  | 'INSTRUCTIONS_EXPIRED'
  | 'TRANSACTION_PENDING'
  | 'TRANSACTION_CONFIRMING'
  | 'TRANSACTION_LOST'
  | 'PAYOUT_DUE'
  | 'PAYOUT_HELD'
  | 'PAYMENT_SENT'
  | 'PAYMENT_UNCLEAR'
  | 'SEND_LINK'
  | 'RECIPIENT_CHOOSES'
  | 'LINK_FAILED'
  | 'LINK_ENDED'
  | 'LINKS_USED_UP'
  | 'STEP_FAILED'
  | 'ACCOUNT_REFUSED'
  | 'MONEY_RETURNED'
  | 'REFUND_LOST'
  | 'DEPOSIT_UNCLEAR'
  | 'MONEY_UNEXPLAINED'
  | 'NOTHING_LEFT'
  | 'CATCHING_UP';

/** An action that is to be taken. DECIDE: a person chooses among calls. WAIT: nothing but to look again later. */
export type NextDo = 'SEND' | 'EXECUTE' | 'PAY' | 'DECIDE' | 'APPROVE' | 'ASK' | 'WAIT';
/** Who is to do it. */
export type NextBy = 'INTEGRATOR' | 'PAYER' | 'CUSTODIAN' | 'RECIPIENT' | 'APPROVER' | 'SERVICE' | 'CHAIN';
/** A call that answers a DECIDE, or ends a WAIT that may not end by itself: the last part of its path. */
export type NextOption = 'reports' | 'again' | 'refunds' | 'end';

/** What a reason asks for. */
type NextMeaning = {
  readonly do: NextDo;
  readonly by: NextBy;
  readonly options?: readonly NextOption[];
  /** Whether it moves money: while money may have moved unseen, it could be moved a second time. */
  readonly movesMoney: boolean;
};

/** A choice of the integrator, which always moves money or ends the plan. */
const decide = (...options: readonly NextOption[]): NextMeaning => ({
  do: 'DECIDE',
  by: 'INTEGRATOR',
  options,
  movesMoney: true,
});
const wait = (by: NextBy, movesMoney = false): NextMeaning => ({ do: 'WAIT', by, movesMoney });

/**
 * What each reason asks for, and of whom. The API has the same words: `packages/wire/src/next.ts` says when each holds.
 *
 * @example
 * ```ts
 * import { NEXT } from '@fairway/plan';
 *
 * const who = NEXT.DEPOSIT_MISSING.by; // 'PAYER'
 * ```
 */
export const NEXT: Readonly<Record<NextWhy, NextMeaning>> = {
  NOT_APPROVED: { do: 'APPROVE', by: 'APPROVER', movesMoney: false },
  DEPOSIT_MISSING: { do: 'SEND', by: 'PAYER', movesMoney: true },
  DEPOSIT_PARTIAL: { do: 'SEND', by: 'PAYER', movesMoney: true },
  DEPOSIT_CONFIRMING: wait('CHAIN'),
  DEPOSIT_LOST: wait('CHAIN'),
  ADDRESS_LOST: decide('end'),
  OLDER_MONEY: decide('reports', 'end'),
  INSTRUCTIONS_DUE: wait('SERVICE', true),
  PRICE_BELOW_FLOOR: { ...wait('SERVICE'), options: ['refunds', 'end'] },
  SWAP_DUE: { do: 'EXECUTE', by: 'INTEGRATOR', movesMoney: true },
  INSTRUCTIONS_EXPIRED: decide('again', 'reports', 'refunds', 'end'),
  TRANSACTION_PENDING: { ...wait('CHAIN'), options: ['reports', 'end'] },
  TRANSACTION_CONFIRMING: wait('CHAIN'),
  TRANSACTION_LOST: decide('reports', 'end'),
  PAYOUT_DUE: { do: 'PAY', by: 'CUSTODIAN', movesMoney: true },
  PAYOUT_HELD: wait('CUSTODIAN'),
  PAYMENT_SENT: wait('CUSTODIAN', true),
  PAYMENT_UNCLEAR: decide('reports', 'refunds', 'end'),
  SEND_LINK: wait('SERVICE'),
  RECIPIENT_CHOOSES: { do: 'ASK', by: 'RECIPIENT', movesMoney: false },
  LINK_FAILED: { ...decide('again', 'end'), movesMoney: false },
  LINK_ENDED: decide('again', 'refunds', 'end'),
  LINKS_USED_UP: decide('refunds', 'end'),
  STEP_FAILED: decide('again', 'reports', 'refunds', 'end'),
  ACCOUNT_REFUSED: decide('again', 'refunds', 'end'),
  MONEY_RETURNED: decide('again', 'refunds', 'end'),
  REFUND_LOST: wait('CHAIN'),
  DEPOSIT_UNCLEAR: decide('refunds', 'reports', 'end'),
  MONEY_UNEXPLAINED: decide('refunds', 'end'),
  NOTHING_LEFT: decide('end'),
  CATCHING_UP: wait('SERVICE'),
};

/**
 * When it is asked what has to happen next. `isCatchingUp`: the record of the plan's chain is behind, so that money may
 * have moved that the plan does not show yet.
 */
export type Moment = { readonly nowMs: TimeMs; readonly isCatchingUp?: boolean };
