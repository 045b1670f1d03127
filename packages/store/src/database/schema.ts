import type { Notice } from '@fairway/plan';
import type { ColumnType, Generated } from 'kysely';

/** The environments that a credential can belong to; a deployment serves one of them. */
export type Environment = 'sandbox' | 'production';

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

/** Full details of a plan's recipient or destination: nonce, ciphertext and tag, and the id of the key. */
export type RecipientRow = {
  organisation_id: string;
  environment: string;
  plan_id: string;
  field: 'recipient' | 'destination';
  key_id: string;
  sealed: Buffer;
};

/** A pool of workers that ran at this time, by the database's wall clock. */
export type WorkerRow = { id: string; seen_at: Date };

/** How a link stands. LIVE: it can be opened and used. SUPERSEDED: a newer one was made. */
export type CollectLinkState = 'LIVE' | 'USED' | 'SUPERSEDED' | 'CANCELLED' | 'EXPIRED';

/** A collect link; of its token there is the SHA-256 alone. */
export type CollectLinkRow = {
  token_hash: Buffer;
  organisation_id: string;
  environment: Environment;
  plan_id: string;
  step_id: string;
  version: number;
  expires_at: Date;
  state: CollectLinkState;
};

/** A submission that waits for its code, of which there is a keyed fingerprint alone. */
export type CollectCodeRow = {
  token_hash: Buffer;
  organisation_id: string;
  plan_id: string;
  key_id: string;
  sealed: Buffer;
  code_hash: Buffer;
  code_expires_at: Date;
  wrong_attempts: number;
  link_wrong_attempts: number;
  sends: number;
  last_sent_at: Date;
};

/** An e-mail of a link; the sealed details of one that is no notice are there exactly while it is QUEUED. */
export type MailRow = {
  mail_id: string;
  organisation_id: string;
  environment: Environment;
  plan_id: string;
  token_hash: Buffer;
  kind: 'LINK_FIRST' | 'LINK_REPLACED' | 'LINK_REISSUED' | 'LINK_REOPENED' | 'CODE' | Notice;
  message_id: string;
  /** Of a notice alone. */
  due_at: Date | null;
  expires_at: Date;
  key_id: string | null;
  sealed: Buffer | null;
  state: 'QUEUED' | 'ACCEPTED' | 'BOUNCED' | 'DROPPED';
  attempts: number;
  last_error: string | null;
  created_at: MadeAt;
  ended_at: Date | null;
};

/** The tables that are queried through kysely; plans are written and read as JSON, see `payments/planRows.ts`. */
export type Tables = {
  organisations: OrganisationRow;
  credentials: CredentialRow;
  server_keys: ServerKeyRow;
  recipients: RecipientRow;
  workers: WorkerRow;
  collect_links: CollectLinkRow;
  collect_codes: CollectCodeRow;
  mails: MailRow;
};
