import type { Approval, MaskedRecipient, PayeeCheck, RegisteredStatus } from '@fairway/recipients';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type KeptRecipient, loadRegistered, maskedOf, type VersionRow } from './registeredRows.ts';

/** Which registered recipients to list; an absent member does not restrict. `q`: a part of the label or the reference. */
export type RegisteredFilter = {
  readonly status?: RegisteredStatus | undefined;
  readonly type?: MaskedRecipient['type'] | undefined;
  readonly country?: string | undefined;
  readonly clientReference?: string | undefined;
  readonly q?: string | undefined;
};

/** At most `limit` items; with `after` those that follow this place in the list. */
export type RegisteredPage = { readonly limit: number; readonly after?: string | undefined };

/** Registered recipients, newest first; `next` is the `after` of the next page, undefined at the end. */
export type ListedRecipients = {
  readonly kept: readonly KeptRecipient[];
  readonly next: string | undefined;
};

/** Lists registered recipients from new to old, which is the order of their ids. */
export async function listRegistered(
  database: Database,
  { organisationId, environment }: PlanScope,
  { status, type, country, clientReference, q }: RegisteredFilter,
  { limit, after }: RegisteredPage,
): Promise<ListedRecipients> {
  const conditions: RawBuilder<unknown>[] = [
    sql`r.organisation_id = ${organisationId}`,
    sql`r.environment = ${environment}`,
    ...(status === undefined ? [] : [sql`r.status = ${status}`]),
    ...(type === undefined ? [] : [sql`r.type = ${type}`]),
    ...(country === undefined ? [] : [sql`r.country = ${country}`]),
    ...(clientReference === undefined ? [] : [sql`r.client_reference = ${clientReference}`]),
    ...(q === undefined
      ? []
      : [
          sql`(strpos(lower(r.label), lower(${q})) > 0 or strpos(lower(r.client_reference), lower(${q})) > 0)`,
        ]),
    ...(after === undefined ? [] : [sql`r.recipient_id < ${after}`]),
  ];
  const found = await loadRegistered(
    database,
    sql`${sql.join(conditions, sql` and `)} order by r.recipient_id desc limit ${limit + 1}`,
  );
  const kept = found.slice(0, limit);
  return { kept, next: found.length > limit ? kept.at(-1)?.registered.recipientId : undefined };
}

/** A version of a registered recipient, masked. `madeBy`: the credential that sent the details. */
export type KeptVersion = {
  readonly version: number;
  readonly madeAtMs: number;
  readonly madeBy: string;
  readonly recipient: MaskedRecipient;
  readonly verification?: PayeeCheck;
  readonly approval?: Approval;
};

/** Versions, newest first; undefined where the scope has no such recipient. */
export type ListedVersions = {
  readonly found:
    | { readonly versions: readonly KeptVersion[]; readonly next: number | undefined }
    | undefined;
};

/** Lists the versions of a registered recipient from new to old. `before`: only those below this one. */
export async function listVersions(
  database: Database,
  { organisationId, environment }: PlanScope,
  recipientId: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<ListedVersions> {
  const { rows } = await sql<VersionRow>`
      select v.version, v.made_at, v.made_by, v.masked, v.fingerprint, v.verification, v.approval from registered_recipient_versions v
      where v.organisation_id = ${organisationId} and v.environment = ${environment} and v.recipient_id = ${recipientId}
        ${before === undefined ? sql`` : sql`and v.version < ${before}`}
      order by v.version desc limit ${limit + 1}`.execute(database);
  // Every recipient has a first version, so that a first page without any has no recipient.
  if (rows.length === 0 && before === undefined) return { found: undefined };
  const versions = rows.slice(0, limit).map(
    (row): KeptVersion => ({
      version: row.version,
      madeAtMs: row.made_at.getTime(),
      madeBy: row.made_by,
      recipient: maskedOf(row.masked, row.fingerprint),
      ...(row.verification === null ? {} : { verification: row.verification }),
      ...(row.approval === null ? {} : { approval: row.approval }),
    }),
  );
  return {
    found: { versions, next: rows.length > limit ? versions.at(-1)?.version : undefined },
  };
}
