import type { MaskedRecipient } from '@fairway/recipients';
import type { Amount } from '../terms/amount.ts';
import type { Kept, Money } from '../terms/money.ts';
import type { MinedTransaction, Movement, MovementTransfer, SpentGas } from './movement.ts';
import type {
  CloseReason,
  DerivedInstructions,
  Evidence,
  Failure,
  FurtherExecution,
  Hold,
  Plan,
  PlannedRecipient,
  RecordedTransfer,
  Return,
  StepType,
  Submission,
  SubmissionFate,
  Transfer,
  TransferPlace,
  Withheld,
} from './types.ts';
import type { Hash, MovementId, StepId, TimeMs, Verification } from '../terms/scalars.ts';

type OfStep = { readonly stepId: StepId };

/** What pays the recipient, as PAYOUT_DONE says. */
type Paying = {
  readonly verification: Verification;
  readonly evidence?: Evidence;
  readonly part?: true;
  readonly nextEndToEndId?: string;
};

/** What each kind of command tells: everything that its decision needs beside the plan and the time. */
type Commands = {
  /**
   * The integrator reports that the deposit has arrived; `transfers` are those of the transaction that it names, if
   * any.
   */
  readonly DEPOSIT_REPORTED: OfStep & {
    readonly amount: Amount;
    readonly verification: Verification;
    readonly transfers: readonly Transfer[];
    readonly occurredAtMs?: TimeMs;
  };
  /**
   * New instructions of the swap, or why there are none now; those are asked for again later. `askedBy` SERVICE: the plan
   * owed instructions. If it no longer does, somebody was faster and nothing changes. `force`: the integrator says that no
   * pending transaction will be mined. `slippageBps`: the integrator named it, in place of the plan's.
   */
  readonly INSTRUCTED: OfStep & {
    readonly askedBy: 'INTEGRATOR' | 'SERVICE';
    readonly force?: true;
    readonly slippageBps?: number;
  } & ({ readonly derived: DerivedInstructions } | { readonly withheld: Withheld });
  /**
   * A transaction is signed and may be sent. `position`: of the attempt to swap that it executes. Absent where it pays the
   * recipient's wallet.
   */
  readonly EXECUTION_SUBMITTED: OfStep &
    Pick<Submission, 'txHash' | 'sender' | 'nonce'> & { readonly position?: number };
  /**
   * It is certain that a submitted transaction will execute nothing of the plan, or the integrator says so. `position`: as
   * with EXECUTION_SUBMITTED. `shownBy`: the mined transaction that shows it, where one does.
   */
  readonly EXECUTION_ENDED: OfStep & {
    readonly position?: number;
    readonly txHash: Hash;
    readonly fate: SubmissionFate;
    readonly shownBy?: MinedTransaction;
  };
  readonly SWAP_FAILED: OfStep & {
    readonly failure: Failure;
    readonly verification: Verification;
    readonly txHash?: Hash;
  };
  /**
   * `part`: the transaction may pay less than what is due; the rest is due then. When one transaction pays the wallet
   * by several transfers, each transfer counts for itself. `nextEndToEndId`: for the next part, where something is left.
   */
  readonly PAYOUT_DONE: OfStep &
    Paying & { readonly providerReference?: string; readonly occurredAtMs?: TimeMs };
  /**
   * The custodian has paid an account, as the integrator says with amounts. `discharged`: what the payment settles, in
   * units of the payout token; absent: all that is due. `paid`, `fee` and `rate` have to fit that where the custodian
   * converts. `estimatedRate`: the operator's rate, where none is told. `corrects`: the payment that was told wrongly.
   * `minorUnit`: what the smallest unit of the currency is in units of the token that is pegged to it; less than that
   * cannot be paid. Absent where there is no such rest. `nextEndToEndId`: as with PAYOUT_DONE.
   */
  readonly PAYOUT_REPORTED: OfStep &
    Pick<Movement, 'paid' | 'fee' | 'rate' | 'estimatedRate' | 'occurredAtMs'> & {
      readonly providerReference: string;
      readonly discharged?: Amount;
      readonly deductions?: readonly Kept[];
      readonly corrects?: MovementId;
      readonly minorUnit?: Amount;
      readonly nextEndToEndId?: string;
    };
  readonly PAYOUT_FAILED: OfStep & {
    readonly failure: Failure;
    readonly providerReference?: string;
  };
  /**
   * The custodian holds the payment back that is due: a payout, or the delivery to what a recipient has chosen. `occurredAtMs`: since
   * when; absent: since it was told.
   */
  readonly PAYOUT_HELD: OfStep & {
    readonly hold: Pick<Hold, 'reason' | 'needs' | 'untilMs'>;
    readonly providerReference?: string;
    readonly occurredAtMs?: TimeMs;
  };
  readonly PAYOUT_RETURNED: { readonly stepId: StepId } & ToldReturn;
  /**
   * A link for the recipient was made; it ends all earlier ones. RESENT and READDRESSED keep the time at which the link
   * they replace ends, whatever the command says, unless the link was owed. `recipient` takes the place of the plan's;
   * READDRESSED needs one, and `by` is the credential that named it. `endToEndId` is that of the next payment where the last
   * one came back.
   */
  readonly LINK_MADE: OfStep & {
    readonly version: number;
    readonly reason: 'FIRST' | 'RESENT' | 'READDRESSED' | 'REISSUED' | 'REOPENED';
    readonly expiresAtMs: TimeMs;
    readonly recipient?: MaskedRecipient;
    readonly by?: string;
    readonly endToEndId?: string;
  };
  /** The mail server accepted the link's e-mail, or refused to deliver it. */
  readonly LINK_MAILED: OfStep & {
    readonly version: number;
    readonly outcome: 'ACCEPTED' | 'BOUNCED';
  };
  readonly LINK_OPENED: OfStep & { readonly version: number };
  /** The recipient opened the link of this version, which had ended or has no more codes, and asks for another. */
  readonly LINK_REQUESTED: OfStep & { readonly version: number };
  /** The recipient chose where the money goes, and confirmed it. `endToEndId`: for an account that is new after a payment failed. */
  readonly COLLECT_SUBMITTED: OfStep & {
    readonly version: number;
    readonly destination: MaskedRecipient;
    readonly endToEndId: string;
  };
  /** A transaction paid the wallet once more, although all that is due was paid. The integrator has named it. */
  readonly PAYMENT_REPEATED: OfStep & {
    readonly evidence: Evidence;
    readonly occurredAtMs?: TimeMs;
  };
  /**
   * How the payment to the chosen destination goes. With evidence, the chain decides between SENT and DELIVERED. `part`,
   * `nextEndToEndId` and `returned`: as with payouts.
   */
  readonly DELIVERY_REPORTED: OfStep &
    Paying &
    ToldReturn & { readonly status: 'SENT' | 'DELIVERED' | 'FAILED' | 'RETURNED' };
  /** The deposit address of a plan that is over holds so much native currency in a final block. */
  readonly NATIVE_SEEN: OfStep & { readonly held: Amount };
  /**
   * The chain no longer has a transaction that a step rests on. `gone`: the transfers of it that the ledger has and the
   * chain has not; absent: all of them.
   */
  readonly EVIDENCE_LOST: OfStep & {
    readonly txHash: Hash;
    readonly cause: 'REORGANISED' | 'REPLACED';
    readonly gone?: readonly TransferPlace[];
  };
  /**
   * The chain was read up to the block `readNumber`. It has these transfers to the deposit address, perhaps none that are
   * new; the others may have more confirmations.
   */
  readonly RECORD_READ: OfStep & {
    readonly readNumber: number;
    readonly added: readonly RecordedTransfer[];
  };
  /** Another organisation has proven, by a signature of it, that the deposit address is its own from the block `fromBlock` on. */
  readonly DEPOSIT_ADDRESS_LOST: { readonly fromBlock: number };
  /**
   * A transaction on the chain executed the attempt at this position and spent `amountIn`. A transaction that the plan
   * knows already is told again when it is final. `forgotten`: the instructions, where the plan has lost them because
   * an older database was put back. `others`: what further calls of the transaction executed. `gas`: of the transaction. `marketAmount`: what the
   * route would have brought by the block before. Both only where they are known; nothing depends on them.
   */
  readonly EXECUTION_FOUND: OfStep & {
    readonly position: number;
    readonly evidence: Evidence;
    readonly amountIn: Amount;
    readonly forgotten?: DerivedInstructions;
    readonly others?: readonly FurtherExecution[];
    readonly gas?: SpentGas;
    readonly marketAmount?: Amount;
  };
  /** `force`: as with instructions. `endToEndId`: that of the next payment, where the last one came back. */
  readonly STEP_RETRIED: OfStep & {
    readonly force?: true;
    readonly endToEndId?: string;
  };
  /**
   * Another account is to be paid, after a payment failed or came back. `by`: the credential that named it. `endToEndId`: for an
   * account that is new.
   */
  readonly RECIPIENT_REPLACED: OfStep & {
    readonly recipient: PlannedRecipient;
    readonly by?: string;
    readonly endToEndId: string;
  };
  /**
   * Money went back to the payer: in this transfer, or as the integrator says. `force`: although the plan was closed because
   * the money went elsewhere.
   */
  readonly REFUND_RECORDED: {
    readonly money: Money;
    readonly verification: Verification;
    readonly transfer?: MovementTransfer;
    readonly providerReference?: string;
    readonly occurredAtMs?: TimeMs;
    readonly force?: true;
  };
  /** A credential approves the payment to the recipient of a version. */
  readonly PLAN_APPROVED: { readonly version: number; readonly by: string };
  /**
   * The integrator ends the plan, and has seen the money that is left. Without a reason only a plan ends whose money has not
   * moved: it is cancelled. `force`: also with a transaction under way.
   */
  readonly PLAN_ENDED: {
    readonly reason?: CloseReason;
    readonly note?: string;
    readonly force: boolean;
  };
  /** A time has come at which the plan changes by itself. */
  readonly TIME_PASSED: unknown;
  readonly RECIPIENT_REVEALED: unknown;
};

/** The kind of a command. */
export type PlanCommandType = keyof Commands;

/** The commands of these kinds. */
export type CommandOf<Type extends PlanCommandType> = {
  [Each in Type]: { readonly type: Each } & Commands[Each];
}[Type];

/** What is asked of a plan, told of it, or observed. */
export type PlanCommand = CommandOf<PlanCommandType>;

/** What is told of money that came back. `returned`: in the currency of the payment, where that was told. */
export type ToldReturn = Omit<Return, 'stepId' | 'recordedAtMs'> & { readonly returned?: Money };

/** Why a command cannot be followed by a plan as it stands. `detail` is a sentence for the integrator. */
export type Refusal =
  | { readonly reason: 'STEP_UNKNOWN' }
  /** The step is not due. `dueStepId` is the step that is due, absent when the plan has ended. */
  | {
      readonly reason: 'STEP_NOT_READY';
      readonly dueStepId?: StepId;
      readonly dueStepType?: StepType;
      readonly detail: string;
    }
  /** Money has moved: the plan is ended with a reason. */
  | { readonly reason: 'REASON_MISSING'; readonly detail: string }
  | { readonly reason: 'EVIDENCE_MISMATCH'; readonly detail: string }
  /**
   * A link was sent a moment ago, or very many instructions were given out: the next can follow after `retryAfterMs`.
   */
  | { readonly reason: 'TOO_SOON'; readonly retryAfterMs: number; readonly detail: string }
  /** A submitted transaction may still be mined, and would execute the plan a second time. */
  | { readonly reason: 'EXECUTION_PENDING'; readonly detail: string }
  /** The payment needs another credential's approval before instructions are given out. */
  | { readonly reason: 'APPROVAL_REQUIRED'; readonly detail: string }
  /** The person who made the plan, or named its recipient, cannot approve the payment. */
  | { readonly reason: 'OWN_APPROVAL'; readonly detail: string }
  /** The payment needs no approval, has it, or is at another version. */
  | { readonly reason: 'APPROVAL_NOT_DUE'; readonly detail: string }
  /** A link was sent again as often as it can be. */
  | { readonly reason: 'TOO_MANY'; readonly detail: string }
  /** The command belongs to another kind of step. */
  | { readonly reason: 'NOT_OF_THIS_STEP'; readonly stepType: StepType };

/** What a rule makes of a command. UNCHANGED: the command is known already, and nothing is recorded. */
export type Ruling =
  | { readonly ok: true; readonly outcome: 'CHANGED' | 'UNCHANGED'; readonly plan: Plan }
  | { readonly ok: false; readonly refusal: Refusal };

/** Whether a command says that no transaction of the payment will be mined: it has failed, or a person ends the plan. */
export function isGivenUp(command: PlanCommand): boolean {
  return isFailure(command) || (command.type === 'PLAN_ENDED' && command.reason !== undefined);
}

type ReturnReport =
  | CommandOf<'PAYOUT_RETURNED'>
  | (CommandOf<'DELIVERY_REPORTED'> & { readonly status: 'RETURNED' });

/** Whether a command tells of money that came back. */
export function isReturn(command: PlanCommand): command is ReturnReport {
  return (
    command.type === 'PAYOUT_RETURNED' ||
    (command.type === 'DELIVERY_REPORTED' && command.status === 'RETURNED')
  );
}

/**
 * Whether a command says that the payment has failed.
 *
 * @example
 * ```ts
 * import { isFailure, type PlanCommand } from '@fairway/plan';
 *
 * declare const command: PlanCommand;
 * const code = isFailure(command) ? command.failure?.code : undefined;
 * ```
 */
export function isFailure(command: PlanCommand): command is CommandOf<'PAYOUT_FAILED' | 'DELIVERY_REPORTED'> {
  return (
    command.type === 'PAYOUT_FAILED' || (command.type === 'DELIVERY_REPORTED' && command.status === 'FAILED')
  );
}
