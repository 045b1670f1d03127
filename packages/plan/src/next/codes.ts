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
  /**
   * What it does to money. MOVES: while money may have moved unseen, it could be moved a second time. SPENDS: it pays out
   * what is there or gives it up, too, so it has to be certain first where that is.
   */
  readonly money: 'STAYS' | 'MOVES' | 'SPENDS';
  /** Without an approval, HELD_BACK would swap money or pay it out. The deposit may be sent BEFORE it. Absent: it goes on. */
  readonly approval?: 'HELD_BACK' | 'BEFORE';
};

const decide = (money: NextMeaning['money'], ...options: readonly NextOption[]): NextMeaning => ({
  do: 'DECIDE',
  by: 'INTEGRATOR',
  options,
  money,
});
const wait = (by: NextBy, money: NextMeaning['money'] = 'STAYS'): NextMeaning => ({ do: 'WAIT', by, money });
const heldBack = (meaning: NextMeaning): NextMeaning => ({ ...meaning, approval: 'HELD_BACK' });
const before = (meaning: NextMeaning): NextMeaning => ({ ...meaning, approval: 'BEFORE' });

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
  NOT_APPROVED: { do: 'APPROVE', by: 'APPROVER', money: 'STAYS' },
  DEPOSIT_MISSING: before({ do: 'SEND', by: 'PAYER', money: 'MOVES' }),
  DEPOSIT_PARTIAL: before({ do: 'SEND', by: 'PAYER', money: 'MOVES' }),
  DEPOSIT_CONFIRMING: before(wait('CHAIN')),
  DEPOSIT_LOST: before(wait('CHAIN')),
  ADDRESS_LOST: decide('MOVES', 'end'),
  OLDER_MONEY: decide('MOVES', 'reports', 'end'),
  INSTRUCTIONS_DUE: heldBack(wait('SERVICE', 'MOVES')),
  PRICE_BELOW_FLOOR: heldBack({ ...wait('SERVICE'), options: ['refunds', 'end'] }),
  SWAP_DUE: heldBack({ do: 'EXECUTE', by: 'INTEGRATOR', money: 'MOVES' }),
  INSTRUCTIONS_EXPIRED: heldBack(decide('MOVES', 'again', 'reports', 'refunds', 'end')),
  TRANSACTION_PENDING: { ...wait('CHAIN'), options: ['reports', 'end'] },
  TRANSACTION_CONFIRMING: wait('CHAIN'),
  TRANSACTION_LOST: decide('MOVES', 'reports', 'end'),
  PAYOUT_DUE: heldBack({ do: 'PAY', by: 'CUSTODIAN', money: 'SPENDS' }),
  PAYOUT_HELD: wait('CUSTODIAN'),
  PAYMENT_SENT: heldBack(wait('CUSTODIAN', 'SPENDS')),
  PAYMENT_UNCLEAR: decide('SPENDS', 'reports', 'refunds', 'end'),
  SEND_LINK: wait('SERVICE'),
  RECIPIENT_CHOOSES: { do: 'ASK', by: 'RECIPIENT', money: 'STAYS' },
  LINK_FAILED: decide('STAYS', 'again', 'end'),
  LINK_ENDED: decide('SPENDS', 'again', 'refunds', 'end'),
  LINKS_USED_UP: heldBack(decide('SPENDS', 'refunds', 'end')),
  STEP_FAILED: decide('SPENDS', 'again', 'reports', 'refunds', 'end'),
  ACCOUNT_REFUSED: decide('SPENDS', 'again', 'refunds', 'end'),
  MONEY_RETURNED: decide('SPENDS', 'again', 'refunds', 'end'),
  REFUND_LOST: wait('CHAIN'),
  DEPOSIT_UNCLEAR: decide('MOVES', 'refunds', 'reports', 'end'),
  MONEY_UNEXPLAINED: decide('SPENDS', 'refunds', 'end'),
  NOTHING_LEFT: decide('SPENDS', 'end'),
  CATCHING_UP: wait('SERVICE'),
};

/**
 * When it is asked what has to happen next. `isCatchingUp`: the record of the plan's chain is behind, so that money may
 * have moved that the plan does not show yet.
 */
export type Moment = { readonly nowMs: TimeMs; readonly isCatchingUp?: boolean };
