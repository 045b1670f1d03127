import { collectStep, type Plan, type Recipient } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import type { Database } from '../database/database.ts';
import type { RecipientRow } from '../database/schema.ts';
import { detailsPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '../keys/sealing.ts';
import { changeLocked, type Deed } from './changePlan.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Details that cannot be opened: no key of theirs was given, or they are not what was sealed there. */
export type UnreadableRecipient = {
  readonly ok: false;
  readonly reason: 'KEY_UNKNOWN' | 'SEAL_BROKEN';
};

type ReadRecipient = { readonly ok: true; readonly recipient: Recipient | undefined } | UnreadableRecipient;

/** Whose details: the recipient's whom the integrator named, or the destination that a recipient chose. */
export type DetailsField = RecipientRow['field'];

/** Seals details with the plan, in place of those before. */
export async function keepDetails(
  transaction: Database,
  sealing: Sealing,
  scope: PlanScope,
  planId: string,
  field: DetailsField,
  details: Recipient,
): Promise<void> {
  const { keyId, sealed } = sealing.seal(
    detailsPlace(scope.organisationId, planId, field),
    JSON.stringify(details),
  );
  const { organisationId: organisation_id, environment } = scope;
  await transaction
    .insertInto('recipients')
    .values({ organisation_id, environment, plan_id: planId, field, key_id: keyId, sealed })
    .onConflict((conflict) =>
      conflict
        .columns(['organisation_id', 'environment', 'plan_id', 'field'])
        .doUpdateSet({ key_id: keyId, sealed }),
    )
    .execute();
}

/**
 * Opens the details of whoever is to be paid, which is the destination once one was chosen, and records that it did, or
 * does neither; answers once the record is safe. The plan is locked first: what is recorded is what was shown.
 */
export function revealRecipient(
  database: Database,
  sealing: Sealing,
  now: () => Date,
  scope: PlanScope,
  planId: string,
  deed: Deed,
): Promise<
  | { ok: true; recipient: Recipient; plan: Plan }
  | { ok: false; reason: 'PLAN_UNKNOWN' }
  | UnreadableRecipient
  | Unavailable
> {
  return attempt(() =>
    database.transaction().execute(async (transaction) => {
      const plan = await lockPlan(transaction, scope, planId);
      if (plan === undefined) return { ok: false, reason: 'PLAN_UNKNOWN' };
      // Who was e-mailed is of no use to a custodian once a destination was chosen.
      const field = collectStep(plan)?.destination === undefined ? 'recipient' : 'destination';
      const read = await unsealRecipient(transaction, sealing, scope, planId, field);
      if (!read.ok) return read;
      if (read.recipient === undefined) throw new Error('Every plan keeps the details of who is to be paid.');
      const event = { type: 'RECIPIENT_REVEALED' } as const;
      const changed = await changeLocked(transaction, now(), scope, planId, event, deed);
      if (!changed.ok || changed.outcome !== 'CHANGED')
        throw new Error('Every plan can have its recipient revealed.');
      return { ok: true, recipient: read.recipient, plan: changed.plan };
    }),
  );
}

/** Opens the details for the service itself. */
export function readRecipient(
  database: Database,
  sealing: Sealing,
  scope: PlanScope,
  planId: string,
  field: DetailsField,
): Promise<ReadRecipient | Unavailable> {
  return attempt(() => unsealRecipient(database, sealing, scope, planId, field));
}

async function unsealRecipient(
  database: Database,
  sealing: Sealing,
  scope: PlanScope,
  planId: string,
  field: DetailsField,
): Promise<ReadRecipient> {
  const row = await database
    .selectFrom('recipients')
    .select(['key_id', 'sealed'])
    .where('organisation_id', '=', scope.organisationId)
    .where('environment', '=', scope.environment)
    .where('plan_id', '=', planId)
    .where('field', '=', field)
    .executeTakeFirst();
  if (row === undefined) return { ok: true, recipient: undefined };
  const place = detailsPlace(scope.organisationId, planId, field);
  const opened = sealing.unseal(place, { keyId: row.key_id, sealed: row.sealed });
  return opened.ok ? { ok: true, recipient: JSON.parse(opened.text) as Recipient } : opened;
}
