import { attempt, isUnavailable, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { auditPlans, type LedgerFindings } from '../ledger/auditLedger.ts';
import { type StrayTransfers, strayTransfers } from '../ledger/strayTransfers.ts';
import { isPlan, loadPlans } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { catchUp } from './catchUp.ts';

/** A plan of an organisation, as the place where a part of a sweep ends. */
export type SweptPlan = { readonly scope: PlanScope; readonly planId: string };

/** What a part of a sweep has found. `failed`: plans whose ledger could not be brought up to date, which is a bug. */
export type Swept = {
  readonly ok: true;
  readonly found: number;
  readonly failed: readonly { readonly planId: string; readonly cause: unknown }[];
  readonly next: SweptPlan | undefined;
};

/** The ledgers of plans. */
export type LedgerSweep = {
  /**
   * Brings ledgers up to date that a process of 0.1.0 left behind, of at most `limit` plans of all organisations behind
   * `after`. `next` is the `after` of the next part; undefined at the end. A plan that somebody else holds is left to a
   * later sweep, and several processes may sweep at once.
   */
  catchUp(part: {
    readonly limit: number;
    readonly after?: SweptPlan | undefined;
  }): Promise<Swept | Unavailable>;
  /**
   * Compares every ledger with what else is kept, without any change. `stray`: at most `mostStray` transfers of each kind
   * and token.
   */
  audit(
    mostStray: number,
    onProgress: (findings: LedgerFindings) => void,
  ): Promise<
    { readonly ok: true; readonly findings: LedgerFindings; readonly stray: StrayTransfers } | Unavailable
  >;
};

/** Binds the operations to a database and the service's clock. */
export function createLedgerSweep(database: Database, now: () => Date): LedgerSweep {
  return {
    audit: (mostStray, onProgress) =>
      attempt(async () => {
        const findings = await auditPlans(database, onProgress);
        return { ok: true, findings, stray: await strayTransfers(database, mostStray) };
      }),
    catchUp: ({ limit, after }) =>
      attempt(async () => {
        const behind = await plansBehind(database, limit, after);
        const failed: { planId: string; cause: unknown }[] = [];
        for (const plan of behind) {
          try {
            await catchUpPlan(database, now, plan);
          } catch (cause) {
            if (isUnavailable(cause)) throw cause;
            failed.push({ planId: plan.planId, cause });
          }
        }
        const next = behind.length < limit ? undefined : behind.at(-1);
        return { ok: true, found: behind.length, failed, next };
      }),
  };
}

type IdRow = { organisation_id: string; environment: PlanScope['environment']; plan_id: string };

async function plansBehind(
  database: Database,
  limit: number,
  after: SweptPlan | undefined,
): Promise<SweptPlan[]> {
  const isLater =
    after === undefined
      ? sql`true`
      : sql`(organisation_id, environment, plan_id)
          > (${after.scope.organisationId}, ${after.scope.environment}, ${after.planId})`;
  const { rows } = await sql<IdRow>`
    select organisation_id, environment, plan_id from plans any_behind
    where ledger_revision is distinct from revision and ${isLater}
    order by organisation_id, environment, plan_id limit ${limit}`.execute(database);
  return rows.map(({ organisation_id, environment, plan_id }) => ({
    scope: { organisationId: organisation_id, environment },
    planId: plan_id,
  }));
}

/** Each plan has its own transaction, so that a request never waits for the others. */
async function catchUpPlan(database: Database, now: () => Date, { scope, planId }: SweptPlan): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const isBehind = sql`${isPlan(scope, planId)} and p.ledger_revision is distinct from p.revision`;
    const { rows } = await sql`select from plans p where ${isBehind} for update skip locked`.execute(
      transaction,
    );
    if (rows.length === 0) return;
    const [loaded] = await loadPlans(transaction, isPlan(scope, planId));
    if (loaded !== undefined) await catchUp(transaction, scope, loaded.plan, now().getTime());
  });
}
