import { defined } from '@fairway/values';
import type { MinedTransaction, Movement, MovementTransfer, NewMovement } from '../plan/movement.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { movementIdOf } from '../terms/ids.ts';
import { sumOf } from '../terms/amount.ts';
import { isSameLog, isSamePlace } from '../plan/transferPlaces.ts';
import type { Evidence, Plan, StepEvidence, Transfer, TransferPlace } from '../plan/types.ts';
import { standingEvidence } from '../plan/steps.ts';

/** A value with a ledger; a plan without money has none. */
type Ledgered = { readonly ledger?: readonly Movement[] };

/** The plan with these movements added at its ledger's end. No other function adds to a ledger. */
export function withMovements(plan: Plan, added: readonly NewMovement[], atMs: TimeMs): Plan {
  if (added.length === 0) return plan;
  const ledger = plan.ledger ?? [];
  const rows = added.map((row, index): Movement => {
    const seq = ledger.length + index + 1;
    return { movementId: movementIdOf(plan.planId, seq), seq, ...row, recordedAtMs: atMs };
  });
  return { ...plan, ledger: [...ledger, ...rows] };
}

/**
 * The movements that stand, oldest first: those that no later movement takes back. A return that was told again, with
 * its amount in the currency, keeps its first place and `seq`, because payments were made since. `kind`: of this kind alone.
 *
 * @example
 * ```ts
 * import { type Plan, standingMovements } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const deposits = standingMovements(plan, 'DEPOSIT');
 * ```
 */
export function standingMovements({ ledger = [] }: Ledgered, kind?: Movement['kind']): readonly Movement[] {
  const standing = standingIn(ledger);
  return kind === undefined ? standing : standing.filter((row) => row.kind === kind);
}

function standingIn(ledger: readonly Movement[]): readonly Movement[] {
  const known = standingOf.get(ledger);
  if (known !== undefined) return known;
  const reversed = new Set(ledger.map(({ reverses }) => reverses));
  const byId = new Map(ledger.map((row) => [row.movementId, row]));
  const standing = ledger
    .filter(({ movementId, reverses }) => reverses === undefined && !reversed.has(movementId))
    .map((row) => inFirstPlace(byId, ledger[row.seq - 2], row))
    .toSorted((a, b) => a.seq - b.seq);
  standingOf.set(ledger, standing);
  return standing;
}

/** Where the standing movements of a kind are on a chain. Those that no chain moved are left out. */
export function transfersOf(plan: Ledgered, kind: Movement['kind']): readonly MovementTransfer[] {
  return standingMovements(plan, kind).flatMap(({ transfer }) => transfer ?? []);
}

/** Whether a transfer is recorded as money that went back to the payer, in whatever block. */
export function isRefundOf(plan: Ledgered, place: Omit<TransferPlace, 'blockHash'>): boolean {
  return transfersOf(plan, 'REFUND').some((each) => isSameLog(each, place));
}

/** A return that was told once more follows what takes the first report back. No other return is ever taken back. */
function inFirstPlace(
  byId: ReadonlyMap<string, Movement>,
  takenBack: Movement | undefined,
  row: Movement,
): Movement {
  if (row.kind !== 'RETURN' || takenBack?.kind !== 'RETURN' || takenBack.reverses === undefined) return row;
  const first = byId.get(takenBack.reverses);
  return first === undefined ? row : { ...row, seq: first.seq };
}

/** The standing movements of each ledger. A ledger never changes, and one decision asks for them a dozen times. */
const standingOf = new WeakMap<readonly Movement[], readonly Movement[]>();

/** The movement that takes another one back. */
export function reversalOf(movement: Movement): NewMovement {
  const {
    kind,
    side,
    stepId,
    attempt,
    asset,
    actual,
    transfer,
    providerReference,
    verification,
    movementId,
  } = movement;
  const told = defined({ stepId, attempt, transfer, providerReference });
  return { kind, side, ...told, asset, actual, verification, reverses: movementId };
}

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
      row.kind === kind && row.reverses === undefined && isSamePlace(row.transfer, place);
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
    const evidence = standingEvidence(step);
    if (evidence === undefined) return [];
    const isBooked = placesOf(evidence).every((place) =>
      standing.some(({ stepId, transfer }) => stepId === step.stepId && isSamePlace(transfer, place)),
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

/** A transaction and its block, without all else that is known of it. */
export function minedAs({ chainId, txHash, blockNumber, blockHash }: MinedTransaction): MinedTransaction {
  return { chainId, txHash, blockNumber, blockHash };
}

/** The place of a transfer on its chain, with its sender and time where they are known. */
export function placeOf(transfer: Transfer): MovementTransfer {
  const { logIndex, from, blockTimeMs } = transfer;
  return { ...minedAs(transfer), logIndex, ...defined({ from, blockTimeMs }) };
}
