import { ZERO } from '../terms/amount.ts';
import { defined } from '@fairway/values';
import { placeOf, placesOf } from '../book/evidence.ts';
import { reversalOf, standingMovements, withMovements } from '../book/ledger.ts';
import { assetsOf } from '../terms/money.ts';
import type { Movement, NewMovement } from '../plan/movement.ts';
import { payoutOf } from '../book/payout.ts';
import { endToEndIdOf, lastStep } from '../book/payoutTurn.ts';
import type { TimeMs, Verification } from '../terms/scalars.ts';
import { isSamePlace, mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { Evidence, Plan, StepEvidence, Transfer } from '../plan/types.ts';

/** What is told of a payment beside its amount. */
type Told = {
  readonly verification?: Verification;
  readonly providerReference?: string;
  readonly occurredAtMs?: TimeMs;
};

/** The plan whose ledger has what a transaction paid, in place of what it had of these transfers in another block. */
export function withPaidBy(plan: Plan, evidence: Evidence, told: Told, atMs: TimeMs): Plan {
  const { transfers } = evidence;
  const known = standingMovements(plan).filter(({ kind }) => kind === 'PAYOUT');
  // A transfer that was recorded as paid once more is no payment of what is due.
  const isSame = ({ transfer, actual, reason }: Movement, moved: Transfer) =>
    transfer !== undefined && reason === undefined && isSamePlace(transfer, moved) && actual === moved.amount;
  const replaced = known.filter(
    (row) =>
      row.transfer !== undefined &&
      transfers.some((moved) => mayBeSameTransfer(row.transfer ?? {}, moved)) &&
      !transfers.some((moved) => isSame(row, moved)),
  );
  const fresh = transfers.filter(
    (moved) => moved.amount !== ZERO && !known.some((row) => isSame(row, moved)),
  );
  const endToEndId = paidAs(plan, evidence);
  const rows = fresh.map(
    (moved): NewMovement => ({
      ...paymentRow(plan, told),
      actual: moved.amount,
      endToEndId,
      transfer: placeOf(moved),
    }),
  );
  return withMovements(plan, [...replaced.map(reversalOf), ...rows], atMs);
}

/** The plan whose ledger has a payment that was told without an amount: it paid all that is left. */
export function withRestPaid(plan: Plan, told: Told, atMs: TimeMs): Plan {
  const { left } = payoutOf(plan);
  if (left === ZERO) return plan;
  const row = { ...paymentRow(plan, told), endToEndId: endToEndIdOf(plan), expected: left, actual: left };
  return withMovements(plan, [row], atMs);
}

function paymentRow(plan: Plan, { verification = 'REPORTED', providerReference, occurredAtMs }: Told) {
  return {
    kind: 'PAYOUT',
    side: 'TARGET',
    stepId: lastStep(plan).stepId,
    asset: assetsOf(plan).target,
    verification,
    ...defined({ providerReference, occurredAtMs }),
  } as const;
}

/** The plan whose ledger no longer has what a transaction paid, because the chain has lost it. */
export function withoutPaidBy(plan: Plan, evidence: StepEvidence, atMs: TimeMs): Plan {
  const places = placesOf(evidence);
  const gone = standingMovements(plan).filter(
    ({ kind, transfer }) =>
      kind === 'PAYOUT' && transfer !== undefined && places.some((place) => isSamePlace(transfer, place)),
  );
  return withMovements(plan, gone.map(reversalOf), atMs);
}

/** The id that a transaction was paid with: the one that it had before a reorganisation took it back, else that of now. */
export function paidAs(plan: Plan, { transfers }: Evidence): string {
  const known = (plan.ledger ?? []).findLast(
    ({ kind, reverses, transfer }) =>
      kind === 'PAYOUT' &&
      reverses === undefined &&
      transfer !== undefined &&
      transfers.some((each) => mayBeSameTransfer(transfer, each)),
  );
  return known?.endToEndId ?? endToEndIdOf(plan);
}
