import type { Recipient, RegisteredRecipient } from '@fairway/recipients';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { versionPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '@fairway/keys';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { RegisteredParts } from './registeredParts.ts';
import { findRegistered, type FoundRecipient } from './registeredRows.ts';

/**
 * Details that cannot be opened. KEY_UNKNOWN: their key was not given. SEAL_BROKEN: they were altered or moved. DETAILS_ERASED: they
 * are destroyed.
 */
export type UnreadableDetails = {
  readonly ok: false;
  readonly reason: 'KEY_UNKNOWN' | 'SEAL_BROKEN' | 'DETAILS_ERASED';
};

/** The present version of a registered recipient with its full details. */
export type ReadRegistered =
  | { readonly ok: true; readonly registered: RegisteredRecipient; readonly recipient: Recipient }
  | { readonly ok: false; readonly reason: 'RECIPIENT_UNKNOWN' }
  | UnreadableDetails;

/** Opens the sealed details of the present version. */
export function openDetails(
  sealing: Sealing,
  { organisationId }: PlanScope,
  { registered, sealed }: FoundRecipient,
): { readonly ok: true; readonly recipient: Recipient } | UnreadableDetails {
  if (sealed === undefined) return { ok: false, reason: 'DETAILS_ERASED' };
  const place = versionPlace(organisationId, registered.recipientId, registered.version);
  const opened = sealing.unseal(place, sealed);
  return opened.ok ? { ok: true, recipient: JSON.parse(opened.text) as Recipient } : opened;
}

/** The full details for the service itself. */
export async function readRegistered(
  { database, sealing }: RegisteredParts,
  scope: PlanScope,
  recipientId: string,
): Promise<ReadRegistered> {
  return readFound(database, sealing, scope, recipientId);
}

async function readFound(
  database: Database,
  sealing: Sealing,
  scope: PlanScope,
  recipientId: string,
): Promise<ReadRegistered> {
  const found = await findRegistered(database, scope, recipientId);
  if (found === undefined) return { ok: false, reason: 'RECIPIENT_UNKNOWN' };
  const opened = openDetails(sealing, scope, found);
  return opened.ok ? { ...opened, registered: found.registered } : opened;
}

/** The full details for a person, and the record that they were shown; both or neither. */
export async function revealRegistered(
  { database, sealing }: RegisteredParts,
  scope: PlanScope,
  recipientId: string,
  { actor, atMs }: CommandContext,
): Promise<ReadRegistered> {
  return database.transaction().execute(async (transaction) => {
    const read = await readFound(transaction, sealing, scope, recipientId);
    if (!read.ok) return read;
    await sql`
        insert into registered_recipient_reveals
          (organisation_id, environment, recipient_id, version, revealed_at, revealed_by)
        values (${scope.organisationId}, ${scope.environment}, ${recipientId}, ${read.registered.version},
          ${new Date(atMs)}, ${actor})`.execute(transaction);
    return read;
  });
}
