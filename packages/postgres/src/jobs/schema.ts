import { Logger } from 'graphile-worker';

/**
 * The schema of graphile-worker's tables. Given to the library explicitly: it would else read an environment variable.
 */
export const JOBS_SCHEMA = 'graphile_worker';

/** Passes on graphile-worker's warnings and errors, without the line that it writes for every job that went well. */
export function jobsLogger(log: (message: string) => void): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log(`jobs: ${message}`);
  });
}
