import { type Amount, amountOf, ZERO } from '../terms/amount.ts';
import { totalOf } from './equations.ts';
import { standingMovements } from './ledger.ts';
import { swapStep } from '../plan/steps.ts';
import type { Plan } from '../plan/types.ts';

/** What the plan's own execution of its swap has moved, and what is to come of it. */
type Swap = {
  /** What it spent of the source token, and what it brought of the payout token. Nothing, before it is on the chain. */
  readonly spent: Amount;
  readonly brought: Amount;
  /** What it brought or, before it is on the chain, what it will bring as far as that is known. */
  readonly expected: Amount;
};

/**
 * What a plan's swap has moved, as the ledger has it. Executions that nobody asked for are not in it.
 */
export function swapOf(plan: Plan): Swap {
  const own = standingMovements(plan).filter(({ reason }) => reason === undefined);
  const [spent, brought] = [amountOf(totalOf(own, 'SWAP_IN')), amountOf(totalOf(own, 'SWAP_OUT'))];
  return { spent, brought, expected: brought === ZERO ? toCome(plan) : brought };
}

/** What instructions that can be executed promise, else what a swap had brought that the chain has lost. */
function toCome(plan: Plan): Amount {
  const { attempts, expected } = swapStep(plan);
  const last = attempts.at(-1);
  const lost = attempts.findLast(({ outcome }) => outcome !== 'SUPERSEDED');
  const before = lost?.outcome === 'LOST' ? lostOf(plan, lost.txHash) : ZERO;
  return last?.outcome === 'OPEN' || before === ZERO ? (last?.amountOut ?? expected) : before;
}

/** What a transaction had brought in its last block. */
function lostOf({ ledger = [] }: Plan, txHash: string | undefined): Amount {
  const rows = ledger.filter(
    ({ kind, reverses, transfer }) =>
      kind === 'SWAP_OUT' && reverses === undefined && transfer?.txHash === txHash,
  );
  const { blockHash } = rows.at(-1)?.transfer ?? {};
  const logs = new Map(
    rows
      .filter(({ transfer }) => transfer?.blockHash === blockHash)
      .map((row) => [row.transfer?.logIndex, row]),
  );
  const own = [...logs.values()].filter(({ reason }) => reason === undefined);
  return amountOf(totalOf(own, 'SWAP_OUT'));
}
