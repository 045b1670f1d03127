import type { Amount } from '../terms/amount.ts';
import type { Asset, Money } from '../terms/money.ts';
import type { Address, Hash, MovementId, StepId, TimeMs, Verification } from '../terms/scalars.ts';

/** The kinds of movements: money that arrived, was swapped, was paid out, came back, or was sent back to the payer. */
export type MovementKind = 'DEPOSIT' | 'SWAP_IN' | 'SWAP_OUT' | 'PAYOUT' | 'RETURN' | 'REFUND' | 'DEDUCTION';

/** Which of the two equations a movement belongs to. Needed where the source token is also the payout token. */
export type Side = 'SOURCE' | 'TARGET';

/**
 * Why money was not asked for, or why more was spent than had arrived.
 *
 * - ABOVE_AMOUNT: a deposit above the planned amount. AFTER_SWAP, AFTER_END: a deposit that came too late.
 * - LEFT_AT_CLOSE: there, and named, when the plan was closed. No movement has it: `funds` say it.
 * - OTHER_TOKEN: another token than the plan's, or native currency.
 * - SECOND_EXECUTION: the swap was executed already.
 * - SWAP_WITHOUT_DEPOSIT, PAID_WITHOUT_SWAP: spent without a recorded arrival.
 * - PAID_ABOVE_DUE: paid above what was due, or sent back to the payer above what came.
 */
export type UnallocatedReason =
  | 'ABOVE_AMOUNT'
  | 'AFTER_SWAP'
  | 'AFTER_END'
  | 'LEFT_AT_CLOSE'
  | 'OTHER_TOKEN'
  | 'SECOND_EXECUTION'
  | 'SWAP_WITHOUT_DEPOSIT'
  | 'PAID_WITHOUT_SWAP'
  | 'PAID_ABOVE_DUE';

/** A transaction in a block. */
export type MinedTransaction = {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly blockNumber: number;
  readonly blockHash: Hash;
};

/**
 * The place of a movement on a chain. `logIndex` is absent where the movement is a call that may have moved the money
 * by several transfers. For a further call of the same transaction, it is the log of the first transfer that the call
 * brought. Calls follow each other, so the logs of each call come after those of the call before.
 */
export type MovementTransfer = MinedTransaction & {
  readonly logIndex?: number;
  readonly blockTimeMs?: TimeMs;
  readonly from?: Address;
  readonly to?: Address;
};

/**
 * The gas of the whole transaction that executed a swap, as its receipt tells it. `costWei` is its cost in wei of the
 * chain's native currency, where that is known.
 */
export type SpentGas = { readonly units: Amount; readonly costWei?: Amount };

/** One movement of money. Movements are only ever added. */
export type Movement = {
  readonly movementId: MovementId;
  /** 1, 2, 3 and so on within the plan. */
  readonly seq: number;
  readonly kind: MovementKind;
  readonly side: Side;
  readonly stepId?: StepId;
  /** The position of the attempt of the step, from 0. */
  readonly attempt?: number;
  readonly asset: Asset;
  /** How much was expected, and how much it was, in units of `asset`. */
  readonly expected?: Amount;
  readonly actual: Amount;
  /** What a beneficiary was paid, or of a RETURN what came back, in the currency of the payment. */
  readonly paid?: Money;
  readonly fee?: Money;
  readonly rate?: string;
  /** The operator's rate when `paid` was reported without a rate. Absent: there was none. */
  readonly estimatedRate?: string;
  readonly transfer?: MovementTransfer;
  readonly providerReference?: string;
  readonly endToEndId?: string;
  readonly occurredAtMs?: TimeMs;
  /** The time of the event that added the movement. */
  readonly recordedAtMs: TimeMs;
  readonly verification: Verification;
  /** Why nobody asked for the money. */
  readonly reason?: UnallocatedReason;
  /** What was said about a DEDUCTION. */
  readonly note?: string;
  /**
   * The gas of the transaction, on the movement that a swap spent. When a transaction has several calls, only the
   * first has it.
   */
  readonly gas?: SpentGas;
  /**
   * What the route would have brought at the end of the block before the transaction's block, in units of the payout
   * token. It is on the movement that a swap spent. Absent where that is not known, and of further calls of a
   * transaction.
   */
  readonly marketAmount?: Amount;
  /** The movement that this one takes back. */
  readonly reverses?: MovementId;
};

/** A movement that is to be added. */
export type NewMovement = Omit<Movement, 'movementId' | 'seq' | 'recordedAtMs'>;
