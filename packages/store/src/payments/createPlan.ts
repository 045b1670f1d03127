import type { Plan, Recipient } from '@fairway/plan';
import { isLockTimeout, surely, violatedConstraint } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { detailsPlace } from '../keys/sealedPlaces.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '@fairway/keys';
import { loadPlan, loadPlans } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChangeParts } from './changeParts.ts';
import { despiteDeadlocks } from './decisively.ts';
import { namingPlan, type ProvenAddress, releaseAddress } from './releaseAddress.ts';
import { insertPlan, insertWithin, type NewPlan } from './writePlan.ts';

/**
 * What a plan is made of. `bodyFingerprint` says whether another request with the same reference is the same request.
 */
export type PlanCreation = {
  readonly plan: Plan;
  readonly actor: string;
  readonly bodyFingerprint: Buffer;
  readonly recipient: Recipient;
  /** The revision that the registered recipient must still have; absent: the version of the plan is enough. */
  readonly registeredRevision?: number;
  /** The account that the plan takes from another organisation's plan, should one name it. */
  readonly proven?: ProvenAddress;
};

/**
 * The outcome of making a plan. EXISTS: the reference was used before, by the request of this fingerprint.
 * DEPOSIT_ADDRESS_IN_USE: another open plan has the deposit address. RECIPIENT_CHANGED: the registered recipient has another version or
 * is no longer ACTIVE. REQUEST_IN_PROGRESS: the first request with the
 * reference is still running.
 */
export type CreatedPlan =
  | { readonly ok: true; readonly outcome: 'CREATED'; readonly plan: Plan }
  | ({ readonly ok: true; readonly outcome: 'EXISTS' } & FoundPlan)
  | {
      readonly ok: false;
      readonly reason: 'DEPOSIT_ADDRESS_IN_USE' | 'RECIPIENT_CHANGED' | 'REQUEST_IN_PROGRESS';
    };

/**
 * The plan that a reference was used for. `bodyFingerprint` is undefined when it was made with a key that is lost: then
 * nobody can tell whether another request is the same.
 */
export type FoundPlan = { readonly plan: Plan; readonly bodyFingerprint: Buffer | undefined };

type CreationParts = {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly fingerprints: Fingerprints;
} & ChangeParts;

/**
 * Keeps a new plan. When parallel requests have one reference, one of them makes its plan, and the others are
 * answered with it.
 */
export async function createPlan(
  parts: CreationParts,
  scope: PlanScope,
  creation: PlanCreation,
): Promise<CreatedPlan> {
  const { database, sealing, fingerprints, now, publishedEventsOfPlan } = parts;
  const { plan, actor, bodyFingerprint, recipient, registeredRevision, proven } = creation;
  const sealed = sealing.seal(
    detailsPlace(scope.organisationId, plan.planId, 'recipient'),
    JSON.stringify(recipient),
  );
  const made = {
    scope,
    plan,
    actor,
    bodyFingerprint,
    registeredRevision,
    sealed,
    nowMs: now().getTime(),
    published: publishedEventsOfPlan(undefined, plan),
  };
  const insert = () =>
    proven === undefined ? insertPlan(database, made) : insertReleasing(database, parts, made, proven);
  const refusal = await insertSurely(database, made, insert).then(
    (isWritten) => (isWritten ? undefined : ('NOT_WRITTEN' as const)),
    refusalOf,
  );
  if (refusal === undefined) return { ok: true, outcome: 'CREATED', plan };
  if (refusal === 'REQUEST_IN_PROGRESS') return { ok: false, reason: refusal };
  // A parallel request with the same reference has the same address, and may have met that address first.
  const found = await planOfReference(database, fingerprints, scope, plan.clientReference);
  if (found !== undefined) return { ok: true, outcome: 'EXISTS', ...found };
  // Another plan that only names the address may have taken it while this one was written: it is released, too.
  if (refusal === 'DEPOSIT_ADDRESS_IN_USE' && proven !== undefined) {
    if ((await namingPlan(database, scope, proven)) !== undefined) return createPlan(parts, scope, creation);
  }
  return { ok: false, reason: refusal === 'NOT_WRITTEN' ? 'RECIPIENT_CHANGED' : refusal };
}

/**
 * Writes a plan, and tries a second time when it is unknown whether the first try has written it. If the first try
 * still runs, the second waits for it. Then it writes the plan, or finds that its reference was used. Returns whether
 * the plan is written.
 */
function insertSurely(database: Database, made: NewPlan, insert: () => Promise<boolean>): Promise<boolean> {
  const isThere = async () => (await loadPlan(database, made.scope, made.plan.planId)) !== undefined;
  return surely(insert, async () => (await insert()) || isThere());
}

/** Writes a plan and takes its proven address from a plan that only names it: both, or neither. */
async function insertReleasing(
  database: Database,
  parts: ChangeParts,
  made: NewPlan,
  proven: ProvenAddress,
): Promise<boolean> {
  try {
    return await despiteDeadlocks(database, async (transaction) => {
      await releaseAddress(transaction, parts, made.scope, proven);
      if (!(await insertWithin(transaction, made))) throw new NotWrittenError();
      return true;
    });
  } catch (cause) {
    if (cause instanceof NotWrittenError) return false;
    throw cause;
  }
}

/** Ends a transaction whose plan was not written, so that nothing is released. */
class NotWrittenError extends Error {
  override readonly name = 'NotWrittenError';
}

function refusalOf(cause: unknown): 'DEPOSIT_ADDRESS_IN_USE' | 'REQUEST_IN_PROGRESS' {
  if (isLockTimeout(cause)) return 'REQUEST_IN_PROGRESS';
  if (violatedConstraint(cause) === 'plans_deposit_address') return 'DEPOSIT_ADDRESS_IN_USE';
  throw cause;
}

/** The plan that the reference was used for; undefined when it was not used. */
export async function findByReference(
  database: Database,
  fingerprints: Fingerprints,
  scope: PlanScope,
  clientReference: string,
): Promise<{ found: FoundPlan | undefined }> {
  return {
    found: await planOfReference(database, fingerprints, scope, clientReference),
  };
}

async function planOfReference(
  database: Database,
  fingerprints: Fingerprints,
  scope: PlanScope,
  clientReference: string,
): Promise<FoundPlan | undefined> {
  const isReference = sql`p.organisation_id = ${scope.organisationId} and p.environment = ${scope.environment}
    and p.client_reference = ${clientReference}`;
  const [found] = await loadPlans(database, isReference);
  if (found === undefined) return undefined;
  return { plan: found.plan, bodyFingerprint: fingerprints.comparable(found.bodyFingerprint) };
}
