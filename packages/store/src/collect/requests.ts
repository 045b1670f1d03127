import type { CollectStatus, Plan } from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { loadPlans } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import { addressFingerprint, type Addressing } from './addressees.ts';

/**
 * Which rounds of asking recipients to list; an absent member does not restrict. `email`: the address that the newest link of the
 * round went to. `createdFrom` is included, `createdTo` is not.
 */
export type CollectFilter = {
  readonly status?: CollectStatus | undefined;
  readonly planId?: string | undefined;
  readonly recipientId?: string | undefined;
  readonly email?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
};

/** A round of a plan. `createdAtMs`: when its first link was made. */
export type KeptRound = { readonly plan: Plan; readonly round: number; readonly createdAtMs: number };

/** Rounds, newest first; `next` is the `after` of the next page, undefined at the end. */
export type ListedRounds = {
  readonly rounds: readonly KeptRound[];
  readonly next: string | undefined;
};

/** At most `limit` rounds; with `after` those that follow this place in the list. */
export type RoundPage = { readonly limit: number; readonly after?: string | undefined };

type RoundRow = { readonly plan_id: string; readonly round: number; readonly created_at: Date };

/**
 * Lists rounds, the one first whose first link was made last. Both queries see the same moment, so that each round
 * is as the filter says.
 */
export async function listRounds(
  database: Database,
  fingerprints: Addressing & Pick<Fingerprints, 'isGuarded'>,
  scope: PlanScope,
  filter: CollectFilter,
  { limit, after }: RoundPage,
): Promise<ListedRounds> {
  // Without a key nobody was ever e-mailed.
  if (filter.email !== undefined && !fingerprints.isGuarded)
    return Promise.resolve({ rounds: [], next: undefined });
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const page = roundsOf(fingerprints, scope, filter, { limit: limit + 1, after });
      const { rows } = await sql<RoundRow>`
          select c.plan_id, c.round, c.created_at from collect_requests c where ${page}`.execute(transaction);
      const listed = rows.slice(0, limit);
      const plans = await plansOf(
        transaction,
        scope,
        listed.map(({ plan_id: planId }) => planId),
      );
      const rounds = listed.flatMap((row): KeptRound[] => {
        const plan = plans.get(row.plan_id);
        return plan === undefined ? [] : [keptRound(plan, row)];
      });
      const last = rows.length > limit ? rounds.at(-1) : undefined;
      return { rounds, next: last && roundPlace(last) };
    });
}

/** When a round of a plan began; undefined where the scope has no such round. */
export async function findRound(
  database: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
  round: number,
): Promise<{ readonly createdAtMs: number | undefined }> {
  const { rows } = await sql<Pick<RoundRow, 'created_at'>>`
      select c.created_at from collect_requests c
      where c.organisation_id = ${organisationId} and c.environment = ${environment}
        and c.plan_id = ${planId} and c.round = ${round}`.execute(database);
  return { createdAtMs: rows[0]?.created_at.getTime() };
}

/**
 * The place of a round in the list, which is the `after` of the rounds that follow it.
 *
 * @example
 * ```ts
 * import { type KeptRound, roundPlace } from '@fairway/store';
 *
 * declare const listed: KeptRound;
 * const after = roundPlace(listed);
 * ```
 */
export function roundPlace({ plan: { planId }, round, createdAtMs }: KeptRound): string {
  return `${createdAtMs}_${round}_${planId}`;
}

function keptRound(plan: Plan, { round, created_at }: RoundRow): KeptRound {
  return { plan, round, createdAtMs: created_at.getTime() };
}

async function plansOf(
  database: Database,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<ReadonlyMap<string, Plan>> {
  if (planIds.length === 0) return new Map();
  const isListed = sql`p.organisation_id = ${organisationId} and p.environment = ${environment}
    and p.plan_id = any(${[...new Set(planIds)]})`;
  const loaded = await loadPlans(database, isListed, 'SHOWN');
  return new Map(loaded.map(({ plan }) => [plan.planId, plan]));
}

/** The condition that `c` is a round of the page, with the order. Each filter has an index in this order. */
export function roundsOf(
  fingerprints: Addressing,
  { organisationId, environment }: PlanScope,
  { status, planId, recipientId, email, createdFrom, createdTo }: CollectFilter,
  { limit, after }: RoundPage,
): RawBuilder<unknown> {
  const conditions = [
    sql`c.organisation_id = ${organisationId}`,
    sql`c.environment = ${environment}`,
    ...(status === undefined ? [] : [sql`c.status = ${status}`]),
    ...(planId === undefined ? [] : [sql`c.plan_id = ${planId}`]),
    ...(recipientId === undefined ? [] : [sql`c.recipient_id = ${recipientId}`]),
    ...(email === undefined
      ? []
      : [sql`c.email_fingerprint = ${addressFingerprint(fingerprints, organisationId, email)}`]),
    ...(createdFrom === undefined ? [] : [sql`c.created_at >= ${createdFrom}`]),
    ...(createdTo === undefined ? [] : [sql`c.created_at < ${createdTo}`]),
    ...(after === undefined ? [] : [behind(after)]),
  ];
  return sql`${sql.join(conditions, sql` and `)} order by c.created_at desc, c.plan_id desc, c.round desc limit ${limit}`;
}

function behind(after: string): RawBuilder<unknown> {
  const [, createdMs = '0', roundCount = '0', planId = ''] = /^(\d{1,15})_(\d{1,9})_(\w+)$/.exec(after) ?? [];
  return sql`(c.created_at, c.plan_id, c.round) < (${new Date(Number(createdMs))}, ${planId}, ${Number(roundCount)})`;
}
