export type { DatabaseConnection, DatabaseLimits, SocketConnection } from './connection/connection.ts';
export { LONG_LIMITS, openDatabase } from './connection/database.ts';
export { isDeadlock, isLockTimeout, violatedConstraint } from './connection/databaseErrors.ts';
export {
  DatabaseUnavailableError,
  isOutcomeUnknown,
  isUnavailable,
  unlessAway,
  withKnownOutcome,
} from './connection/unavailable.ts';
export {
  addedJob,
  addJob,
  hasOtherJob,
  hastenJobs,
  MAX_ATTEMPTS,
  type NewJob,
  removeJob,
} from './jobs/jobs.ts';
export { type JobWorker, startWorker, type TaskHandler, type WorkerOptions } from './jobs/worker.ts';
export { lockTables } from './lockTables.ts';
export { type MigrationOutcome, type Migrations, migrateDatabase } from './migrate.ts';
export { recordset } from './recordset.ts';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
  startTemporaryPostgres,
  type TemporaryPostgresOptions,
} from './server/embeddedPostgres.ts';
export {
  type CommandPostgres,
  type CommandPostgresPlace,
  openCommandPostgres,
} from './server/commandPostgres.ts';
export { EmbeddedPostgresError } from './server/embeddedPostgresError.ts';
export { connectToRunning, endOrphan } from './server/postgresProcesses.ts';
export { surely } from './surely.ts';
export { type DatabaseClock, startDatabaseClock } from './time/databaseClock.ts';
