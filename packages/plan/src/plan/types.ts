import type { MaskedRecipient, RegisteredVersion } from '@fairway/recipients';
import type { Amount } from '../terms/amount.ts';
import type { Corridor } from '../terms/corridor.ts';
import type { Money } from '../terms/money.ts';
import type { MinedTransaction, Movement } from './movement.ts';
import type { Address, Hash, Json, Mode, PlanId, StepId, TimeMs, Verification } from '../terms/scalars.ts';

/** The recipient of a plan, masked. `registeredAs`: the version of a registered recipient that it was taken from. */
export type PlannedRecipient = MaskedRecipient & { readonly registeredAs?: RegisteredVersion };

/** The status of a step. */
export type StepStatus = 'PENDING' | 'READY' | 'DONE' | 'FAILED';
/** A call for the integrator's wallet, as the API shows it. */
export type Instruction = {
  readonly kind: 'EVM_CALL';
  readonly chainId: number;
  readonly to: string;
  readonly data: string;
  readonly value: string;
  readonly constraints: { readonly notAfter?: string; readonly maxSlippageBps?: number };
};

/** Instructions derived from one block, with the amounts that they promise. */
export type DerivedInstructions = {
  readonly instructions: readonly Instruction[];
  /** The quote, as the API shows it. */
  readonly quote: Json;
  /** What the quote says will arrive, and the least that the instructions let arrive. */
  readonly amountOut: Amount;
  readonly minAmountOut: Amount;
  readonly notAfterMs: TimeMs;
};

/** Why there are no instructions to execute at the moment. */
export type Withheld = {
  /** CATCHING_UP: the record of the chain was behind, so that nothing was derived. */
  readonly reason: 'PRICE_BELOW_FLOOR' | 'NOT_DERIVABLE' | 'CATCHING_UP';
  /** A sentence for the integrator. */
  readonly detail: string;
};

/** Why a step failed. */
export type Failure = { readonly code: string; readonly detail?: string };

/** A transfer on a chain that counts towards a step. */
export type Transfer = MinedTransaction & {
  readonly logIndex: number;
  readonly amount: Amount;
  /** Who the tokens came from, where that is known. */
  readonly from?: Address;
  /** When the block was made. Absent where nobody has read the block: a log does not hold it. */
  readonly blockTimeMs?: TimeMs;
};

/** Where a transfer is on a chain. The log index can change when the transaction is mined again in another block. */
export type TransferPlace = Pick<Transfer, 'chainId' | 'txHash' | 'blockHash' | 'logIndex'>;

/** A transfer of a token as the chain shows it. */
export type RecordedTransfer = Transfer & {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly blockTimeMs: TimeMs;
};

/**
 * A transaction that completes a step. CONFIRMING: it has fewer confirmations than the corridor asks for. LOST: it is
 * no longer on the chain, but may be mined again. A swap keeps LOST evidence while a later step is DONE or is held. A
 * payout keeps it until another payment takes its place.
 */
export type Evidence = MinedTransaction & {
  readonly sender: Address;
  readonly nonce: number;
  /** Every transfer that counts; `amount` is their sum. */
  readonly transfers: readonly Transfer[];
  readonly amount: Amount;
  readonly status: 'CONFIRMING' | 'FINAL' | 'LOST';
  /** How many nodes said the same, of how many were asked, where that is known. */
  readonly trust?: { readonly agreed: number; readonly of: number };
};

/** The evidence that a step keeps. The ledger has what moved, at these logs: `evidenceWith` puts both together. */
export type StepEvidence = Omit<Evidence, 'transfers' | 'amount'> & {
  readonly logIndexes: readonly number[];
};

/**
 * What another call of the same transaction executed. The evidence tells of the first execution alone. It has the
 * position of its attempt, what it spent, and what it brought.
 */
export type FurtherExecution = {
  readonly position: number;
  readonly amountIn: Amount;
  readonly transfers: readonly Transfer[];
};

/** A transaction that is signed and may be sent, so that it may be mined at any time. */
export type Submission = {
  readonly txHash: Hash;
  /** The account that signed it, and its number among the transactions of this account. Both or neither. */
  readonly sender?: Address;
  readonly nonce?: number;
  readonly submittedAtMs: TimeMs;
  /** Why it can execute nothing any more; absent while it may. */
  readonly fate?: SubmissionFate;
  /** The mined transaction that shows this fate: without it, the fate is open again. Absent where none shows it. */
  readonly shownBy?: MinedTransaction;
};

/**
 * Why a submitted transaction is no longer pending. NOT_EXECUTED: it is final, and executed nothing of the plan.
 * REPLACED: another transaction of its sender and nonce is final. EXPIRED: a block with the corridor's confirmations is
 * past the deadline of the instructions. FORGOTTEN: nothing was seen of it for a day, and nothing can show that it was
 * replaced. FORCED: the integrator says that it will not be mined.
 */
export type SubmissionFate = 'NOT_EXECUTED' | 'REPLACED' | 'EXPIRED' | 'FORGOTTEN' | 'FORCED';

/** Instructions that were given out together, and their outcome. */
export type SwapAttempt = DerivedInstructions & {
  readonly derivedAtMs: TimeMs;
  readonly outcome: 'OPEN' | 'SUPERSEDED' | 'EXECUTED' | 'FAILED' | 'LOST';
  readonly txHash?: Hash;
  readonly failure?: Failure;
  /** The transactions that were reported before they were mined, oldest first. */
  readonly submissions?: readonly Submission[];
};

/** An attempt to pay out that failed, or that was paid and came back. */
export type PayoutAttempt = {
  readonly failedAtMs: TimeMs;
  readonly failure: Failure;
  readonly providerReference?: string;
  /** Present when the money was paid and came back. Absent: it was not paid. */
  readonly outcome?: 'RETURNED';
  /** The transaction that had paid, where it is known. */
  readonly txHash?: Hash;
  /**
   * The id and the recipient of this attempt. Absent until an attempt has others; until then those of the plan apply.
   * `earlierIds`: of the parts that were paid in it before.
   */
  readonly endToEndId?: string;
  readonly earlierIds?: readonly string[];
  readonly recipient?: PlannedRecipient;
};

/** The attempt to pay that is under way. Absent for the first one, unless a part of the money was paid or refunded. */
export type PayoutTurn = {
  /** The id of the payment that is due now: of the whole, or of the next part. */
  readonly endToEndId: string;
  /** The ids of the parts that this account was paid before. */
  readonly earlierIds?: readonly string[];
  /** How many returns there were when it began: what came back later came back of this attempt. */
  readonly returns: number;
  /** How many movements the ledger had when it began: later payments are of this attempt. */
  readonly movements: number;
  /** The transaction that pays a part of what is due, while it is being confirmed. */
  readonly part?: Hash;
  /** The id of the next part, once that transaction has its confirmations. */
  readonly nextEndToEndId?: string;
  /** The transactions to the recipient's wallet that were reported before they were mined, oldest first. */
  readonly submissions?: readonly Submission[];
  /** The transactions that have paid parts: another one of the same sender and nonce takes the place of one. */
  readonly signed?: readonly SignedTransaction[];
  /** The parts that a reorganisation took back and that may be mined again: the transaction of each transfer. */
  readonly lost?: readonly SignedTransaction[];
};

/**
 * Who signed a transaction, and its number among the transactions of this account. `wallet`: whom it pays;
 * absent where the recipient has none.
 */
export type SignedTransaction = Pick<Evidence, 'txHash' | 'sender' | 'nonce'> & { readonly wallet?: Address };

/** Why a custodian holds a payment back. `HOLD_REASONS` of the API are the same: the service does not compile where they differ. */
export type HoldReason = 'COMPLIANCE_REVIEW' | 'INFORMATION_REQUIRED' | 'BANK_DELAY' | 'OTHER';

/** A hold of the due payment by the custodian, as the integrator reported it. */
export type Hold = {
  readonly reason: HoldReason;
  /**
   * What the custodian asks for before it goes on, one line each. Empty: it needs nothing, and only has to decide.
   */
  readonly needs: readonly string[];
  /** Until when the custodian waits or holds it, as it said. */
  readonly untilMs?: TimeMs;
  readonly heldAtMs: TimeMs;
  /** The custodian's reference of the payment, where the report named it. */
  readonly providerReference?: string;
};

type StepBase = {
  readonly stepId: StepId;
  readonly status: StepStatus;
  readonly verification?: Verification;
  readonly failure?: Failure;
};

/** Waits for the payer's money. */
export type AwaitDepositStep = StepBase & {
  readonly type: 'AWAIT_DEPOSIT';
  readonly expected: Amount;
  /** The block of the newest transfer that has its confirmations. All transfers up to it have them, until it is gone. */
  readonly finalBlock?: number;
  /** The last of the money came when the plan or its deposit was over. */
  readonly isLate?: true;
  /** The transactions after the swap that are said not to be money of the plan which the custodian sent on. */
  readonly payersOwn?: readonly Hash[];
  /** What a reorganisation took back of the deposit, while it may be mined again. */
  readonly lost?: LostTransactions;
  /** What a reorganisation took back of the refunds, while it may be mined again. */
  readonly lostRefunds?: LostTransactions;
};

/** Transactions that had moved money, and until when nobody is asked to move it once more. */
export type LostTransactions = { readonly txHashes: readonly Hash[]; readonly untilMs: TimeMs };

/** Waits for the integrator to execute the swap. */
export type ExecuteSwapStep = StepBase & {
  readonly type: 'EXECUTE_SWAP';
  /** What the first quote said that the swap brings. */
  readonly expected: Amount;
  /** Oldest first. While the last attempt is OPEN, its instructions are to be executed. */
  readonly attempts: readonly SwapAttempt[];
  readonly withheld?: Withheld;
  readonly evidence?: StepEvidence;
  /** The executions beside that of the evidence that have the corridor's confirmations. */
  readonly finalOthers?: readonly Pick<Evidence, 'txHash' | 'blockHash'>[];
};

/** Waits for the custodian to pay the recipient. */
export type CustodianPayoutStep = StepBase & {
  readonly type: 'CUSTODIAN_PAYOUT';
  /** When the step became due; absent again when the swap is taken back. */
  readonly readyAtMs?: TimeMs;
  readonly attempts: readonly PayoutAttempt[];
  readonly payout?: PayoutTurn;
  readonly hold?: Hold;
  readonly providerReference?: string;
  readonly occurredAtMs?: TimeMs;
  readonly evidence?: StepEvidence;
};

/** A collect link. */
export type CollectLink = {
  /** 1, 2, 3 and so on, over all rounds of the step; no version is used twice. */
  readonly version: number;
  readonly state: 'WAITING' | 'SENT' | 'OPENED' | 'SUBMITTED' | 'EXPIRED' | 'CANCELLED';
  readonly mail: 'QUEUED' | 'ACCEPTED' | 'BOUNCED';
  readonly madeAtMs: TimeMs;
  readonly expiresAtMs: TimeMs;
  /** How often the link was sent again since it was made, reissued or reopened. */
  readonly resends: number;
  readonly openedAtMs?: TimeMs;
  /** When the recipient last asked for a new link, because this or an earlier one had ended or had no more codes. */
  readonly requestedAtMs?: TimeMs;
};

/** The payment to the destination that the recipient chose. */
export type Delivery = {
  readonly status: 'PENDING' | 'SENT' | 'DELIVERED' | 'FAILED' | 'RETURNED';
  /** The id that the custodian got with the payment; absent where it is the plan's first. */
  readonly endToEndId?: string;
  readonly verification?: Verification;
  readonly providerReference?: string;
  /** The transfer to a wallet. */
  readonly evidence?: StepEvidence;
  /** How much the custodian said that it has sent. The ledger has it when it has arrived. */
  readonly sentAmount?: Amount;
  readonly occurredAtMs?: TimeMs;
  readonly failure?: Failure;
};

/**
 * A round of collecting that ended: with a delivery that failed or came back or, before any choice, because the swap was
 * taken back.
 */
export type CollectRound = Pick<SendDigitalCollectStep, 'destination' | 'submittedAtMs' | 'delivery'> & {
  /** The last link of the round. */
  readonly version: number;
  /** The ids of the parts that this destination was paid before, where it was paid in parts. */
  readonly earlierIds?: readonly string[];
};

/**
 * Waits for the recipient to say where the money goes. DONE from the first submission on; whether the money arrived is
 * `delivery`. After a failed delivery the recipient is asked again, and the step stays DONE.
 */
export type SendDigitalCollectStep = StepBase & {
  readonly type: 'SEND_DIGITAL_COLLECT';
  /** When the step became due; absent again when the swap is taken back. */
  readonly readyAtMs?: TimeMs;
  /** The newest link; absent again when the swap is taken back before a submission. */
  readonly link?: CollectLink;
  /** The last submission, also while the recipient is asked again after its delivery failed. */
  readonly destination?: MaskedRecipient;
  readonly submittedAtMs?: TimeMs;
  readonly delivery?: Delivery;
  /** The rounds that ended, oldest first. */
  readonly rounds: readonly CollectRound[];
  readonly payout?: PayoutTurn;
  /** The hold of the delivery. */
  readonly hold?: Hold;
};

/** The step that pays the recipient, which is the last of a plan. */
export type PayingStep = CustodianPayoutStep | SendDigitalCollectStep;
/** A step of a plan. */
export type Step = AwaitDepositStep | ExecuteSwapStep | PayingStep;
/** The kind of a step. */
export type StepType = Step['type'];

/** Money that came back after it was paid out. */
export type Return = {
  readonly stepId: StepId;
  readonly recordedAtMs: TimeMs;
  readonly occurredAtMs?: TimeMs;
  readonly providerReference?: string;
  readonly amount?: Amount;
  readonly failure?: Failure;
};

/** What the integrator may choose beside the amount. */
export type PlanOptions = {
  /** The wallet that will execute. */
  readonly sender?: Address;
  /** Where the deposit arrives; the service watches this address. */
  readonly depositAddress?: Address;
  /** The deposit address has signed that it is this plan's: nobody else can take it. */
  readonly isAddressProven?: true;
  readonly slippageBps: number;
  /** A price floor: there are no instructions while the quote is below it. */
  readonly minAmountOut?: Amount;
  readonly collect?: CollectOptions;
  /** How long the collect link lives. */
  readonly collectLifeMs: number;
  readonly notices?: NoticeOptions;
};

/** How the recipient is asked where the money goes. */
export type CollectOptions = {
  /** The language of e-mails and pages, where the recipient names none. */
  readonly locale?: string;
  /** What the integrator says to the recipient: plain text. */
  readonly message?: string;
  /** The destinations of the corridor that are offered; absent: all. */
  readonly allowedDestinations?: readonly string[];
};

/**
 * The e-mails that the recipient gets beside the link and the code, as the organisation wanted when the plan was made.
 */
export type NoticeOptions = {
  /** How long before its end the recipient is reminded of a link. Absent: never. */
  readonly reminderBeforeMs?: number;
  /** Whether the recipient is told that the choice was recorded. */
  readonly confirmation?: boolean;
  /** Whether the recipient is told that the money was delivered. */
  readonly delivery?: boolean;
};

/** An e-mail that only informs: it holds neither a link nor a code. */
export type Notice = 'REMINDER' | 'CONFIRMATION' | 'DELIVERED';

/** Why a plan was closed. `CLOSE_REASONS` of the API are the same: the service does not compile where they differ. */
export type CloseReason = 'REFUNDED' | 'SETTLED_ELSEWHERE' | 'ABANDONED' | 'OTHER';

/** Why a plan ended: its time was over, it was cancelled before money moved, or a person closed it. */
export type EndReason = 'EXPIRED' | 'CANCELLED' | CloseReason;

/** How a plan ended. `note`: what the person who closed it said. */
export type PlanEnd = { readonly reason: EndReason; readonly atMs: TimeMs; readonly note?: string };

/** Money that a person knows of. OUT: it was spent without a recorded arrival. */
export type Acknowledged = Money & { readonly direction: 'IN' | 'OUT' };

/** One closing of a plan. */
export type Closing = {
  readonly reason: CloseReason;
  readonly note?: string;
  readonly acknowledged: readonly Acknowledged[];
  /** How many movements the ledger had: money of later movements is not acknowledged. */
  readonly movements: number;
  readonly atMs: TimeMs;
  /** Whether it was closed although a transaction was under way. */
  readonly forced: boolean;
};

/** The approval of a second person that a payment needs, and whether it was given. */
export type PaymentApproval = {
  /** Raised whenever another recipient is named: an approval is of one version. */
  readonly version: number;
  /** The credential that made the plan, or that named its present recipient. */
  readonly madeBy: string;
  readonly approved?: { readonly by: string; readonly atMs: TimeMs };
};

/** A payment plan. It is a value: every change makes a new plan. */
export type Plan = {
  readonly planId: PlanId;
  readonly clientReference: string;
  /** The corridor as it was when the plan was made: a later configuration does not change where the money goes. */
  readonly corridor: Corridor;
  readonly mode: Mode;
  readonly amountIn: Amount;
  readonly recipient: PlannedRecipient;
  readonly options: PlanOptions;
  readonly metadata: Readonly<Record<string, string>>;
  /** Unique, and at most 35 characters, which is what bank messages can hold. */
  readonly endToEndId: string;
  /** The number of events so far: each change raises it by one. */
  readonly revision: number;
  readonly createdAtMs: TimeMs;
  readonly updatedAtMs: TimeMs;
  /** How long the plan waits for its deposit, and when it stops waiting. */
  readonly lifeMs: number;
  readonly expiresAtMs: TimeMs;
  /** The block from which deposits are looked for. */
  readonly watchFromBlock: number;
  /**
   * Money was at the deposit address, or was swapped from there, before the plan was made. It may be of the same payment, whose plan
   * a restored database has lost: nothing is sent before that is compared.
   */
  readonly hasOlderMoney?: true;
  readonly ended?: PlanEnd;
  /** Another organisation has proven that the deposit address is its own: what comes there from this block on is not this plan's. */
  readonly addressLostFrom?: number;
  /**
   * The last closing. `earlier` has those before it, oldest first, where money that came later was closed, too. If
   * the plan was over before it was closed, `ended` stays as it was.
   */
  readonly closed?: Closing & { readonly earlier?: readonly Closing[] };
  /** Absent where the payment needs no approval. */
  readonly approval?: PaymentApproval;
  readonly steps: readonly Step[];
  readonly returns: readonly Return[];
  /** Every movement of money, oldest first. Absent while no movement was recorded. */
  readonly ledger?: readonly Movement[];
};

/** The status of a plan as a whole. It is derived from the rest of the plan. */
export type PlanStatus = 'IN_PROGRESS' | 'ACTION_REQUIRED' | 'COMPLETED' | 'RETURNED' | 'ENDED';
