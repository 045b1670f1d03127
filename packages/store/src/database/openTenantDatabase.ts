import { type DatabaseConnection, type DatabaseLimits, openDatabase } from '@fairway/postgres';
import { buildTenantGuard } from '../tenantGuard/tenantGuard.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/**
 * Opens the store's tables behind the tenant guard: a query that the guard refuses does not run. `limits`: those
 * of requests, unless given.
 */
export async function openTenantDatabase(
  connection: DatabaseConnection,
  log: (message: string) => void,
  limits?: DatabaseLimits,
): Promise<Database> {
  return openDatabase<Tables>(connection, log, {
    examine: await buildTenantGuard(),
    ...(limits === undefined ? {} : { limits }),
  });
}
