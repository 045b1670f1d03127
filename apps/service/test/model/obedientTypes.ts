import type { Amount, Hash, NextBy, NextDo, NextOption, NextWhy, Plan, StepId, TimeMs } from '@fairway/plan';
import type { Bank } from './obedientBank.ts';
import type { RefTransfer } from './referenceLedger.ts';
import type { Kept, World } from './worldTypes.ts';

/** All that the agent sees of a plan: the `next` of the API. `position`: which attempt `calls` are of. */
export type SeenNext = {
  readonly do: NextDo;
  readonly by: NextBy;
  readonly why: NextWhy;
  readonly stepId: StepId;
  readonly revision: number;
  readonly options: readonly NextOption[];
  readonly deadlineMs?: TimeMs;
  readonly send?: { readonly amount: Amount };
  readonly position?: number;
  readonly pay?: { readonly amount: Amount; readonly endToEndId: string; readonly account: string };
};

/** A transaction of the agent's wallet. After the deadline it does nothing but use up its nonce. */
export type Signed = {
  readonly txHash: Hash;
  readonly position: number;
  readonly nonce: number;
  readonly notAfterMs: TimeMs;
  readonly brought: bigint;
};

/** A transfer that was sent, wherever its transaction is by now. */
export type SentTransfer = Omit<RefTransfer, 'log'>;

/** What went back of the deposits, and of what the swap brought. A refund by reference is on no chain. */
export type Refund = {
  readonly isOnChain: boolean;
  readonly ofDeposits: bigint;
  readonly ofSwap: bigint;
};

/** How the service answers; a planted fault is another value of one of these. */
export type ObedientFaults = {
  /** Changes what the agent is shown. */
  see(seen: SeenNext | undefined, plan: Plan): SeenNext | undefined;
  /** The id of a payment. */
  id(attempt: number, part: number, account: string, made: number): string;
  /** Whether `next` knows that the record is behind. */
  readonly isBehindTold: boolean;
};

/** A plan, the agent that obeys its `next`, and the world around both. */
export type Life = {
  readonly world: World;
  readonly bank: Bank;
  readonly faults: ObedientFaults;
  /** All that the agent's wallet ever signed, by hash, and what of it waits to be mined. */
  readonly signed: Map<string, Signed>;
  waiting: Signed[];
  /** The nonces of transactions that were mined past their deadline, or that only used the nonce up. */
  readonly used: Set<number>;
  /** What the payer has sent because `next` said so, by transaction. */
  readonly sent: Map<string, bigint>;
  /** Deposits and refunds that a reorganisation dropped, and that may be mined again until a time. */
  dropped: (SentTransfer & { readonly untilMs: number })[];
  /** The database at earlier moments. */
  snapshots: { readonly kept: Kept; readonly record: World['record'] }[];
  /** Whether the mischief is over, and whether a reorganisation took final blocks back. */
  isCalm: boolean;
  isDeep: boolean;
  /** All that ever came to the deposit address in the source token. */
  arrived: bigint;
  /** What went back to the payer, by its transaction or reference. */
  readonly refunds: Map<string, Refund>;
  /** The account that the agent chose for a payment after one came back, by the number of the payment. */
  readonly decided: Map<number, string>;
  readonly way: string[];
};
