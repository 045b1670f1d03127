import type { Random } from '@fairway/testing';
import type { Kept } from './books.ts';
import type { Ground } from './ground.ts';

/** A run with its plans. */
export type Run = {
  readonly ground: Ground;
  readonly random: Random;
  /** What no other run on this ground is called. */
  readonly name: string;
  readonly kept: Kept[];
  /** The account that deposits come from. */
  readonly payer: string;
  /** Nothing of the run happened before this block. */
  readonly fromBlock: number;
  /** How often a process may still be killed. */
  kills: number;
  reorganisations: number;
  /** A transfer of the payer in a block of its own. */
  pay(token: string, to: string, amount: bigint): Promise<void>;
};

/** Something that can happen in a run. `isPossible`: whether it would do anything. */
export type Act = {
  readonly name: string;
  readonly act: (run: Run) => Promise<void>;
  readonly isPossible?: (run: Run) => boolean;
};
