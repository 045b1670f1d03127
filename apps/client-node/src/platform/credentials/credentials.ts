import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type Authenticate,
  createAuthenticator,
  createCredentials,
  type Credentials,
  createSecretHasher,
  type CredentialsTables,
  openServerKey,
} from '@fairway/credentials';
import type { OutboxTables } from '@fairway/outbox';
import { NODE_PERMISSIONS, PERMISSIONS } from '@fairway/wire';
import type { Kysely } from 'kysely';

/** What a caller signs in with. */
export type Login = { readonly username: string; readonly password: string };

/** Who may ask the node. */
export type Access = {
  readonly authenticate: Authenticate;
  /** The credential that the first start made, where its file is still there. */
  readonly first: Login | undefined;
};

/** Everything that credentials are made and checked with. */
export type OpenCredentials = {
  readonly credentials: Credentials;
  readonly secrets: ReturnType<typeof createSecretHasher>;
};

/** The database, as far as credentials are concerned. */
export type CredentialsDatabase = Kysely<CredentialsTables & OutboxTables>;

/** Opens the credentials of the node. */
export async function openCredentials(database: CredentialsDatabase): Promise<OpenCredentials> {
  const opened = await openServerKey(database, undefined);
  if (!opened.ok) throw new Error(opened.detail);
  const secrets = createSecretHasher(opened.serverKey);
  const credentials = createCredentials({
    ...{ database, hasher: secrets, now: () => new Date() },
    publishedEventsOfCredential: () => [],
  });
  return { credentials, secrets };
}

/**
 * Has the node ask who its callers are. The first start makes a credential with every permission, and writes it to a file
 * that its operator alone can read.
 */
export async function openAccess(
  database: CredentialsDatabase,
  environment: 'sandbox' | 'production',
  file: string,
): Promise<Access> {
  const { credentials, secrets } = await openCredentials(database);
  await credentials.serveEnvironment(environment);
  const { credentials: known } = await credentials.listCredentials();
  if (known.length === 0) {
    const permissions = [...PERMISSIONS, ...NODE_PERMISSIONS];
    const made = await credentials.createCredential({ organisation: 'Operator', environment, permissions });
    if (!made.ok) throw new Error(made.detail);
    const { username, password } = made;
    writeFileSync(file, `${JSON.stringify({ username, password }, null, 2)}\n`, { mode: 0o600 });
  }
  const authenticate = createAuthenticator({ store: { ...credentials, secrets }, nowMs: Date.now });
  return {
    authenticate,
    first: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Login) : undefined,
  };
}
