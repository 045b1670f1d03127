import { migrate } from '@fairway/store';
import { readStoreConfig } from '../platform/config/storeConfig.ts';
import { openingFault, refusedDatabase } from '../platform/database/openDatabase.ts';
import { openDatabasePlace } from './openCommandStore.ts';
import { parseCommand } from '../platform/config/commandLine.ts';
import type { Terminal } from './terminal.ts';

/**
 * `fairway migrate`: brings the database up to date. Returns what to print.
 * @throws UsageError, DatabaseUnavailableError, ConfigError
 */
export async function migrateCommand(args: readonly string[], terminal: Terminal): Promise<string> {
  const { values } = parseCommand(args, { data: { type: 'string' } }, false);
  const config = readStoreConfig(values.data, terminal.environment);
  const place = await openDatabasePlace(config, true);
  try {
    const outcome = await migrate(place.connection).catch((error: unknown) => {
      throw openingFault(error, config.database);
    });
    if (!outcome.ok) throw refusedDatabase(outcome);
    const { applied } = outcome;
    return applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`;
  } finally {
    await place.close();
  }
}
