import { defined } from '@fairway/values';
import { sumOf } from '../terms/amount.ts';
import { standingMovements } from './ledger.ts';
import { evidenceOf } from '../plan/steps.ts';
import type { Movement, MovementTransfer } from '../plan/movement.ts';
import { isSamePlace } from '../plan/transferPlaces.ts';
import type { Evidence, Plan, StepEvidence, Transfer, TransferPlace } from '../plan/types.ts';

/** What a step keeps of a transaction: all but what it moved, which is in the ledger. */
export function restingOn({ transfers, amount: _amount, ...told }: Evidence): StepEvidence {
  return { ...told, logIndexes: transfers.map(({ logIndex }) => logIndex) };
}

/** Where the transfers are that a step rests on. */
export function placesOf(evidence: StepEvidence | undefined): readonly TransferPlace[] {
  if (evidence === undefined) return [];
  const { chainId, txHash, blockHash, logIndexes } = evidence;
  return logIndexes.map((logIndex) => ({ chainId, txHash, blockHash, logIndex }));
}

/**
 * The evidence of a step with what its transaction moved. The ledger has it also where the chain has lost the transaction.
 *
 * @example
 * ```ts
 * import { evidenceWith, type Plan, swapStep } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const { evidence } = swapStep(plan);
 * const brought = evidence && evidenceWith(plan, 'SWAP_OUT', evidence).amount;
 * ```
 */
export function evidenceWith(
  { ledger = [] }: Pick<Plan, 'ledger'>,
  kind: 'SWAP_OUT' | 'PAYOUT',
  evidence: StepEvidence,
): Evidence {
  const transfers = placesOf(evidence).flatMap((place) => {
    const isIt = (row: Movement) =>
      row.kind === kind &&
      row.reverses === undefined &&
      row.transfer !== undefined &&
      isSamePlace(row.transfer, place);
    return transferOf(ledger.findLast(isIt));
  });
  const { logIndexes: _logs, ...told } = evidence;
  return { ...told, transfers, amount: sumOf(transfers.map(({ amount }) => amount)) };
}

/**
 * The transactions that the steps of a plan rest on and whose transfers its ledger does not have: always none.
 *
 * @example
 * ```ts
 * import { type Plan, unbookedEvidence } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isLedgerWhole = unbookedEvidence(plan).length === 0;
 * ```
 */
export function unbookedEvidence(plan: Plan): readonly StepEvidence[] {
  const standing = standingMovements(plan);
  return plan.steps.flatMap((step) => {
    const evidence = evidenceOf(step);
    if (evidence === undefined || evidence.status === 'LOST') return [];
    const isBooked = placesOf(evidence).every((place) =>
      standing.some(
        ({ stepId, transfer }) =>
          stepId === step.stepId && transfer !== undefined && isSamePlace(transfer, place),
      ),
    );
    return isBooked ? [] : [evidence];
  });
}

/** The transfer of a movement; none of a movement that is a call, or that nobody saw on a chain. */
export function transferOf(movement: Movement | undefined): readonly Transfer[] {
  if (movement?.transfer?.logIndex === undefined) return [];
  const { to: _to, logIndex, ...place } = movement.transfer;
  return [{ ...place, logIndex, amount: movement.actual }];
}

/** The place of a transfer on its chain, with its sender and time where they are known. */
export function placeOf(transfer: Transfer): MovementTransfer {
  const { chainId, txHash, logIndex, blockNumber, blockHash, from, blockTimeMs } = transfer;
  return { chainId, txHash, logIndex, blockNumber, blockHash, ...defined({ from, blockTimeMs }) };
}
