export {
  type Authenticate,
  type AuthenticationResult,
  type AuthenticatorOptions,
  createAuthenticator,
} from './authentication.ts';
export type { Collect } from './collect/collect.ts';
export type { ConfirmedSubmission } from './collect/confirmSubmission.ts';
export type { CollectLinkState } from './collect/endLinks.ts';
export type { FoundLink, LinkMade, NewLink } from './collect/links.ts';
export type { MailOrder } from './collect/mailQueue.ts';
export type { MailOutcome, QueuedMail, ReadMail } from './collect/mails.ts';
export type { KeptSubmission, Submission } from './collect/submissions.ts';
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
export type { Jobs, PlanWorker, PlanWorkerOptions } from './jobs/jobs.ts';
export { type MigrationOutcome, migrate } from './migrate.ts';
export { type OpenStoreOutcome, openStore, type Store, type StoreOptions } from './openStore.ts';
export type { ChangedPlan, Deed } from './payments/changePlan.ts';
export type { CreatedPlan, FoundPlan, PlanCreation } from './payments/createPlan.ts';
export type { ListedPlans, PlanFilter, PlanPage } from './payments/listPlans.ts';
export type { Payments } from './payments/payments.ts';
export type { HistoryPage } from './payments/planHistory.ts';
export type { PlanScope } from './payments/planScope.ts';
export type { DetailsField, UnreadableRecipient } from './payments/recipients.ts';
export type { FoundPlans, ScopedPlanId, WatchedPlan } from './payments/watchedPlans.ts';
export type { ClaimedTransfer } from './payments/writePlan.ts';
export { connectToRunning, endOrphan } from './postgresProcesses.ts';
export type { SealingKey } from './sealing.ts';
export type { Fingerprint, FingerprintPurpose } from './secrets.ts';
export type { Unavailable } from './unavailable.ts';
