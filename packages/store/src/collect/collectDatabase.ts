import type { Database } from '../database/database.ts';
import type { Sealing } from '../keys/sealing.ts';

/** What collecting works with: the database, the sealing keys and the service's clock. */
export type CollectDatabase = {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly now: () => Date;
};
