// What the files must add up to, by the second ledger, which is told what is on the chain and what was acknowledged.
import assert from 'node:assert/strict';
import type { MovementKind } from '@fairway/plan';
import { modelOf } from '../world.ts';
import { gasIn } from '../refChain.ts';
import type { RefFunds } from '../referenceLedger.ts';
import type { Kept, World } from '../worldTypes.ts';
import { placedHash, placedPlanId, placedToken, type Placing } from './placing.ts';

/** Sums by a name; what is not in it is nothing. */
export type Sums = Map<string, bigint>;

/** Which of the columns of a plan's row are amounts. */
export const PLAN_AMOUNTS = [
  'depositedAmount',
  'swappedInAmount',
  'refundedInAmount',
  'swappedOutAmount',
  'paidOutAmount',
  'returnedAmount',
  'refundedOutAmount',
  'deductedAmount',
] as const;

/**
 * What is due of a plan. `moved`: by `<chain> <token> <kind>`. `amounts`: the columns of the report of plans. `places`: where the
 * chain has its deposits and what its swaps brought. `gas`: of the transactions of its swaps, by their hashes.
 */
export type Book = {
  readonly planId: string;
  readonly moved: Sums;
  readonly amounts: Sums;
  readonly places: readonly string[];
  readonly gas: ReadonlyMap<string, bigint>;
};

const FUNDS: Readonly<Record<MovementKind, keyof RefFunds>> = {
  DEPOSIT: 'received',
  SWAP_IN: 'spent',
  SWAP_OUT: 'brought',
  PAYOUT: 'paid',
  RETURN: 'returned',
  REFUND: 'refunded',
  DEDUCTION: 'deducted',
};

/** The books of the plans of a world, as the chain is now. */
export function booksOf(world: World, placing: Placing): readonly Book[] {
  const model = modelOf(world);
  return world.kept.map((one): Book => {
    const due = model.get(one.plan.planId);
    assert.ok(due !== undefined);
    const moved: Sums = new Map();
    for (const [token, funds] of due.funds)
      for (const [kind, name] of Object.entries(FUNDS))
        add(moved, `${placing.way.source.chainId} ${placedToken(placing, token)} ${kind}`, funds[name]);
    const deposits = due.deposits.map((deposit) => {
      const [tx = '', log] = deposit.split(' ');
      return `DEPOSIT ${placedHash(placing, tx)} ${log}`;
    });
    const executed = world.chain
      .blocks()
      .flatMap(({ hash, executions }) =>
        executions
          .filter(({ attempt }) => one.attempts.includes(attempt))
          .map(({ tx, log }) => ({ txHash: placedHash(placing, tx), log, gas: gasIn(tx, hash) })),
      );
    const swaps = executed.map(({ txHash, log }) => `SWAP_OUT ${txHash} ${log}`);
    const gas = new Map(executed.map((each) => [each.txHash, each.gas]));
    const planId = placedPlanId(placing, one.plan.planId);
    const places = [...deposits, ...swaps].sort();
    return { planId, moved, amounts: amountsOf(one, due.funds), places, gas };
  });
}

function amountsOf({ plan, refunds }: Kept, funds: ReadonlyMap<string, RefFunds>): Sums {
  const { source, target } = plan.corridor;
  const [given, got] = [funds.get(source.token), funds.get(target.token)];
  assert.ok(given !== undefined && got !== undefined);
  const refunded = (token: string, isPayers: boolean) =>
    refunds
      .filter((refund) => refund.token === token && refund.isPayers === isPayers)
      .reduce((sum, { amount }) => sum + amount, 0n);
  const amounts: Readonly<Record<(typeof PLAN_AMOUNTS)[number], bigint>> = {
    depositedAmount: given.received,
    swappedInAmount: given.spent,
    refundedInAmount: refunded(source.token, true),
    swappedOutAmount: got.brought,
    paidOutAmount: got.paid,
    returnedAmount: got.returned,
    refundedOutAmount: refunded(target.token, false),
    deductedAmount: got.deducted,
  };
  const sums: Sums = new Map();
  for (const [column, amount] of Object.entries(amounts)) add(sums, column, amount);
  return sums;
}

/** The gas of all transactions that swapped for plans, each once, and what it cost. */
export function gasOf(books: readonly Book[]): Sums {
  const sums: Sums = new Map();
  for (const [txHash, gas] of new Map(books.flatMap((book) => [...book.gas]))) {
    add(sums, `gasUsed of ${txHash}`, gas);
    add(sums, `gasCost of ${txHash}`, 3n * gas);
  }
  return sums;
}

/** Adds to a sum; one that comes to nothing is left out. */
export function add(sums: Sums, name: string, amount: bigint): void {
  const sum = (sums.get(name) ?? 0n) + amount;
  if (sum === 0n) sums.delete(name);
  else sums.set(name, sum);
}

/** The sum of sums. */
export function together(all: Iterable<Sums>): Sums {
  const sums: Sums = new Map();
  for (const each of all) for (const [name, amount] of each) add(sums, name, amount);
  return sums;
}
