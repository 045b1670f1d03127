import { isDeepStrictEqual } from 'node:util';
import {
  type Acknowledged,
  acknowledgementOf,
  imbalanceOf,
  isOver,
  unbookedEvidence,
  type Movement,
  type PlanStatus,
  planOf,
  planStatus,
  type RecordedEvent,
} from '@fairway/plan';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type LoadedPlan, loadPlans } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { claimsOf } from '../payments/claims/claims.ts';
import { referencesOf } from '../payments/claims/references.ts';
import { type StrayTransfers, strayTransfers } from './strayTransfers.ts';

/**
 * What is wrong with a plan. HISTORY_DIFFERS: its events do not rebuild it. STATUS_DIFFERS: lists find it by another status
 * than the one that its events give. IMBALANCE: its funds are not what its movements
 * add up to. MOVEMENTS_MISSING: a step rests on a transaction whose movements the ledger does not have.
 * CLAIMS_DIFFER: the transfers that are claimed for it are not those that its ledger counts. REFERENCES_DIFFER: the
 * same for the references that settle its payouts.
 */
export type LedgerFault = {
  readonly kind:
    | 'HISTORY_DIFFERS'
    | 'STATUS_DIFFERS'
    | 'IMBALANCE'
    | 'MOVEMENTS_MISSING'
    | 'CLAIMS_DIFFER'
    | 'REFERENCES_DIFFER';
  readonly organisationId: string;
  readonly planId: string;
  readonly detail: string;
};

/**
 * Unacknowledged money of a plan that is over: money that is there (IN), and money that was paid without a recorded
 * arrival (OUT).
 */
export type LeftMoney = {
  readonly organisationId: string;
  readonly planId: string;
  readonly status: PlanStatus;
  readonly left: readonly Acknowledged[];
};

/**
 * What an audit has found so far. `left`: the plans that are over and are to be looked at for their money, which is no
 * fault.
 */
export type LedgerFindings = {
  readonly plans: number;
  readonly left: readonly LeftMoney[];
  readonly faults: readonly LedgerFault[];
};

/** The audit of all ledgers. */
export type LedgerAudit = {
  /**
   * Compares every ledger with what else is kept, without any change. `stray`: at most `mostStray` transfers of each kind
   * and token.
   */
  audit(
    mostStray: number,
    onProgress: (findings: LedgerFindings) => void,
  ): Promise<{ readonly findings: LedgerFindings; readonly stray: StrayTransfers }>;
};

/** Binds the audit to a database. */
export function createLedgerAudit(database: Database): LedgerAudit {
  return {
    audit: async (mostStray, onProgress) => {
      const findings = await auditPlans(database, onProgress);
      return { findings, stray: await strayTransfers(database, mostStray) };
    },
  };
}

/** How many plans are read at a time, in one moment of the database. */
const PLANS_AT_ONCE = 200;

/**
 * Compares the ledger of every plan of all organisations with its history. Compares it also with the transfers that
 * are claimed for it, and with the references that settle its payouts. Changes nothing, and can run beside services.
 * `onProgress` is told what was found after each part.
 */
async function auditPlans(
  database: Database,
  onProgress: (findings: LedgerFindings) => void,
): Promise<LedgerFindings> {
  let findings: LedgerFindings = { plans: 0, left: [], faults: [] };
  let last: PlanKey | undefined;
  for (;;) {
    const keys = await plansAfter(database, last);
    for (const part of inOneScope(keys)) {
      const loaded = await auditPart(database, part);
      findings = {
        plans: findings.plans + loaded.plans,
        left: [...findings.left, ...loaded.left],
        faults: [...findings.faults, ...loaded.faults],
      };
      onProgress(findings);
    }
    if (keys.length < PLANS_AT_ONCE) return findings;
    last = keys.at(-1);
  }
}

type PlanKey = { organisation_id: string; environment: PlanScope['environment']; plan_id: string };

async function plansAfter(database: Database, last: PlanKey | undefined): Promise<PlanKey[]> {
  const isLater =
    last === undefined
      ? sql`true`
      : sql`(organisation_id, environment, plan_id) > (${last.organisation_id}, ${last.environment}, ${last.plan_id})`;
  const { rows } = await sql<PlanKey>`
    select organisation_id, environment, plan_id from plans any_audited where ${isLater}
    order by organisation_id, environment, plan_id limit ${PLANS_AT_ONCE}`.execute(database);
  return rows;
}

type Part = { readonly scope: PlanScope; readonly planIds: readonly string[] };

function inOneScope(keys: readonly PlanKey[]): Part[] {
  const parts = Map.groupBy(keys, (key) => JSON.stringify([key.organisation_id, key.environment]));
  return [...parts.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const scope = { organisationId: first.organisation_id, environment: first.environment };
    return [{ scope, planIds: rows.map(({ plan_id }) => plan_id) }];
  });
}

/** Reads in one transaction, so that a plan and its rows are of one moment while services go on. */
function auditPart(database: Database, { scope, planIds }: Part): Promise<LedgerFindings> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const isOfPart = sql`p.organisation_id = ${scope.organisationId} and p.environment = ${scope.environment}
        and p.plan_id = any(${planIds})`;
      const plans = await loadPlans(transaction, isOfPart);
      const kept: Kept = {
        events: await eventsOf(transaction, scope, planIds),
        claims: await keptClaims(transaction, scope, planIds),
        references: await keptReferences(transaction, scope, planIds),
      };
      return {
        plans: plans.length,
        left: plans.flatMap(leftOf),
        faults: plans.flatMap((loaded) => faultsOf(loaded, kept)),
      };
    });
}

type Kept = {
  readonly events: ReadonlyMap<string, readonly RecordedEvent[]>;
  readonly claims: ReadonlyMap<string, readonly string[]>;
  readonly references: ReadonlyMap<string, readonly string[]>;
};

/** What is left of a plan that is over. Plans that are not over are in the list of open plans, with what is next. */
function leftOf({ scope, plan }: LoadedPlan): LeftMoney[] {
  if (!isOver(plan)) return [];
  const left = acknowledgementOf(plan);
  const { organisationId } = scope;
  return left.length === 0 ? [] : [{ organisationId, planId: plan.planId, status: planStatus(plan), left }];
}

function faultsOf({ scope, plan, listedStatus }: LoadedPlan, kept: Kept): LedgerFault[] {
  const { planId } = plan;
  const fault = (kind: LedgerFault['kind'], detail: string): LedgerFault => ({
    ...{ kind, organisationId: scope.organisationId, planId, detail },
  });
  const faults: LedgerFault[] = [];
  const rebuilt = planOf(kept.events.get(planId) ?? []);
  if (!isDeepStrictEqual(rebuilt, plan))
    faults.push(fault('HISTORY_DIFFERS', 'Its events rebuild another plan than the one that is stored.'));
  const status = rebuilt && planStatus(rebuilt);
  if (status !== undefined && status !== listedStatus)
    faults.push(fault('STATUS_DIFFERS', `It has the status ${listedStatus}, and its events give ${status}.`));
  // Both equations of an asset may be off by the same amount.
  const imbalances = imbalanceOf(plan).map(
    ({ asset, by }) => `Its funds of ${JSON.stringify(asset)} are off by ${by}.`,
  );
  faults.push(...[...new Set(imbalances)].map((detail) => fault('IMBALANCE', detail)));
  const missing = unbookedEvidence(plan).map(({ txHash }) => txHash);
  if (missing.length > 0)
    faults.push(
      fault('MOVEMENTS_MISSING', `A step rests on ${missing.join(', ')}, whose movements are missing.`),
    );
  const { claimed } = claimsOf(scope, plan);
  const claims = differenceOf(claimed.map(nameOfClaim), kept.claims.get(planId));
  if (claims !== undefined) faults.push(fault('CLAIMS_DIFFER', claims));
  const own = referencesOf(plan)
    .filter(({ movement }) => movement.kind === 'PAYOUT' || !isClaimed(movement, kept.claims.get(planId)))
    .map(({ reference }) => reference);
  const references = differenceOf(own, kept.references.get(planId));
  if (references !== undefined) faults.push(fault('REFERENCES_DIFFER', references));
  return faults;
}

function isClaimed({ kind, transfer }: Movement, claims: readonly string[] = []): boolean {
  return claims.includes(
    `${kind} ${transfer?.chainId}:${transfer?.txHash.toLowerCase()}:${transfer?.logIndex}`,
  );
}

/** What only one of two lists has, as a sentence; undefined when both have the same. */
function differenceOf(counted: readonly string[], kept: readonly string[] = []): string | undefined {
  const missing = [...new Set(counted)].filter((each) => !kept.includes(each));
  const unknown = kept.filter((each) => !counted.includes(each));
  if (missing.length + unknown.length === 0) return undefined;
  const told = [
    ...(missing.length === 0 ? [] : [`not kept: ${missing.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`kept without a movement: ${unknown.join(', ')}`]),
  ];
  return `${told.join('; ')}.`;
}

async function eventsOf(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<Kept['events']> {
  const { rows } = await sql<{ plan_id: string; at: Date } & Omit<RecordedEvent, 'atMs'>>`
    select plan_id, revision, at, actor, command, changes from plan_events
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = any(${planIds})
    order by plan_id, revision`.execute(transaction);
  const grouped = Map.groupBy(rows, ({ plan_id }) => plan_id);
  return new Map(
    [...grouped].map(([planId, events]) => [
      planId,
      events.map(({ plan_id: _plan, at, ...event }) => ({ ...event, atMs: at.getTime() })),
    ]),
  );
}

type ClaimKey = {
  readonly role: string;
  readonly chain_id: number | string;
  readonly tx_hash: string;
  readonly log_index: number;
};

function nameOfClaim({ role, chain_id, tx_hash, log_index }: ClaimKey): string {
  return `${role} ${chain_id}:${tx_hash.toLowerCase()}:${log_index}`;
}

async function keptClaims(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<Kept['claims']> {
  const { rows } = await sql<ClaimKey & { plan_id: string }>`
    select plan_id, role, chain_id, tx_hash, log_index from settlements
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = any(${planIds})
      and lost_at is null`.execute(transaction);
  const grouped = Map.groupBy(rows, ({ plan_id }) => plan_id);
  return new Map([...grouped].map(([planId, claims]) => [planId, claims.map(nameOfClaim)]));
}

async function keptReferences(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<Kept['references']> {
  const { rows } = await sql<{ plan_id: string; reference: string }>`
    select plan_id, reference from payout_references
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = any(${planIds})`.execute(
    transaction,
  );
  const grouped = Map.groupBy(rows, ({ plan_id }) => plan_id);
  return new Map([...grouped].map(([planId, found]) => [planId, found.map(({ reference }) => reference)]));
}
