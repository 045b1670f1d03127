import { transfersOf } from './ledger.ts';
import type { MovementTransfer } from '../plan/movement.ts';
import { swapStep, without, withStep } from '../plan/steps.ts';
import type { Evidence, Plan } from '../plan/types.ts';

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
