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

/** The server key. `key` is null when the operator configured the key. */
export type ServerKeyRow = {
  purpose: string;
  key: Buffer | null;
  fingerprint: Buffer;
  created_at: Generated<Date>;
};

/** What tells the right bytes of a sealing key from wrong ones of the same id. */
export type SealingKeyRow = { key_id: string; check_value: Buffer; created_at: Generated<Date> };

/** A random key that is stored only sealed by the sealing key `key_id`. */
export type WrappedKeyRow = {
  name: string;
  version: number;
  key_id: string;
  sealed: Buffer;
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

/** How a link stands. LIVE: it can be opened and used. SUPERSEDED: a newer one was made. */
export type CollectLinkState = 'LIVE' | 'USED' | 'SUPERSEDED' | 'CANCELLED' | 'EXPIRED';

/** A collect link. Only the SHA-256 of its token is stored. */
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

/** A submission that waits for its code. Only a keyed fingerprint of the code is stored. */
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

/** An e-mail about a link. A notice has no sealed details; any other e-mail has them exactly while it is QUEUED. */
export type MailRow = {
  mail_id: string;
  organisation_id: string;
  environment: Environment;
  plan_id: string;
  token_hash: Buffer;
  kind: 'LINK_FIRST' | 'LINK_REPLACED' | 'LINK_REISSUED' | 'LINK_REOPENED' | 'CODE' | Notice;
  message_id: string;
  /** When a notice is due; null for any other e-mail. */
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

/** The tables that are queried through kysely. Plans are written and read as JSON (`plans/planRows.ts`). */
export type Tables = {
  organisations: OrganisationRow;
  credentials: CredentialRow;
  server_keys: ServerKeyRow;
  sealing_keys: SealingKeyRow;
  wrapped_keys: WrappedKeyRow;
  recipients: RecipientRow;
  collect_links: CollectLinkRow;
  collect_codes: CollectCodeRow;
  mails: MailRow;
};
