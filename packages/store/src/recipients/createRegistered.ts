import { newRegistered, type RecipientId, type RegisteredMaking, type Recipient } from '@fairway/recipients';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { recordset, surely } from '@fairway/postgres';
import { versionPlace } from '../keys/sealedPlaces.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { findRegistered, type FoundRecipient, type KeptRecipient, loadRegistered } from './registeredRows.ts';
import type { RegisteredParts } from './registeredParts.ts';
import { writeRecipientEvents } from './writeRecipientEvents.ts';
import { versionRow } from './versionRows.ts';

/**
 * What a registered recipient is made of. `needsApproval`: whether it waits for somebody else. `bodyFingerprint`: of the request, where it
 * has a reference of its own.
 */
export type RegisteredCreation = {
  readonly making: RegisteredMaking;
  readonly details: Recipient;
  readonly needsApproval: boolean;
  readonly bodyFingerprint: Buffer | undefined;
};

/** The recipient that was made, or the one that the reference was used for before. */
export type CreatedRecipient =
  | { readonly outcome: 'CREATED'; readonly kept: KeptRecipient }
  | ({ readonly outcome: 'EXISTS' } & ReferredRecipient);

/**
 * The recipient that a reference was used for. `bodyFingerprint` is undefined when it was made with a key that is lost: then nobody
 * can tell whether another request is the same.
 */
export type ReferredRecipient = {
  readonly kept: KeptRecipient;
  readonly bodyFingerprint: Buffer | undefined;
};

/** Keeps a recipient with its sealed details and its event, all of it or nothing. A reference can be used once. */
export async function createRegistered(
  parts: RegisteredParts,
  scope: PlanScope,
  creation: RegisteredCreation,
  { actor, atMs }: CommandContext,
): Promise<CreatedRecipient> {
  return surely(() =>
    parts.database
      .transaction()
      .execute((transaction) => insertRegistered(transaction, parts, scope, creation, { actor, atMs })),
  );
}

async function insertRegistered(
  transaction: Database,
  parts: RegisteredParts,
  scope: PlanScope,
  { making, details, needsApproval, bodyFingerprint }: RegisteredCreation,
  { actor, atMs }: CommandContext,
): Promise<CreatedRecipient> {
  const registered = newRegistered(making, { by: actor, needsApproval }, atMs);
  const { recipientId, recipient } = registered;
  const at = new Date(atMs).toISOString();
  const key = {
    organisation_id: scope.organisationId,
    environment: scope.environment,
    recipient_id: recipientId,
  };
  const row = {
    ...key,
    client_reference: registered.clientReference ?? null,
    body_fingerprint: bodyFingerprint === undefined ? null : `\\x${bodyFingerprint.toString('hex')}`,
    status: registered.status,
    type: recipient.type,
    country: recipient.type === 'bank' ? recipient.country : null,
    label: registered.label ?? null,
    metadata: registered.metadata,
    revision: registered.revision,
    version: registered.version,
    created_at: at,
    updated_at: at,
  };
  const sealed = parts.sealing.seal(
    versionPlace(scope.organisationId, recipientId, registered.version),
    JSON.stringify(details),
  );
  const version = { ...key, ...versionRow(registered, sealed) };
  const { rows } = await sql`
    with made as (
      insert into registered_recipients select * from ${recordset('registered_recipients', [row])}
      on conflict do nothing returning recipient_id
    ), version as (
      insert into registered_recipient_versions
      select row.* from made, ${recordset('registered_recipient_versions', [version])} as row
    ) select from made`.execute(transaction);
  if (rows.length === 0) return existing(transaction, parts, scope, registered);
  const kept = await findRegistered(transaction, scope, recipientId);
  if (kept === undefined) throw new Error('A registered recipient must be there once it was written.');
  await writeRecipientEvents(transaction, parts, scope, { change: 'EDITED', before: undefined, after: kept });
  return { outcome: 'CREATED', kept };
}

/** The recipient that an insertion met: its own of a first try, or one of the same reference. */
async function existing(
  transaction: Database,
  { fingerprints }: RegisteredParts,
  scope: PlanScope,
  {
    recipientId,
    clientReference,
  }: Pick<RegisteredMaking, 'clientReference'> & { readonly recipientId: RecipientId },
): Promise<CreatedRecipient> {
  const own = await findRegistered(transaction, scope, recipientId);
  if (own !== undefined) return { outcome: 'CREATED', kept: own };
  const [found] = await loadRegistered(transaction, isReference(scope, clientReference ?? ''));
  if (found === undefined) throw new Error('A reference that is used must have a recipient.');
  return { outcome: 'EXISTS', ...referred(fingerprints, found) };
}

/** The recipient that a reference was used for; undefined when it was not used. */
export async function findByReference(
  { database, fingerprints }: RegisteredParts,
  scope: PlanScope,
  clientReference: string,
): Promise<{ found: ReferredRecipient | undefined }> {
  const [found] = await loadRegistered(database, isReference(scope, clientReference));
  return { found: found && referred(fingerprints, found) };
}

function isReference({ organisationId, environment }: PlanScope, clientReference: string) {
  return sql`r.organisation_id = ${organisationId} and r.environment = ${environment}
    and r.client_reference = ${clientReference}`;
}

function referred(fingerprints: RegisteredParts['fingerprints'], found: FoundRecipient): ReferredRecipient {
  const { bodyFingerprint } = found;
  return {
    kept: found,
    bodyFingerprint: bodyFingerprint === null ? undefined : fingerprints.comparable(bodyFingerprint),
  };
}
