import assert from 'node:assert/strict';
import {
  fundsOf,
  imbalanceOf,
  type MovementId,
  type Plan,
  type PlanCommand,
  standingMovements,
} from '../src/index.ts';
import { assertPlan } from './invariants.ts';
import { assertKept } from './ledgerInvariants.ts';
import { derived, evidence, executed, observed } from './planCommands.ts';
import { changedBy, planAfter } from './scenarios.ts';

/** The plan after a command that adds its movements, as the store has them added. */
export function after(plan: Plan, command: PlanCommand): Plan {
  const next = changedBy(plan, command);
  assertPlan(next);
  assertKept(next);
  assert.deepEqual(imbalanceOf(next), []);
  return next;
}

/** A plan that is due to pay 1500, unless `units` says otherwise, after these commands. */
export function due(commands: readonly PlanCommand[] = [], units = 1_500n): Plan {
  const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL', units), 1)];
  return [...done, ...commands].reduce(after, planAfter([]));
}

/** The payments and deductions of a plan that stand, as texts. */
export function rowsOf(plan: Plan): readonly string[] {
  return standingMovements(plan)
    .filter(({ kind }) => kind === 'PAYOUT' || kind === 'DEDUCTION' || kind === 'RETURN')
    .map(({ kind, actual, providerReference, note }) =>
      [kind, actual, providerReference, note].filter((part) => part !== undefined).join(' '),
    );
}

/** The movement of a payment. */
export function idOf(plan: Plan, reference: string): MovementId {
  const row = standingMovements(plan).find(
    ({ kind, providerReference }) => kind === 'PAYOUT' && providerReference === reference,
  );
  return row?.movementId ?? assert.fail(`There is no payment ${reference}`);
}

/** Asserts how much the books of a plan have as outstanding. */
export function assertBooks(plan: Plan, outstanding: string): void {
  const target = fundsOf(plan).at(-1);
  assert.equal(target?.outstanding, outstanding);
}
