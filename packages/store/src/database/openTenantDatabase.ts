import { type DatabaseConnection, type DatabaseLimits, openDatabase } from '@fairway/postgres';
import { buildTenantWall } from '../wall/tenantWall.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/**
 * Opens the store's tables behind the tenant guard: a statement that the guard refuses does not run. `limits`: those
 * of requests, unless given.
 */
export async function openTenantDatabase(
  connection: DatabaseConnection,
  log: (message: string) => void,
  limits?: DatabaseLimits,
): Promise<Database> {
  return openDatabase<Tables>(connection, log, {
    examine: await buildTenantWall(),
    ...(limits === undefined ? {} : { limits }),
  });
}
