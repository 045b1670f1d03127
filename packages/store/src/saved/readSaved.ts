import type { Recipient, SavedRecipient } from '@fairway/recipients';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { versionPlace } from '../keys/sealedPlaces.ts';
import type { Sealing } from '../keys/sealing.ts';
import type { Deed } from '../plans/deed.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { SavedParts } from './savedParts.ts';
import { findSaved, type FoundRecipient } from './savedRows.ts';

/**
 * Details that cannot be opened. KEY_UNKNOWN: their key was not given. SEAL_BROKEN: they were altered or moved. DETAILS_ERASED: they
 * are destroyed.
 */
export type UnreadableDetails = {
  readonly ok: false;
  readonly reason: 'KEY_UNKNOWN' | 'SEAL_BROKEN' | 'DETAILS_ERASED';
};

/** The present version of a saved recipient with its full details. */
export type ReadSaved =
  | { readonly ok: true; readonly saved: SavedRecipient; readonly recipient: Recipient }
  | { readonly ok: false; readonly reason: 'RECIPIENT_UNKNOWN' }
  | UnreadableDetails;

/** Opens the sealed details of the present version. */
export function openDetails(
  sealing: Sealing,
  { organisationId }: PlanScope,
  { saved, sealed }: FoundRecipient,
): { readonly ok: true; readonly recipient: Recipient } | UnreadableDetails {
  if (sealed === undefined) return { ok: false, reason: 'DETAILS_ERASED' };
  const place = versionPlace(organisationId, saved.recipientId, saved.version);
  const opened = sealing.unseal(place, sealed);
  return opened.ok ? { ok: true, recipient: JSON.parse(opened.text) as Recipient } : opened;
}

/** The full details for the service itself. */
export async function readSaved(
  { database, sealing }: SavedParts,
  scope: PlanScope,
  recipientId: string,
): Promise<ReadSaved> {
  return readFound(database, sealing, scope, recipientId);
}

async function readFound(
  database: Database,
  sealing: Sealing,
  scope: PlanScope,
  recipientId: string,
): Promise<ReadSaved> {
  const found = await findSaved(database, scope, recipientId);
  if (found === undefined) return { ok: false, reason: 'RECIPIENT_UNKNOWN' };
  const opened = openDetails(sealing, scope, found);
  return opened.ok ? { ...opened, saved: found.saved } : opened;
}

/** The full details for a person, and the record that they were shown; both or neither. */
export async function revealSaved(
  { database, sealing }: SavedParts,
  scope: PlanScope,
  recipientId: string,
  { actor, atMs }: Deed,
): Promise<ReadSaved> {
  return database.transaction().execute(async (transaction) => {
    const read = await readFound(transaction, sealing, scope, recipientId);
    if (!read.ok) return read;
    await sql`
        insert into saved_recipient_reveals
          (organisation_id, environment, recipient_id, version, revealed_at, revealed_by)
        values (${scope.organisationId}, ${scope.environment}, ${recipientId}, ${read.saved.version},
          ${new Date(atMs)}, ${actor})`.execute(transaction);
    return read;
  });
}
