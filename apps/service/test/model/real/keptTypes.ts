import type { PaymentPlan } from '@fairway/wire';
import type { RefRefund } from '../referenceLedger.ts';
import type { Way } from './corridors.ts';

/** The instructions of an attempt, and what tells them apart from all others. */
export type Attempt = { readonly key: string; readonly to: string; readonly data: string };

/** A payment or a return that was told. `turn`: which attempt to pay it is of. */
export type Told = { readonly amount: bigint; readonly turn: number };

/** A payment to a wallet by a transaction. */
export type Sent = Told & {
  readonly txHash: string;
  readonly to: string;
  /** Whether money of its attempt came back: then it was paid, even if the chain loses the transaction. */
  isBack?: boolean;
};

/** A plan of a run, with all that was acknowledged of it. */
export type Kept = {
  plan: PaymentPlan;
  readonly way: Way;
  /** What was asked for, to ask for it again. */
  readonly asked: object;
  /** The text that makes its addresses unique. */
  readonly own: string;
  readonly address: string;
  /** The first block that can bring its deposit: those before are of the plan that had the address before. */
  readonly from: number;
  /** The wallet that is paid, where one is, and the transactions that pay wallets. */
  wallet: string | undefined;
  readonly payouts: Sent[];
  /** Whether a recipient who was e-mailed has ever chosen. */
  isChosen: boolean;
  readonly attempts: Attempt[];
  /** Transactions that may have executed an attempt, by their hash; in a batch, with the position of the swap. */
  readonly sent: Map<string, string>;
  ended?: 'CANCELLED' | 'CLOSED';
  readonly paid: Told[];
  readonly deducted: bigint[];
  readonly returned: Told[];
  readonly refunds: RefRefund[];
  /** How often an attempt to pay was begun after another one. */
  turn: number;
  /** The payment that the custodian holds back, with the reference that it was told with. */
  hold?: { readonly providerReference?: string } | undefined;
  isShort: boolean;
  /**
   * The swap whose money could not be paid. After another swap, or after this one is mined in another block, the plan has
   * to pay again.
   */
  failedSwap?: { readonly txHash: string; readonly blockHash: string } | undefined;
  /** Deposits of a plan that a backup did not have, which the service took when it was made again. */
  readonly older: string[];
};
