import type { Store } from '@fairway/store';
import type { Chains } from '../payments/index.ts';

/** What the use cases of statements need. */
export type StatementParts = {
  readonly statements: Store['statements'];
  /** Whether there is a key to seal names and accounts with. */
  readonly canSeal: boolean;
  readonly chains: Chains;
  nowMs(): number;
};
