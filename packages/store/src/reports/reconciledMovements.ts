import { minorDecimalsOf } from '@fairway/plan';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type FoundMovement, isOfPlans, loadMovements } from '../reconciliation/movements.ts';
import type { Reconciled } from './report.ts';
import type { PeriodMovement } from './movementsOfPeriod.ts';

/** How many entries are told of a movement at most. */
const MOST_ENTRIES = 20;

/** A movement to look up in reconciliation, and where its money went. */
type AskedMovement = Pick<PeriodMovement, 'planId' | 'movement' | 'payee'>;

/**
 * What reconciliation says of movements, in their order, as it is now. It is null for movements that no bank
 * statement has. These are other kinds than payouts and returns, reversals, payments to wallets, and movements that
 * were taken back before any entry had them.
 */
export async function reconciledMovements(
  database: Database,
  scope: PlanScope,
  movements: readonly AskedMovement[],
): Promise<{ readonly reconciled: readonly (Reconciled | null)[] }> {
  const payments = movements.filter(isPayment);
  if (payments.length === 0) return { reconciled: movements.map(() => null) };
  const planIds = [...new Set(payments.map(({ planId }) => planId))];
  const found = await loadMovements(database, scope, isOfPlans(planIds));
  const foundById = new Map(found.map((each) => [each.movement.movementId, each]));
  const entries = await entriesOf(database, scope, payments);
  const reconciled = movements.map((asked) => {
    const { movementId } = asked.movement;
    const [payment, its] = [foundById.get(movementId), entries.get(movementId)];
    return payment === undefined || its === undefined ? null : stateOf(asked, payment, its);
  });
  return { reconciled };
}

function isPayment({ movement: { kind, reverses } }: AskedMovement): boolean {
  return (kind === 'PAYOUT' || kind === 'RETURN') && reverses === undefined;
}

/** The entries that are matched with a movement, and those that may be. */
type Entries = { readonly matched: readonly string[]; readonly tentative: readonly string[] };

async function entriesOf(
  database: Database,
  { organisationId, environment }: PlanScope,
  payments: readonly AskedMovement[],
): Promise<ReadonlyMap<string, Entries>> {
  const ids = payments.map(({ movement }) => movement.movementId);
  // Found by what they propose before they are ordered: in the order of their key, nearly all entries would be gone through.
  const { rows } = await sql<Entries & { movement_id: string }>`
    select x.movement_id,
      array(select a.entry_id from entry_allocations a
        where a.organisation_id = ${organisationId} and a.environment = ${environment}
          and a.plan_id = x.plan_id and a.movement_seq = x.seq
        order by a.entry_id limit ${MOST_ENTRIES}) as matched,
      array(select f.entry_id from (
          select e.entry_id from statement_entries e
          where e.organisation_id = ${organisationId} and e.environment = ${environment}
            and e.status = 'TENTATIVE' and e.proposals @> x.proposal
          offset 0
        ) f order by f.entry_id limit ${MOST_ENTRIES}) as tentative
    from unnest(${ids}::text[], ${payments.map(({ planId }) => planId)}::text[],
      ${payments.map(({ movement }) => movement.seq)}::integer[],
      ${ids.map((movementId) => JSON.stringify([{ movementId }]))}::jsonb[]) as x (movement_id, plan_id, seq, proposal)`.execute(
    database,
  );
  return new Map(rows.map(({ movement_id, ...entries }) => [movement_id, entries]));
}

function stateOf(
  { movement, payee }: AskedMovement,
  { isTakenBack, taken, money }: FoundMovement,
  { matched, tentative }: Entries,
): Reconciled | null {
  if (matched.length > 0) {
    // When nobody told the amount of a payment, an entry tells it.
    const isWhole = money.minor === undefined || taken >= money.minor;
    const state = isTakenBack ? 'TAKEN_BACK' : isWhole ? 'MATCHED' : 'PARTLY_MATCHED';
    return { state, entryIds: matched };
  }
  if (isTakenBack) return null;
  if (tentative.length > 0) return { state: 'TENTATIVE', entryIds: tentative };
  const isOfBank =
    payee?.type !== 'wallet' &&
    movement.transfer === undefined &&
    minorDecimalsOf(money.currency) !== undefined;
  return isOfBank ? { state: 'OPEN', entryIds: [] } : null;
}
