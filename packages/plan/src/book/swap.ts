import { type Amount, amountOf, ZERO } from '../terms/amount.ts';
import { totalOf } from './equations.ts';
import { standingMovements, transfersOf } from './ledger.ts';
import { swapStep, without, withStep } from '../plan/steps.ts';
import type { Evidence, Plan } from '../plan/types.ts';
import type { Movement, MovementTransfer } from '../plan/movement.ts';
import type { Hash } from '../terms/scalars.ts';

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

/** The standing movements of what a transaction executed. */
export function executionsBy(plan: Plan, txHash: Hash): readonly Movement[] {
  const rows = [...standingMovements(plan, 'SWAP_IN'), ...standingMovements(plan, 'SWAP_OUT')];
  return rows.filter(({ transfer }) => transfer?.txHash === txHash).toSorted((a, b) => a.seq - b.seq);
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

type InBlock = Pick<MovementTransfer, 'txHash' | 'blockHash'>;

/** Whether an execution has the confirmations of the corridor: the plan's own, or another one. */
export function isFinalExecution(plan: Plan, transfer: InBlock | undefined): boolean {
  const { evidence, finalOthers = [] } = swapStep(plan);
  const own = evidence?.status === 'FINAL' ? [evidence] : [];
  return transfer !== undefined && [...own, ...finalOthers].some((each) => isSameBlock(each, transfer));
}

/**
 * The transactions that executed instructions beside the plan's own execution, and that are not known to have the
 * confirmations of the corridor.
 *
 * @example
 * ```ts
 * import { confirmingOthers, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const hashes = confirmingOthers(plan).map(({ txHash }) => txHash);
 * ```
 */
export function confirmingOthers(plan: Plan): readonly MovementTransfer[] {
  const { evidence } = swapStep(plan);
  return transfersOf(plan, 'SWAP_IN').filter(
    (each) => each.txHash !== evidence?.txHash && !isFinalExecution(plan, each),
  );
}

/** The plan that knows of another execution that it has its confirmations. */
export function withFinalOther(plan: Plan, { txHash, blockHash, status }: Evidence): Plan {
  if (status !== 'FINAL' || isFinalExecution(plan, { txHash, blockHash })) return plan;
  const swap = swapStep(plan);
  return withStep(plan, { ...swap, finalOthers: [...(swap.finalOthers ?? []), { txHash, blockHash }] });
}

/** The plan without other executions that are not in its ledger any more: mined again, they are to be confirmed again. */
export function withoutGoneOthers(plan: Plan): Plan {
  const swap = swapStep(plan);
  if (swap.finalOthers === undefined) return plan;
  const calls = transfersOf(plan, 'SWAP_IN');
  const left = swap.finalOthers.filter((each) => calls.some((call) => isSameBlock(each, call)));
  if (left.length === swap.finalOthers.length) return plan;
  const bare = without(swap, 'finalOthers');
  return withStep(plan, left.length === 0 ? bare : { ...bare, finalOthers: left });
}

function isSameBlock(a: InBlock, b: InBlock): boolean {
  return a.txHash === b.txHash && a.blockHash === b.blockHash;
}
