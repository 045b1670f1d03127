import type { Plan, PlanCommand, RecordedEvent, RecordView } from '@fairway/plan';
import type { Random } from '@fairway/testing';
import type { RefChain } from './refChain.ts';
import type { RefBlock, RefRefund } from './referenceLedger.ts';

/** Changes what a plan is shown of the chain record. */
export type Shown = (view: RecordView, plan: Plan, random: Random) => RecordView;

/** How the service of the model works; a planted fault is another value of one of these. */
export type Faults = {
  readonly show: Shown;
  /** Whether blocks are read a second time, as an empty answer is not believed. */
  readonly isReadTwice: boolean;
  /** Whether instructions are derived only once the record has reached the head. */
  readonly isReadFirst: boolean;
  /** Whether a plan that has changed waits for the block that it rests on. */
  readonly isAwaiting: boolean;
};

/** A plan of the world, with all that was acknowledged of it. */
export type Kept = {
  plan: Plan;
  readonly history: RecordedEvent[];
  /** How many events had happened in the whole world at each event of the history. */
  readonly order: number[];
  open: { from: number; to?: number }[];
  /** What tells the instructions of each attempt apart from all others. */
  readonly attempts: string[];
  readonly paid: bigint[];
  readonly deducted: bigint[];
  readonly returned: bigint[];
  readonly refunds: RefRefund[];
  /** How many payments and returns there were when the newest amount to pay began. `account`: payments, when its account was named. */
  begun: { readonly paid: number; readonly returned: number; readonly account: number };
  /** Whether the answer to the last report of a payment said that something is missing. */
  isShort: boolean;
  /** The native currency that was seen at its address once it was over. */
  native?: bigint;
  /** The block that the plan waits for. */
  awaited?: number;
  /** Whether the plan is to be compared with the record. */
  hasJob: boolean;
};

/** A world of plans, with the chain and the clock that they live by. */
export type World = {
  readonly random: Random;
  readonly chain: RefChain;
  readonly kept: Kept[];
  readonly faults: Faults;
  /** What the service believes of the chain: the canonical blocks when it last read. */
  record: readonly RefBlock[];
  /** What processes that stand still have found and not written. */
  readonly unwritten: {
    readonly planId: string;
    readonly isOpen: boolean;
    readonly events: readonly PlanCommand[];
  }[];
  /** The database at an earlier moment. */
  backup?: { readonly kept: readonly Kept[]; readonly record: readonly RefBlock[] };
  /** Whether there was a storm of dust, and whether a node left deposits out: never both. */
  isStormy: boolean;
  isEmptied: boolean;
  nowMs: number;
  transactions: number;
  /** How many plans and attempts were ever made. */
  made: number;
  /** How many events have happened. */
  happened: number;
};
