import type { Recipient } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { detailsPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '../keys/sealing.ts';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * The names of who is paid by plans, as far as their details can be opened: of the destination, once it was chosen.
 * They are for comparing, and never leave this process.
 */
export async function payeeNames(
  database: Database,
  sealing: Sealing,
  { organisationId, environment }: PlanScope,
  planIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (planIds.length === 0) return new Map();
  const { rows } = await sql<{
    plan_id: string;
    field: 'recipient' | 'destination';
    key_id: string;
    sealed: Buffer;
  }>`
    select plan_id, field, key_id, sealed from recipients
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = any(${planIds})
    order by field desc`.execute(database);
  const names = new Map<string, string>();
  // `recipient` comes before `destination`, which replaces it.
  for (const { plan_id: planId, field, key_id: keyId, sealed } of rows) {
    const opened = sealing.unseal(detailsPlace(organisationId, planId, field), { keyId, sealed });
    if (!opened.ok) continue;
    const { name } = JSON.parse(opened.text) as Recipient & { readonly name?: string };
    if (name === undefined) names.delete(planId);
    else names.set(planId, name);
  }
  return names;
}
