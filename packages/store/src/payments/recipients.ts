import { collectStep, type Plan, type Recipient } from '@fairway/plan';

import type { Database } from '../database/database.ts';
import type { Row } from '../database/schema.ts';
import { detailsPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '@fairway/keys';
import { changeLocked, type RevisionMismatch } from './changePlan.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { ChangeParts } from './changeParts.ts';
import { decisively } from './decisively.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Details that cannot be opened. KEY_UNKNOWN: their key was not given. SEAL_BROKEN: they were altered or moved. */
export type UnreadableRecipient = {
  readonly ok: false;
  readonly reason: 'KEY_UNKNOWN' | 'SEAL_BROKEN';
};

type ReadRecipient = { readonly ok: true; readonly recipient: Recipient | undefined } | UnreadableRecipient;

/** Which details: of the recipient that the integrator named, or of the destination that the recipient chose. */
export type DetailsField = Row<'recipients'>['field'];

/** Seals details of a plan and replaces earlier ones. */
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
 * Opens the details of who is to be paid, and records that they were shown; both happen or neither. They are those of
 * the destination once it was chosen, else of the recipient. The plan is locked first, so that the record is about
 * the details that were shown.
 */
export async function revealRecipient(
  database: Database,
  sealing: Sealing,
  parts: ChangeParts,
  scope: PlanScope,
  planId: string,
  context: CommandContext,
): Promise<Revealed> {
  const command = { type: 'RECIPIENT_REVEALED' } as const;
  const reveal = async (transaction: Database): Promise<Revealed> => {
    const plan = await lockPlan(transaction, scope, planId);
    if (plan === undefined) return { ok: false, reason: 'PLAN_UNKNOWN' };
    // Once a destination was chosen, a custodian has no use for the address that was e-mailed.
    const field = collectStep(plan)?.destination === undefined ? 'recipient' : 'destination';
    const read = await unsealRecipient(transaction, sealing, scope, planId, field);
    if (!read.ok) return read;
    if (read.recipient === undefined) return { ok: false, reason: 'DETAILS_ERASED' };
    const changed = await changeLocked(transaction, parts, scope, planId, command, context);
    if (!changed.ok && changed.reason === 'REVISION_MISMATCH') return changed;
    if (!changed.ok || changed.outcome !== 'CHANGED')
      throw new Error('RECIPIENT_REVEALED must change every plan.');
    return { ok: true, recipient: read.recipient, plan: changed.plan };
  };
  return decisively(database, reveal, (revealed) =>
    revealed.ok ? { ...context, scope, planId, revision: revealed.plan.revision, command } : undefined,
  );
}

/** DETAILS_ERASED: the recipient was erased, and nobody else was named since. */
type Revealed =
  | { ok: true; recipient: Recipient; plan: Plan }
  | { ok: false; reason: 'PLAN_UNKNOWN' | 'DETAILS_ERASED' }
  | RevisionMismatch
  | UnreadableRecipient;

/** Opens the details for the service itself. */
export async function readRecipient(
  database: Database,
  sealing: Sealing,
  scope: PlanScope,
  planId: string,
  field: DetailsField,
): Promise<ReadRecipient> {
  return unsealRecipient(database, sealing, scope, planId, field);
}

/** Opens sealed details of a plan; undefined where there are none. */
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
