import {
  type Approval,
  decideSaved,
  type Recipient,
  type SavedChange,
  type SavedDecision,
  type SavedRecipient,
} from '@fairway/recipients';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { versionPlace } from '../keys/sealedPlaces.ts';
import type { Deed } from '../plans/deed.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { recordset } from '../plans/recordset.ts';
import { openDetails } from './readSaved.ts';
import type { SavedParts } from './savedParts.ts';
import { findSaved, type FoundRecipient, type KeptRecipient, lockSaved } from './savedRows.ts';
import { tell } from './tell.ts';
import { versionRow } from './versionRows.ts';

/**
 * A change, with the full details where it brings new ones; whether they are the present ones is found out here. The
 * one who sets details, decides about them or records a check is the actor.
 */
export type AskedChange =
  | Extract<SavedChange, { type: 'VERIFIED' | 'DEACTIVATED' }>
  | { readonly type: 'APPROVED' | 'REJECTED'; readonly version: number }
  | (Omit<Extract<SavedChange, { type: 'EDITED' }>, 'details'> & {
      readonly details?: {
        readonly recipient: SavedRecipient['recipient'];
        readonly full: Recipient;
        readonly needsApproval: boolean;
      };
    });

/** What came of a change. Only CHANGED has written something. */
export type ChangedRecipient =
  | { readonly ok: true; readonly outcome: 'CHANGED' | 'UNCHANGED'; readonly kept: KeptRecipient }
  | Exclude<SavedDecision, { ok: true }>
  | { readonly ok: false; readonly reason: 'RECIPIENT_UNKNOWN' }
  | { readonly ok: false; readonly reason: 'REVISION_MISMATCH'; readonly revision: number };

/** Changes a saved recipient, and writes its rows and its event in one transaction. */
export async function changeSaved(
  parts: SavedParts,
  scope: PlanScope,
  recipientId: string,
  asked: AskedChange,
  deed: Deed,
): Promise<ChangedRecipient> {
  return parts.database
    .transaction()
    .execute((transaction) => changeLocked(transaction, parts, scope, recipientId, asked, deed));
}

async function changeLocked(
  transaction: Database,
  parts: SavedParts,
  scope: PlanScope,
  recipientId: string,
  asked: AskedChange,
  { actor, atMs, expectedRevisions }: Deed,
): Promise<ChangedRecipient> {
  const found = await lockSaved(transaction, scope, recipientId);
  if (found === undefined) return { ok: false, reason: 'RECIPIENT_UNKNOWN' };
  const { saved } = found;
  const change = await changeOf(transaction, parts, scope, found, { asked, by: actor });
  const decision = decideSaved(saved, change, atMs);
  if (!decision.ok) return decision;
  if (decision.outcome === 'UNCHANGED') return { ok: true, outcome: 'UNCHANGED', kept: found };
  // Checked after repetitions were recognised: a repeated request names the revision before its first run.
  if (expectedRevisions?.includes(saved.revision) === false)
    return { ok: false, reason: 'REVISION_MISMATCH', revision: saved.revision };
  const full = asked.type === 'EDITED' ? asked.details?.full : undefined;
  await write(transaction, parts, scope, { before: saved, after: decision.saved, full, change });
  const kept = await findSaved(transaction, scope, recipientId);
  if (kept === undefined) throw new Error('A saved recipient is never deleted.');
  await tell(transaction, parts, scope, { change: change.type, before: found, after: kept });
  return { ok: true, outcome: 'CHANGED', kept };
}

/** The change as the rules take it. Details that no key opens cannot be compared, and count as other ones. */
async function changeOf(
  transaction: Database,
  { sealing }: SavedParts,
  scope: PlanScope,
  found: FoundRecipient,
  { asked, by }: { readonly asked: AskedChange; readonly by: string },
): Promise<SavedChange> {
  if (asked.type === 'VERIFIED') return { ...asked, verification: { ...asked.verification, by } };
  if (asked.type !== 'EDITED') return 'version' in asked ? { ...asked, by } : asked;
  const { details, ...rest } = asked;
  if (details === undefined) return rest;
  const opened = openDetails(sealing, scope, found);
  const isSame = opened.ok && textOf(opened.recipient) === textOf(details.full);
  const { recipient, needsApproval } = details;
  const version = await nextVersion(transaction, scope, found.saved.recipientId);
  return { ...rest, details: { recipient, isSame, by, needsApproval, version } };
}

/** The number after the last one, which is not the present one where its details were rejected. */
async function nextVersion(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  recipientId: string,
): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select max(v.version) + 1 as version from saved_recipient_versions v
    where v.organisation_id = ${organisationId} and v.environment = ${environment}
      and v.recipient_id = ${recipientId}`.execute(transaction);
  return rows[0]?.version ?? 1;
}

/** Details as a text that does not depend on the order of their members. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`).join()}}`;
}

type Written = {
  readonly before: SavedRecipient;
  readonly after: SavedRecipient;
  readonly full: Recipient | undefined;
  readonly change: SavedChange;
};

async function write(
  transaction: Database,
  { sealing }: SavedParts,
  { organisationId, environment }: PlanScope,
  { before, after, full, change }: Written,
): Promise<void> {
  const { recipientId, recipient, version, verification } = after;
  await sql`
    update saved_recipients set status = ${after.status}, country = ${recipient.type === 'bank' ? recipient.country : null},
      label = ${after.label ?? null}, metadata = ${JSON.stringify(after.metadata)}::jsonb, revision = ${after.revision},
      version = ${version}, standing_version = ${after.standing?.version ?? null},
      updated_at = ${new Date(after.updatedAtMs)}
    where organisation_id = ${organisationId} and environment = ${environment} and recipient_id = ${recipientId}`.execute(
    transaction,
  );
  const ofVersion = (number: number) => sql`
    organisation_id = ${organisationId} and environment = ${environment} and recipient_id = ${recipientId}
    and version = ${number}`;
  switch (change.type) {
    case 'EDITED': {
      if (version === before.version) return;
      if (full === undefined) throw new Error('A new version must have details.');
      const sealed = sealing.seal(versionPlace(organisationId, recipientId, version), JSON.stringify(full));
      const key = { organisation_id: organisationId, environment, recipient_id: recipientId };
      await sql`insert into saved_recipient_versions
        select * from ${recordset('saved_recipient_versions', [{ ...key, ...versionRow(after, sealed) }])}`.execute(
        transaction,
      );
      return;
    }
    case 'VERIFIED':
      await sql`
        update saved_recipient_versions set verification = ${JSON.stringify(verification)}::jsonb
        where ${ofVersion(version)}`.execute(transaction);
      return;
    case 'APPROVED':
    case 'REJECTED': {
      // Rejected details are no longer the present ones where other details are in force. So the decision belongs to
      // the version of `before`.
      const approval: Approval = { result: change.type, by: change.by, atMs: after.updatedAtMs };
      await sql`
        update saved_recipient_versions set approval = ${JSON.stringify(approval)}::jsonb
        where ${ofVersion(before.version)}`.execute(transaction);
      return;
    }
    case 'DEACTIVATED':
    case 'ERASED':
      return;
  }
}
