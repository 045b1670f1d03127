import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startTemporaryPostgres } from '@fairway/postgres';
import { startGuardian } from '@fairway/processes';

/** Where tests keep the initialised database template between runs. */
export const TEST_CACHE_DIRECTORY: string = fileURLToPath(
  new URL('../../../node_modules/.cache/fairway', import.meta.url),
);

/**
 * A PostgreSQL of the test's own on a fresh temporary folder. `close` ends it and removes the folder, and so does the end
 * of this process, however it ends.
 */
export async function startTestDatabase(
  log: (message: string) => void = () => {},
): Promise<EmbeddedPostgres> {
  await using ending = new AsyncDisposableStack();
  const guardian = await startGuardian();
  ending.defer(() => guardian.close());
  const database = await startTemporaryPostgres({
    cacheDirectory: TEST_CACHE_DIRECTORY,
    log,
    onTemporaryFolder: guardian.removeAtEnd,
    onSpawn: (pid) => guardian.watch(pid, 'SIGINT'),
    onExit: guardian.unwatch,
  });
  ending.defer(database.close);
  const all = ending.move();
  return { ...database, close: () => all.disposeAsync() };
}
