import type { ColumnType, Generated } from 'kysely';

/** A time that is set when the row is made and never changed. */
type MadeAt = ColumnType<Date, Date, never>;

/** An organisation; `id` is `org_` and a UUID of version 7 in hexadecimal, so that ids sort by age. */
export type OrganisationRow = { id: string; name: string; created_at: MadeAt };

/** A credential; `id` is what callers send as their user name. Secrets are stored as keyed hashes only. */
export type CredentialRow = {
  id: string;
  organisation_id: string;
  environment: string;
  permissions: string[];
  secret_hash: Buffer;
  previous_secret_hash: Buffer | null;
  previous_valid_until: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  created_at: MadeAt;
};

/** The key that credentials are hashed with: kept here only when the operator configured none. */
export type ServerKeyRow = {
  purpose: string;
  key: Buffer | null;
  fingerprint: Buffer;
  created_at: Generated<Date>;
};

/** Full details of a plan's recipient: nonce, ciphertext and tag, and the id of the key. */
export type RecipientRow = {
  organisation_id: string;
  environment: string;
  plan_id: string;
  key_id: string;
  sealed: Buffer;
};

/** A pool of workers that ran at this time, by the database's wall clock. */
export type WorkerRow = { id: string; seen_at: Date };

/** The tables that are queried through kysely; plans are written and read as JSON, see `payments/planRows.ts`. */
export type Tables = {
  organisations: OrganisationRow;
  credentials: CredentialRow;
  server_keys: ServerKeyRow;
  recipients: RecipientRow;
  workers: WorkerRow;
};
