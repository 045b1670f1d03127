import type { Direction } from './statement.ts';

/** An entry of a statement that is to be matched. */
export type MatchEntry = {
  readonly entryId: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly minor: bigint;
  readonly valueOn: string;
  readonly endToEndId?: string;
  readonly references: readonly string[];
  readonly name?: string;
};

/**
 * A movement of the ledger that an entry may be. `minor`: what the bank moved for it, in minor units of `currency`; undefined where nobody
 * told. `taken`: how much of it entries have already. `on`: the day on which it happened, YYYY-MM-DD.
 */
export type MatchMovement = {
  readonly movementId: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly minor: bigint | undefined;
  readonly taken: bigint;
  readonly on: string;
  readonly endToEndId?: string;
  readonly providerReference?: string;
  readonly name?: string;
};
