import type {
  Approval,
  Likeness,
  MaskedRecipient,
  PayeeCheck,
  RecipientId,
  RegisteredRecipient,
  RegisteredStatus,
  VersionDetails,
} from '@fairway/recipients';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Sealed } from '@fairway/keys';
import type { PlanScope } from '../plans/planScope.ts';
import { type Likened, likenessIn, likenessOf } from './likeness.ts';

/**
 * A registered recipient, and what of its organisation it resembles. `isPaid`: a plan that was made of the present version, or was given
 * it, is COMPLETED.
 */
export type KeptRecipient = {
  readonly registered: RegisteredRecipient;
  readonly likeness: Likeness;
  readonly isPaid: boolean;
};

/**
 * A registered recipient as it is found. It has its sealed details, which are undefined once they are erased, and the
 * fingerprint of the request that made it.
 */
export type FoundRecipient = KeptRecipient & {
  readonly sealed: Sealed | undefined;
  readonly bodyFingerprint: Buffer | null;
};

type Row = {
  recipient_id: RecipientId;
  client_reference: string | null;
  body_fingerprint: Buffer | null;
  status: RegisteredStatus;
  label: string | null;
  metadata: Readonly<Record<string, string>>;
  revision: number;
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
  is_paid: boolean;
  key_id: string | null;
  sealed: Buffer | null;
  standing: (Omit<VersionRow, 'made_at' | 'fingerprint'> & { made_at: string; fingerprint: string }) | null;
} & VersionRow &
  Likened;

/** A version of a registered recipient as a row. */
export type VersionRow = {
  version: number;
  made_at: Date;
  made_by: string;
  masked: Omit<MaskedRecipient, 'fingerprint'>;
  fingerprint: Buffer;
  verification: PayeeCheck | null;
  approval: Approval | null;
};

/** Loads registered recipients by one query. `condition` is about `r`, a row of them, and may end with an order and a limit. */
export async function loadRegistered(
  database: Database,
  condition: RawBuilder<unknown>,
): Promise<FoundRecipient[]> {
  const details = {
    organisationId: sql`r.organisation_id`,
    environment: sql`r.environment`,
    recipientId: sql`r.recipient_id`,
    fingerprint: sql`v.fingerprint`,
    address: sql`v.address`,
  };
  const { rows } = await sql<Row>`
    select r.recipient_id, r.client_reference, r.body_fingerprint, r.status, r.label, r.metadata, r.revision, r.version,
      r.created_at, r.updated_at, r.last_used_at, v.made_at, v.made_by, v.masked, v.fingerprint, v.verification, v.approval, v.key_id, v.sealed,
      (
        select jsonb_build_object('version', s.version, 'made_at', s.made_at, 'made_by', s.made_by, 'masked', s.masked,
          'fingerprint', encode(s.fingerprint, 'hex'), 'verification', s.verification, 'approval', s.approval)
        from registered_recipient_versions s
        where (s.organisation_id, s.environment, s.recipient_id, s.version)
          = (r.organisation_id, r.environment, r.recipient_id, r.standing_version)
      ) as standing, exists (
        select from plans p
        where p.organisation_id = r.organisation_id and p.environment = r.environment and p.recipient -> 'registeredAs' is not null
          and p.recipient -> 'registeredAs' ->> 'recipientId' = r.recipient_id
          and p.recipient -> 'registeredAs' ->> 'version' = r.version::text and p.status = 'COMPLETED'
      ) as is_paid,
      ${likenessOf(details)}
    from registered_recipients r join registered_recipient_versions v
      on (v.organisation_id, v.environment, v.recipient_id, v.version)
        = (r.organisation_id, r.environment, r.recipient_id, r.version)
    where ${condition}`.execute(database);
  return rows.map(foundOf);
}

/** The condition that `r` is this recipient. */
export function isRegistered(
  { organisationId, environment }: PlanScope,
  recipientId: string,
): RawBuilder<unknown> {
  return sql`r.organisation_id = ${organisationId} and r.environment = ${environment} and r.recipient_id = ${recipientId}`;
}

/** The registered recipient of an id; undefined when the scope has none. */
export async function findRegistered(
  database: Database,
  scope: PlanScope,
  recipientId: string,
): Promise<FoundRecipient | undefined> {
  const [found] = await loadRegistered(database, isRegistered(scope, recipientId));
  return found;
}

/** Locks a registered recipient until the transaction ends, and then reads it: only so are the changes seen that the lock waited for. */
export async function lockRegistered(
  transaction: Database,
  scope: PlanScope,
  recipientId: string,
): Promise<FoundRecipient | undefined> {
  const { rows } = await sql`
    select from registered_recipients r where ${isRegistered(scope, recipientId)} for no key update`.execute(
    transaction,
  );
  return rows.length === 0 ? undefined : findRegistered(transaction, scope, recipientId);
}

/** Masked details with the fingerprint in its text form. */
export function maskedOf(masked: Omit<MaskedRecipient, 'fingerprint'>, fingerprint: Buffer): MaskedRecipient {
  return { ...masked, fingerprint: fingerprint.toString('base64url') } as MaskedRecipient;
}

function detailsOf(row: VersionRow): VersionDetails {
  return {
    version: row.version,
    recipient: maskedOf(row.masked, row.fingerprint),
    ...(row.verification === null ? {} : { verification: row.verification }),
    ...(row.approval === null ? {} : { approval: row.approval }),
    detailsBy: row.made_by,
    detailsAtMs: row.made_at.getTime(),
  };
}

function standingOf({ made_at, fingerprint, ...row }: NonNullable<Row['standing']>): VersionDetails {
  return detailsOf({ ...row, made_at: new Date(made_at), fingerprint: Buffer.from(fingerprint, 'hex') });
}

function foundOf(row: Row): FoundRecipient {
  const registered: RegisteredRecipient = {
    recipientId: row.recipient_id,
    ...(row.client_reference === null ? {} : { clientReference: row.client_reference }),
    ...(row.label === null ? {} : { label: row.label }),
    metadata: row.metadata,
    status: row.status,
    revision: row.revision,
    ...detailsOf(row),
    ...(row.standing === null ? {} : { standing: standingOf(row.standing) }),
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
    ...(row.last_used_at === null ? {} : { lastUsedAtMs: row.last_used_at.getTime() }),
  };
  return {
    registered,
    likeness: likenessIn(row),
    isPaid: row.is_paid,
    sealed:
      row.key_id === null || row.sealed === null ? undefined : { keyId: row.key_id, sealed: row.sealed },
    bodyFingerprint: row.body_fingerprint,
  };
}
