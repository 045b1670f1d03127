import { defined } from '@fairway/values';
import type { Movement, MovementKind, MovementTransfer, NewMovement } from '../plan/movement.ts';
import type { MovementId, PlanId, TimeMs } from '../terms/scalars.ts';

/** A value with a ledger; a plan without money has none. */
type Ledgered = { readonly planId: PlanId; readonly ledger?: readonly Movement[] };

/** The plan with these movements added at its ledger's end. No other function adds to a ledger. */
export function withMovements<P extends Ledgered>(plan: P, added: readonly NewMovement[], atMs: TimeMs): P {
  if (added.length === 0) return plan;
  const ledger = plan.ledger ?? [];
  const rows = added.map((row, index): Movement => {
    const seq = ledger.length + index + 1;
    return { movementId: movementIdOf(plan.planId, seq), seq, ...row, recordedAtMs: atMs };
  });
  return { ...plan, ledger: [...ledger, ...rows] };
}

/**
 * The id of a movement, by its plan and its number: `mov_`, the digits of the plan's id, and the number.
 *
 * @example
 * ```ts
 * import { movementIdOf, type PlanId } from '@fairway/plan';
 *
 * const first = movementIdOf(`plan_${'0'.repeat(32)}` as PlanId, 1);
 * ```
 */
export function movementIdOf(planId: PlanId, seq: number): MovementId {
  return `mov_${planId.slice('plan_'.length)}${seq.toString(16).padStart(8, '0')}` as MovementId;
}

/**
 * The movements that stand, oldest first: those that no later movement takes back. A return that was told again, with
 * its amount in the currency, keeps its first place and `seq`, because payments were made since.
 *
 * @example
 * ```ts
 * import { type Plan, standingMovements } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const deposits = standingMovements(plan).filter(({ kind }) => kind === 'DEPOSIT');
 * ```
 */
export function standingMovements({ ledger = [] }: Ledgered): readonly Movement[] {
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
export function transfersOf(plan: Ledgered, kind: MovementKind): readonly MovementTransfer[] {
  return standingMovements(plan).flatMap((row) => (row.kind === kind ? (row.transfer ?? []) : []));
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
