import { randomUUIDv7 } from 'node:crypto';
import type { Environment } from '@fairway/values';
import type { Database, Row } from './database/schema.ts';
import { type PublishedEvent, writePublishedEvents } from '@fairway/outbox';
import { generateSecret, type SecretHasher } from './secrets.ts';

/**
 * A request for a credential. An organisation of a new name is made. Without `expiresAt` the credential never expires.
 */
export type CredentialRequest = {
  organisation: string;
  environment: Environment;
  permissions: readonly string[];
  expiresAt?: Date | undefined;
};

/** A credential without its secrets. */
export type CredentialSummary = {
  username: string;
  organisationId: string;
  organisation: string;
  environment: Environment;
  permissions: readonly string[];
  createdAt: Date;
  expiresAt: Date | undefined;
  revokedAt: Date | undefined;
  previousValidUntil: Date | undefined;
};

/** The types of events about credentials. */
export type CredentialEventType = 'credential.created' | 'credential.rotated' | 'credential.revoked';

/** A credential as published events show it, without its secrets. */
export type PublishedCredential = Omit<CredentialSummary, 'organisationId' | 'organisation'>;

/** Makes the published events about a change of a credential, which is given as it is after the change. */
export type PublishedEventsOfCredential = (
  type: CredentialEventType,
  credential: PublishedCredential,
) => readonly PublishedEvent[];

/** What operations on credentials work with. */
type Parts = {
  readonly database: Database;
  readonly hasher: SecretHasher;
  readonly publishedEventsOfCredential: PublishedEventsOfCredential;
  now(): Date;
};

/** A new credential. The password is stored nowhere and cannot be shown again. */
export type NewCredential = {
  ok: true;
  username: string;
  password: string;
  organisationId: string;
  organisation: string;
  environment: Environment;
  permissions: readonly string[];
  expiresAt: Date | undefined;
};

/** A request for a credential that cannot be met: `detail` says what to change. */
export type CredentialRefusal = {
  ok: false;
  reason: 'ORGANISATION_INVALID' | 'EXPIRY_INVALID' | 'ENVIRONMENT_NOT_SERVED';
  detail: string;
};

/** There is no such credential, or it was revoked. */
export type CredentialGone = { ok: false; reason: 'CREDENTIAL_UNKNOWN' | 'CREDENTIAL_REVOKED' };

/** A new password for a credential; the old one works until `previousValidUntil`. */
export type RotatedCredential = { ok: true; username: string; password: string; previousValidUntil: Date };

/** A credential as authentication needs it. Times are milliseconds since 1970. */
export type CredentialRecord = {
  username: string;
  organisationId: string;
  environment: Environment;
  permissions: readonly string[];
  secretHash: Buffer;
  previousSecretHash: Buffer | undefined;
  previousValidUntilMs: number;
  expiresAtMs: number;
  isRevoked: boolean;
};

/** Operations on credentials. Changes write their event in the same transaction. */
export type Credentials = {
  /** Keeps that an application serves this environment on this database. */
  serveEnvironment: (environment: Environment) => Promise<void>;
  /**
   * Makes a credential, and its organisation when there is none of that name. Once an environment is served, one of
   * another environment is refused, which nobody would let in.
   */
  createCredential: (request: CredentialRequest) => Promise<NewCredential | CredentialRefusal>;
  /**
   * Gives a credential a new password. The last password stays valid for `overlapSeconds`, a whole number of up to 30
   * days; an earlier password ends at once.
   */
  rotateCredential(
    username: string,
    overlapSeconds: number,
  ): Promise<RotatedCredential | CredentialGone | { ok: false; reason: 'OVERLAP_INVALID' }>;
  /** Ends a credential for good; revoking again changes nothing. */
  revokeCredential(
    username: string,
  ): Promise<{ ok: true; revokedAt: Date } | { ok: false; reason: 'CREDENTIAL_UNKNOWN' }>;
  /** The name of an organisation; undefined when there is none of this id. */
  organisationName(organisationId: string): Promise<{ name: string | undefined }>;
  /** All credentials, oldest first, without secrets. */
  listCredentials(): Promise<{ credentials: CredentialSummary[] }>;
  /** One credential as authentication needs it; `record` is undefined when there is none of that name. */
  findCredential(username: string): Promise<{ record: CredentialRecord | undefined }>;
};

const LONGEST_OVERLAP_SECONDS = 30 * 86_400;
const LONGEST_NAME = 200;

/**
 * Binds the operations to a database, the server key's hasher, a clock and the maker of published events.
 *
 * @example
 * ```ts
 * import { createCredentials } from '@fairway/credentials';
 *
 * declare const parts: Parameters<typeof createCredentials>[0];
 *
 * const { credentials } = await createCredentials(parts).listCredentials();
 * ```
 */
export function createCredentials(parts: Parts): Credentials {
  const { database } = parts;
  return {
    serveEnvironment: (environment) => serveEnvironment(database, environment),
    createCredential: (request) => createCredential(parts, request),
    rotateCredential: (username, overlapSeconds) => rotateCredential(parts, username, overlapSeconds),
    revokeCredential: (username) => revokeCredential(parts, username),
    organisationName: (organisationId) => organisationName(database, organisationId),
    listCredentials: () => listCredentials(database),
    findCredential: (username) => findCredential(database, username),
  };
}

async function serveEnvironment(database: Database, environment: Environment): Promise<void> {
  await database
    .insertInto('served_environments')
    .values({ environment })
    .onConflict((conflict) => conflict.column('environment').doNothing())
    .execute();
}

/** The refusal of an environment where only others are served; undefined where it is, or none is yet. */
async function refusalOfEnvironment(
  database: Database,
  environment: Environment,
): Promise<CredentialRefusal | undefined> {
  const rows = await database.selectFrom('served_environments').select('environment').execute();
  if (rows.length === 0 || rows.some((served) => served.environment === environment)) return undefined;
  const served = rows.map((row) => row.environment).join(', ');
  const detail = `a credential of ${environment} would be refused: this database is served as ${served}`;
  return { ok: false, reason: 'ENVIRONMENT_NOT_SERVED', detail };
}

async function createCredential(
  { database, hasher, publishedEventsOfCredential, now }: Parts,
  { organisation, environment, permissions, expiresAt }: CredentialRequest,
): Promise<NewCredential | CredentialRefusal> {
  const createdAt = now();
  const name = organisation.trim().normalize('NFC');
  const nameLength = Array.from(name).length;
  if (
    nameLength < 1 ||
    nameLength > LONGEST_NAME ||
    /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) ||
    !name.isWellFormed()
  ) {
    const detail = `an organisation's name has 1 to ${LONGEST_NAME} characters and no control characters`;
    return { ok: false, reason: 'ORGANISATION_INVALID', detail };
  }
  if (expiresAt !== undefined && !(expiresAt.getTime() > createdAt.getTime())) {
    return { ok: false, reason: 'EXPIRY_INVALID', detail: 'the expiry must be a time in the future' };
  }
  const refused = await refusalOfEnvironment(database, environment);
  if (refused !== undefined) return refused;
  const username = newId('cred');
  const password = generateSecret();
  const organisationId = await database.transaction().execute(async (transaction) => {
    const organisationId = await findOrCreateOrganisation(transaction, name, createdAt);
    const row = await transaction
      .insertInto('credentials')
      .values({
        id: username,
        organisation_id: organisationId,
        environment,
        permissions: [...permissions],
        secret_hash: hasher.hash(username, password),
        expires_at: expiresAt ?? null,
        created_at: createdAt,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await writeCredentialEvent(
      transaction,
      publishedEventsOfCredential,
      'credential.created',
      row,
      createdAt,
    );
    return organisationId;
  });
  return {
    ok: true,
    username,
    password,
    organisationId,
    organisation: name,
    environment,
    permissions: [...permissions],
    expiresAt,
  };
}

async function findOrCreateOrganisation(database: Database, name: string, createdAt: Date): Promise<string> {
  // If another transaction is making the organisation, this query waits, and the next one finds its row.
  await database
    .insertInto('organisations')
    .values({ id: newId('org'), name, created_at: createdAt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { id } = await database
    .selectFrom('organisations')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return id;
}

async function rotateCredential(
  { database, hasher, publishedEventsOfCredential, now }: Parts,
  username: string,
  overlapSeconds: number,
): Promise<RotatedCredential | CredentialGone | { ok: false; reason: 'OVERLAP_INVALID' }> {
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > LONGEST_OVERLAP_SECONDS) {
    return { ok: false, reason: 'OVERLAP_INVALID' };
  }
  const password = generateSecret();
  const at = now();
  const previousValidUntil = new Date(at.getTime() + overlapSeconds * 1_000);
  return database.transaction().execute(async (transaction) => {
    const rotated = await transaction
      .updateTable('credentials as any_credential')
      .set((row) => ({
        secret_hash: hasher.hash(username, password),
        previous_secret_hash: row.ref('secret_hash'),
        previous_valid_until: previousValidUntil,
      }))
      .where('id', '=', username)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (rotated === undefined)
      return {
        ok: false,
        reason:
          (await credentialRow(transaction, username)) === undefined
            ? 'CREDENTIAL_UNKNOWN'
            : 'CREDENTIAL_REVOKED',
      };
    await writeCredentialEvent(transaction, publishedEventsOfCredential, 'credential.rotated', rotated, at);
    return { ok: true, username, password, previousValidUntil };
  });
}

async function revokeCredential(
  { database, publishedEventsOfCredential, now }: Parts,
  username: string,
): Promise<{ ok: true; revokedAt: Date } | { ok: false; reason: 'CREDENTIAL_UNKNOWN' }> {
  const at = now();
  return database.transaction().execute(async (transaction) => {
    const revoked = await transaction
      .updateTable('credentials as any_credential')
      .set({ revoked_at: at })
      .where('id', '=', username)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (revoked !== undefined) {
      await writeCredentialEvent(transaction, publishedEventsOfCredential, 'credential.revoked', revoked, at);
      return { ok: true, revokedAt: at };
    }
    const row = await credentialRow(transaction, username);
    return row === undefined
      ? { ok: false, reason: 'CREDENTIAL_UNKNOWN' }
      : { ok: true, revokedAt: row.revoked_at ?? at };
  });
}

/** Writes the published events about a credential, in the transaction that changes it. */
async function writeCredentialEvent(
  transaction: Database,
  publishedEventsOfCredential: PublishedEventsOfCredential,
  type: CredentialEventType,
  row: Row<'credentials'>,
  at: Date,
): Promise<void> {
  const scope = { organisationId: row.organisation_id, environment: row.environment };
  await writePublishedEvents(
    transaction,
    scope,
    publishedEventsOfCredential(type, publishedOf(row)),
    at.getTime(),
  );
}

function publishedOf(
  row: Omit<Row<'credentials'>, 'secret_hash' | 'previous_secret_hash'>,
): PublishedCredential {
  return {
    username: row.id,
    environment: row.environment,
    permissions: row.permissions,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    previousValidUntil: row.previous_valid_until ?? undefined,
  };
}

function credentialRow(database: Database, username: string): Promise<Row<'credentials'> | undefined> {
  return database
    .selectFrom('credentials as any_credential')
    .selectAll()
    .where('id', '=', username)
    .executeTakeFirst();
}

async function organisationName(
  database: Database,
  organisationId: string,
): Promise<{ name: string | undefined }> {
  const row = await database
    .selectFrom('organisations')
    .select('name')
    .where('id', '=', organisationId)
    .executeTakeFirst();
  return { name: row?.name };
}

async function listCredentials(database: Database): Promise<{ credentials: CredentialSummary[] }> {
  const rows = await database
    .selectFrom('credentials as any_credential')
    .innerJoin('organisations', 'organisations.id', 'any_credential.organisation_id')
    .select(['any_credential.id', 'organisation_id', 'organisations.name', 'environment', 'permissions'])
    .select(['any_credential.created_at', 'expires_at', 'revoked_at', 'previous_valid_until'])
    .orderBy('any_credential.id')
    .execute();
  const credentials = rows.map((row) => ({
    username: row.id,
    organisationId: row.organisation_id,
    organisation: row.name,
    environment: row.environment,
    permissions: row.permissions,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    previousValidUntil: row.previous_valid_until ?? undefined,
  }));
  return { credentials };
}

async function findCredential(
  database: Database,
  username: string,
): Promise<{ record: CredentialRecord | undefined }> {
  const row = await credentialRow(database, username);
  return { record: row === undefined ? undefined : recordOf(row) };
}

function recordOf(row: Row<'credentials'>): CredentialRecord {
  return {
    username: row.id,
    organisationId: row.organisation_id,
    environment: row.environment,
    permissions: row.permissions,
    secretHash: row.secret_hash,
    previousSecretHash: row.previous_secret_hash ?? undefined,
    previousValidUntilMs: row.previous_valid_until?.getTime() ?? 0,
    expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    isRevoked: row.revoked_at !== null,
  };
}

function newId(prefix: 'org' | 'cred'): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
}
