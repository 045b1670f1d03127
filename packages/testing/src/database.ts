import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startTemporaryPostgres } from '@fairway/postgres';

/** Where tests keep the initialised database template between runs. */
export const TEST_CACHE_DIRECTORY: string = fileURLToPath(
  new URL('../../../node_modules/.cache/fairway', import.meta.url),
);

/** A PostgreSQL of the test's own on a fresh temporary folder; `close` ends it and removes the folder. */
export function startTestDatabase(log: (message: string) => void = () => {}): Promise<EmbeddedPostgres> {
  return startTemporaryPostgres({ cacheDirectory: TEST_CACHE_DIRECTORY, log });
}
