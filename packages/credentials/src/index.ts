export {
  type Authenticate,
  type AuthenticationResult,
  type AuthenticatorOptions,
  createAuthenticator,
} from './authentication.ts';
export {
  createCredentials,
  type CredentialEventType,
  type CredentialGone,
  type CredentialRecord,
  type CredentialRefusal,
  type CredentialRequest,
  type Credentials,
  type CredentialSummary,
  type NewCredential,
  type PublishedCredential,
  type PublishedEventsOfCredential,
  type RotatedCredential,
} from './credentials.ts';
export { CREDENTIALS_GUARD } from './database/credentialsGuard.ts';
export type { CredentialsTables } from './database/schema.ts';
export { credentialsSchema } from './migrations/credentialsSchema.ts';
export { createSecretHasher, deriveKey, KEY_BYTES, type SecretHasher } from './secrets.ts';
export { openServerKey, type ServerKeyOutcome } from './serverKey.ts';
