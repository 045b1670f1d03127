import { catchUpEvent, decide, type NewMovement, type Plan } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { watchAdopted } from '../effects/watchedAddresses.ts';
import { type ClaimedTransfer, TransferClaimedError } from '../ledger/refusals.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { updatePlan } from './writePlan.ts';

/** The `actor` of events that bring a ledger up to date. */
const LEDGER_ACTOR = 'service';

/**
 * Brings a locked plan up to date that a process of 0.1.0 wrote: its ledger, with claims and references, and the
 * addresses that are watched for it. Answers the plan after that. A transfer that another plan has claimed stays without
 * a movement: 0.1.0 let a plan that had ended show it without claiming it.
 */
export async function catchUp(
  transaction: Database,
  scope: PlanScope,
  plan: Plan,
  nowMs: number,
): Promise<Plan> {
  await watchAdopted(transaction, scope, plan, nowMs);
  const taken: ClaimedTransfer[] = [];
  for (;;) {
    const after = caughtUp(plan, taken, nowMs);
    if (after === undefined) {
      await markCaughtUp(transaction, scope, plan);
      return plan;
    }
    const missed = await tryWrite(transaction, scope, plan, after, nowMs);
    if (missed.length === 0) return after.plan;
    taken.push(...missed);
  }
}

type CaughtUp = {
  readonly event: NonNullable<ReturnType<typeof catchUpEvent>>;
  readonly plan: Plan;
};

/** The plan with the movements that its ledger lacks, except those of transfers that are taken. */
function caughtUp(plan: Plan, taken: readonly ClaimedTransfer[], nowMs: number): CaughtUp | undefined {
  const missing = catchUpEvent(plan);
  const movements = missing?.movements.filter((movement) => !isTaken(movement, taken)) ?? [];
  if (missing === undefined || movements.length === 0) return undefined;
  const event = { ...missing, movements };
  const decision = decide(plan, event, nowMs);
  if (!decision.ok) throw new Error(`The ledger of ${plan.planId} cannot catch up.`);
  return { event, plan: decision.plan };
}

/** Whether a movement is of a transfer that is taken: `isSameLog`, of which a refusal holds no chain. */
function isTaken({ transfer }: NewMovement, taken: readonly ClaimedTransfer[]): boolean {
  return taken.some(
    ({ txHash, logIndex }) =>
      transfer?.logIndex === logIndex && transfer.txHash.toLowerCase() === txHash.toLowerCase(),
  );
}

/** Writes a ledger that has caught up. Answers the transfers that settle something else; then nothing is written. */
async function tryWrite(
  transaction: Database,
  scope: PlanScope,
  before: Plan,
  { event, plan: after }: CaughtUp,
  nowMs: number,
): Promise<readonly ClaimedTransfer[]> {
  const recorded = { revision: after.revision, atMs: nowMs, actor: LEDGER_ACTOR, event };
  await sql`savepoint catching_up`.execute(transaction);
  try {
    // Nothing happens to a plan when its books are brought up to date, so nobody is told.
    await updatePlan(transaction, { scope, before, after, recorded, nowMs, news: [] });
    await sql`release savepoint catching_up`.execute(transaction);
    return [];
  } catch (cause) {
    if (!(cause instanceof TransferClaimedError) || cause.transfers.length === 0) throw cause;
    await sql`rollback to savepoint catching_up`.execute(transaction);
    return cause.transfers;
  }
}

/** Notes that the ledger of a plan lacks nothing, or nothing that it could have. */
async function markCaughtUp(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  { planId }: Plan,
): Promise<void> {
  await sql`update plans set ledger_revision = revision
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${planId}`.execute(
    transaction,
  );
}
