import { type DatabaseConnection, openDatabase } from '@fairway/postgres';
import { buildTenantWall } from '../wall/tenantWall.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** Opens the store's tables behind the wall between organisations: a statement that it refuses does not run. */
export async function openTenantDatabase(
  connection: DatabaseConnection,
  log: (message: string) => void,
): Promise<Database> {
  return openDatabase<Tables>(connection, log, { examine: await buildTenantWall() });
}
