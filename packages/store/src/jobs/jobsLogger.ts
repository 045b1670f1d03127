import { Logger } from 'graphile-worker';

/** Said wherever jobs are reached, as the library would let the environment choose another. */
export const JOBS_SCHEMA = 'graphile_worker';

/** What graphile-worker says, without the line that it writes for every job that went well. */
export function jobsLogger(log: (message: string) => void): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log(`jobs: ${message}`);
  });
}
