import type { Plan, RecordedEvent, RecordView } from '@fairway/plan';
import type { Random } from '@fairway/testing';
import type { RefChain } from './refChain.ts';
import type { RefBlock } from './referenceLedger.ts';

/** Changes what a plan is shown of the chain record: a planted fault. */
export type Plant = (view: RecordView, plan: Plan, random: Random) => RecordView;

/** A plan of the world, with all that was acknowledged of it. */
export type Kept = {
  plan: Plan;
  readonly history: RecordedEvent[];
  open: { from: number; to?: number }[];
  readonly paid: bigint[];
  readonly returned: bigint[];
  readonly refunds: { readonly token: string; readonly amount: bigint; readonly isPayers: boolean }[];
  /** How many payments and returns there were when the newest attempt to pay began. */
  begun: { readonly paid: number; readonly returned: number };
};

/** A world of plans, with the chain and the clock that they live by. */
export type World = {
  readonly random: Random;
  readonly chain: RefChain;
  readonly kept: Kept[];
  readonly plant: Plant;
  /** What the service believes of the chain: the canonical blocks when it last read. */
  record: readonly RefBlock[];
  nowMs: number;
  transactions: number;
};
