import { toAddress } from '@fairway/engine';
import type { DecimalsOf, Store } from '@fairway/store';
import type { Chains, Corridors } from '../payments/index.ts';

/** What the use cases of statements need. */
export type StatementParts = {
  readonly statements: Store['statements'];
  /** Whether there is a key to seal names and accounts with. */
  readonly canSeal: boolean;
  /** The decimals of the tokens of this process's corridors, as far as they were read. */
  readonly decimalsOf: DecimalsOf;
  readonly chains: Chains;
  nowMs(): number;
};

/** Makes the parts of statements on payments. */
export function createStatementParts(
  { corridors, chains, nowMs }: { readonly corridors: Corridors; readonly chains: Chains; nowMs(): number },
  statements: StatementParts['statements'],
  canSeal: boolean,
): StatementParts {
  return {
    ...{ statements, canSeal, chains, nowMs },
    decimalsOf(chainId, address) {
      const wanted = toAddress(address);
      const listed = corridors.list('ALL').find(({ corridor: { target } }) => {
        return target.chainId === chainId && target.token === wanted;
      });
      return listed?.targetToken.decimals;
    },
  };
}
