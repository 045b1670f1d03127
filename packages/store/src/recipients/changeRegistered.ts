import {
  type Approval,
  decideRegistered,
  type Recipient,
  type RegisteredChange,
  type RegisteredDecision,
  type RegisteredRecipient,
} from '@fairway/recipients';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { versionPlace } from '../keys/sealedPlaces.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { recordset } from '@fairway/postgres';
import { openDetails } from './readRegistered.ts';
import type { RegisteredParts } from './registeredParts.ts';
import { findRegistered, type FoundRecipient, type KeptRecipient, lockRegistered } from './registeredRows.ts';
import { writeRecipientEvents } from './writeRecipientEvents.ts';
import { versionRow } from './versionRows.ts';

/**
 * A change, with the full details where it brings new ones; whether they are the present ones is found out here. The
 * one who sets details, decides about them or records a check is the actor.
 */
export type AskedChange =
  | Extract<RegisteredChange, { type: 'VERIFIED' | 'DEACTIVATED' }>
  | { readonly type: 'APPROVED' | 'REJECTED'; readonly version: number }
  | (Omit<Extract<RegisteredChange, { type: 'EDITED' }>, 'details'> & {
      readonly details?: {
        readonly recipient: RegisteredRecipient['recipient'];
        readonly full: Recipient;
        readonly needsApproval: boolean;
      };
    });

/** What came of a change. Only CHANGED has written something. */
export type ChangedRecipient =
  | { readonly ok: true; readonly outcome: 'CHANGED' | 'UNCHANGED'; readonly kept: KeptRecipient }
  | Exclude<RegisteredDecision, { ok: true }>
  | { readonly ok: false; readonly reason: 'RECIPIENT_UNKNOWN' }
  | { readonly ok: false; readonly reason: 'REVISION_MISMATCH'; readonly revision: number };

/** Changes a registered recipient, and writes its rows and its event in one transaction. */
export async function changeRegistered(
  parts: RegisteredParts,
  scope: PlanScope,
  recipientId: string,
  asked: AskedChange,
  context: CommandContext,
): Promise<ChangedRecipient> {
  return parts.database
    .transaction()
    .execute((transaction) => changeLocked(transaction, parts, scope, recipientId, asked, context));
}

async function changeLocked(
  transaction: Database,
  parts: RegisteredParts,
  scope: PlanScope,
  recipientId: string,
  asked: AskedChange,
  { actor, atMs, expectedRevisions }: CommandContext,
): Promise<ChangedRecipient> {
  const found = await lockRegistered(transaction, scope, recipientId);
  if (found === undefined) return { ok: false, reason: 'RECIPIENT_UNKNOWN' };
  const { registered } = found;
  const change = await changeOf(transaction, parts, scope, found, { asked, by: actor });
  const decision = decideRegistered(registered, change, atMs);
  if (!decision.ok) return decision;
  if (decision.outcome === 'UNCHANGED') return { ok: true, outcome: 'UNCHANGED', kept: found };
  // Checked after repetitions were recognised: a repeated request names the revision before its first run.
  if (expectedRevisions?.includes(registered.revision) === false)
    return { ok: false, reason: 'REVISION_MISMATCH', revision: registered.revision };
  const full = asked.type === 'EDITED' ? asked.details?.full : undefined;
  await write(transaction, parts, scope, { before: registered, after: decision.registered, full, change });
  const kept = await findRegistered(transaction, scope, recipientId);
  if (kept === undefined) throw new Error('A registered recipient is never deleted.');
  await writeRecipientEvents(transaction, parts, scope, { change: change.type, before: found, after: kept });
  return { ok: true, outcome: 'CHANGED', kept };
}

/** The change as the rules take it. Details that no key opens cannot be compared, and count as other ones. */
async function changeOf(
  transaction: Database,
  { sealing }: RegisteredParts,
  scope: PlanScope,
  found: FoundRecipient,
  { asked, by }: { readonly asked: AskedChange; readonly by: string },
): Promise<RegisteredChange> {
  if (asked.type === 'VERIFIED') return { ...asked, verification: { ...asked.verification, by } };
  if (asked.type !== 'EDITED') return 'version' in asked ? { ...asked, by } : asked;
  const { details, ...rest } = asked;
  if (details === undefined) return rest;
  const opened = openDetails(sealing, scope, found);
  const isSame = opened.ok && textOf(opened.recipient) === textOf(details.full);
  const { recipient, needsApproval } = details;
  const version = await nextVersion(transaction, scope, found.registered.recipientId);
  return { ...rest, details: { recipient, isSame, by, needsApproval, version } };
}

/** The number after the last one, which is not the present one where its details were rejected. */
async function nextVersion(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  recipientId: string,
): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select max(v.version) + 1 as version from registered_recipient_versions v
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
  readonly before: RegisteredRecipient;
  readonly after: RegisteredRecipient;
  readonly full: Recipient | undefined;
  readonly change: RegisteredChange;
};

async function write(
  transaction: Database,
  { sealing }: RegisteredParts,
  { organisationId, environment }: PlanScope,
  { before, after, full, change }: Written,
): Promise<void> {
  const { recipientId, recipient, version, verification } = after;
  await sql`
    update registered_recipients set status = ${after.status}, country = ${recipient.type === 'bank' ? recipient.country : null},
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
      await sql`insert into registered_recipient_versions
        select * from ${recordset('registered_recipient_versions', [{ ...key, ...versionRow(after, sealed) }])}`.execute(
        transaction,
      );
      return;
    }
    case 'VERIFIED':
      await sql`
        update registered_recipient_versions set verification = ${JSON.stringify(verification)}::jsonb
        where ${ofVersion(version)}`.execute(transaction);
      return;
    case 'APPROVED':
    case 'REJECTED': {
      // Rejected details are no longer the present ones where other details are in force. So the decision belongs to
      // the version of `before`.
      const approval: Approval = { result: change.type, by: change.by, atMs: after.updatedAtMs };
      await sql`
        update registered_recipient_versions set approval = ${JSON.stringify(approval)}::jsonb
        where ${ofVersion(before.version)}`.execute(transaction);
      return;
    }
    case 'DEACTIVATED':
    case 'ERASED':
      return;
  }
}
