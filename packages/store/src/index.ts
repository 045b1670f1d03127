export {
  type Authenticate,
  type AuthenticationResult,
  type AuthenticatorOptions,
  createAuthenticator,
} from './authentication.ts';
export type {
  CredentialGone,
  CredentialRecord,
  CredentialRefusal,
  CredentialRequest,
  Credentials,
  CredentialSummary,
  Environment,
  NewCredential,
  RotatedCredential,
} from './credentials.ts';
export type { DatabaseConnection, SocketConnection } from './database.ts';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
  startTemporaryPostgres,
  type TemporaryPostgresOptions,
} from './embeddedPostgres.ts';
export { EmbeddedPostgresError } from './embeddedPostgresError.ts';
export { type MigrationOutcome, migrate } from './migrate.ts';
export { type OpenStoreOutcome, openStore, type Store, type StoreOptions } from './openStore.ts';
export { connectToRunning, endOrphan } from './postgresProcesses.ts';
export type { Unavailable } from './unavailable.ts';
