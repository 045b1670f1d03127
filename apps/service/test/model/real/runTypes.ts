import type { Random } from '@fairway/testing';
import type { Kept } from './keptTypes.ts';
import type { DatabaseBackup, Ground } from './ground.ts';

/** A run with its plans. */
export type Run = {
  readonly ground: Ground;
  readonly random: Random;
  /** A name that no other run on this ground has. */
  readonly name: string;
  readonly kept: Kept[];
  /** How many plans were ever made. */
  made: number;
  /** The database at an earlier moment, with the plans as they were, and what was known of the chain. */
  backup?: {
    readonly database: DatabaseBackup;
    readonly kept: readonly Kept[];
    readonly firstBlocks: ReadonlyMap<string, number>;
  };
  /** The account that deposits come from. */
  readonly payer: string;
  /** Nothing of the run happened before this block. */
  readonly fromBlock: number;
  /** How often a process may still be killed. */
  kills: number;
  /** How often the database may still be put back. */
  restores: number;
  reorganisations: number;
  /** A transfer of the payer in a block of its own. */
  pay(token: string, to: string, amount: bigint): Promise<void>;
};

/** Something that can happen in a run, which may answer more about it. `isPossible`: whether it would do anything. */
export type Act = {
  readonly name: string;
  readonly act: (run: Run) => Promise<string | void>;
  readonly isPossible?: (run: Run) => boolean;
};

/** Whether the database may still be put back to a moment that has passed. */
export function canForget({ backup, restores }: Run): boolean {
  return backup !== undefined && restores > 0;
}
