import type { Random } from '@fairway/testing';
import type { RefBlock, RefExecution, RefTransfer } from './referenceLedger.ts';

/** What a transaction does: one transfer, or executions of plans' instructions, one call after the other. */
export type RefTransaction =
  | { readonly kind: 'TRANSFER'; readonly transfer: Omit<RefTransfer, 'log'> }
  | { readonly kind: 'EXECUTION'; readonly executions: readonly Omit<RefExecution, 'log'>[] };

/** A chain that can be reorganised. */
export type RefChain = {
  /** The canonical blocks, oldest first; the first one has the number 1. */
  blocks(): readonly RefBlock[];
  mine(transactions: readonly RefTransaction[]): void;
  /**
   * Replaces the newest blocks. Their transactions are mined again in the same or another order, with other log
   * indexes, or never.
   */
  reorganise(depth: number): void;
};

/** The gas of a transaction in a block: some number, another one in another block. */
export function gasIn(tx: string, blockHash: string): bigint {
  let sum = 0;
  for (const letter of `${tx} ${blockHash}`) sum = (sum * 31 + letter.charCodeAt(0)) % 1_000_003;
  return 21_000n + BigInt(sum);
}

/** Makes an empty chain. */
export function createRefChain(random: Random): RefChain {
  let blocks: { block: RefBlock; transactions: readonly RefTransaction[] }[] = [];
  let made = 0;

  function mine(transactions: readonly RefTransaction[]): void {
    made += 1;
    const number = blocks.length + 1;
    // A log index counts over the whole block, so that it depends on the order of the transactions.
    let log = 0;
    const placed = transactions.map((transaction) => {
      const first = log;
      log += transaction.kind === 'EXECUTION' ? transaction.executions.length : 1;
      return { transaction, log: first };
    });
    const transfers = placed.flatMap(({ transaction, log }) =>
      transaction.kind === 'TRANSFER' ? [{ ...transaction.transfer, log }] : [],
    );
    const executions = placed.flatMap(({ transaction, log }) =>
      transaction.kind === 'EXECUTION'
        ? transaction.executions.map((execution, index) => ({ ...execution, log: log + index }))
        : [],
    );
    blocks.push({
      block: { number, hash: `block ${number} of ${made}`, transfers, executions },
      transactions,
    });
  }

  return {
    blocks: () => blocks.map(({ block }) => block),
    mine,
    reorganise(depth) {
      const lost = blocks.slice(-depth);
      blocks = blocks.slice(0, blocks.length - lost.length);
      const transactions = lost.flatMap((each) => each.transactions).filter(() => random.integer(1, 4) > 1);
      if (random.integer(0, 1) === 1) transactions.reverse();
      for (let left = lost.length; left > 0; left -= 1) {
        const part = random.integer(0, transactions.length);
        mine(transactions.splice(0, left === 1 ? transactions.length : part));
      }
    },
  };
}
