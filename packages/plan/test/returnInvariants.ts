import assert from 'node:assert/strict';
import { fundsOf, type Plan, type PlanCommand, standingMovements } from '../src/index.ts';
import { isSameReturn } from '../src/returns/returnedMoney.ts';

type Told = Extract<PlanCommand, { type: 'PAYOUT_RETURNED' | 'DELIVERY_REPORTED' }>;

/** Asserts what a command that tells of a return does to what came back; `command` is undefined for all others. */
export function assertReturns(before: Plan, command: Told | undefined, after: Plan): void {
  const isNew = command !== undefined && !before.returns.some((known) => isSameReturn(known, command));
  assert.equal(after.returns.length, before.returns.length + (isNew ? 1 : 0));
  if (command !== undefined && !isNew) assertReportedAgain(before, after);
}

/** A return that was told once more is what it was, and the ledger has what came back in the currency. */
function assertReportedAgain(before: Plan, after: Plan): void {
  const [reversal, again, ...others] = (after.ledger ?? []).slice(before.ledger?.length ?? 0);
  assert.equal(others.length, 0);
  const first = standingMovements(before).find(({ movementId }) => movementId === reversal?.reverses);
  const { paid, movementId: _id, seq: _seq, recordedAtMs: _at, ...same } = again ?? assert.fail();
  const { movementId: _was, seq, recordedAtMs: _then, ...told } = first ?? assert.fail();
  assert.deepEqual([same, paid === undefined], [told, false]);
  assert.deepEqual(
    standingMovements(after).map((row) => row.seq),
    standingMovements(before).map((row) => row.seq),
    `it stands at ${seq}, where it was told first`,
  );
  assert.deepEqual(after.steps, before.steps);
  const sums = (plan: Plan) =>
    fundsOf(plan).map(({ unallocated, ...rest }) => [
      rest,
      unallocated.map(({ movementId: _named, ...entry }) => entry),
    ]);
  assert.deepEqual(sums(after), sums(before));
}
