import type { Database } from '../database/database.ts';
import type { ChangeParts } from '../payments/changeParts.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '@fairway/keys';

/** What collecting works with: the database, the sealing keys, fingerprints, and what every change works with. */
export type CollectDatabase = {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly fingerprints: Fingerprints;
} & ChangeParts;
