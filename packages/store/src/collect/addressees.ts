import { canonicalRecipient } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
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
