import { canonicalRecipient } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '../keys/sealing.ts';
import { unsealRecipient } from '../payments/recipients.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** What makes the fingerprints of addresses. */
export type Addressing = Pick<Fingerprints, 'fingerprint'>;

/** A fingerprint of an e-mail address alone: that of a recipient covers the name and the language, too. */
export function addressFingerprint(
  { fingerprint }: Addressing,
  organisationId: string,
  email: string,
): Buffer {
  return fingerprint('recipient', organisationId, canonicalRecipient({ type: 'email', email }));
}

/** Notes to which address the newest link of a plan goes. */
export async function noteAddressee(
  transaction: Database,
  fingerprints: Addressing,
  { organisationId, environment }: PlanScope,
  { planId, version, email }: { readonly planId: string; readonly version: number; readonly email: string },
): Promise<void> {
  const noted = addressFingerprint(fingerprints, organisationId, email);
  await sql`update collect_requests set email_fingerprint = ${noted}
    where organisation_id = ${organisationId} and environment = ${environment}
      and plan_id = ${planId} and link_version = ${version}`.execute(transaction);
}

/** A round whose addressee is not noted, as the place where a part of a search ends. */
export type UnaddressedRound = {
  readonly scope: PlanScope;
  readonly planId: string;
  readonly round: number;
};

/** A part of a search: how many rounds were noted, and the `after` of the next part; undefined at the end. */
export type Addressed = {
  readonly ok: true;
  readonly noted: number;
  readonly next: UnaddressedRound | undefined;
};

type UnaddressedRow = {
  readonly organisation_id: string;
  readonly environment: PlanScope['environment'];
  readonly plan_id: string;
  readonly round: number;
};

/**
 * Notes the addressees of rounds whose link a process of an earlier version made, of at most `limit` rounds of all organisations
 * behind `after`. A plan that somebody else holds, and one whose details no key opens, is left to a later search.
 */
export function noteAddressees(
  database: Database,
  sealing: Sealing,
  fingerprints: Addressing,
  { limit, after }: { readonly limit: number; readonly after?: UnaddressedRound | undefined },
): Promise<Addressed | Unavailable> {
  return attempt(async () => {
    const isLater =
      after === undefined
        ? sql`true`
        : sql`(organisation_id, environment, plan_id, round)
          > (${after.scope.organisationId}, ${after.scope.environment}, ${after.planId}, ${after.round})`;
    const { rows } = await sql<UnaddressedRow>`
      select organisation_id, environment, plan_id, round from collect_requests any_unaddressed
      where email_fingerprint is null and ${isLater}
      order by organisation_id, environment, plan_id, round limit ${limit}`.execute(database);
    const found = rows.map(
      ({ organisation_id: organisationId, environment, plan_id: planId, round }): UnaddressedRound => ({
        scope: { organisationId, environment },
        planId,
        round,
      }),
    );
    let noted = 0;
    for (const round of found) if (await noteLate(database, sealing, fingerprints, round)) noted += 1;
    return { ok: true, noted, next: found.length < limit ? undefined : found.at(-1) };
  });
}

/** Notes the addressee of a round by the sealed details of the plan, unless they were replaced since. The plan is locked. */
function noteLate(
  database: Database,
  sealing: Sealing,
  fingerprints: Addressing,
  { scope, planId, round }: UnaddressedRound,
): Promise<boolean> {
  const { organisationId, environment } = scope;
  const isRound = sql`c.organisation_id = ${organisationId} and c.environment = ${environment}
    and c.plan_id = ${planId} and c.round = ${round}`;
  return database.transaction().execute(async (transaction) => {
    const { rows: held } = await sql`
      select from plans p where p.organisation_id = ${organisationId} and p.environment = ${environment}
        and p.plan_id = ${planId} for update skip locked`.execute(transaction);
    if (held.length === 0) return false;
    const { rows } = await sql<{ is_replaced: boolean }>`
      select exists (
        select from plan_events e
        where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.plan_id = ${planId}
          and e.event ->> 'type' = 'LINK_MADE' and e.event -> 'recipient' is not null
          and (e.event ->> 'version')::integer > c.link_version
      ) as is_replaced
      from collect_requests c where ${isRound}`.execute(transaction);
    const read = await unsealRecipient(transaction, sealing, scope, planId, 'recipient');
    if (rows[0] === undefined || !read.ok) return false;
    const isKnown = !rows[0].is_replaced && read.recipient?.type === 'email';
    const found = isKnown
      ? addressFingerprint(fingerprints, organisationId, read.recipient.email)
      : Buffer.alloc(0);
    await sql`update collect_requests c set email_fingerprint = ${found}
      where ${isRound} and c.email_fingerprint is null`.execute(transaction);
    return true;
  });
}
