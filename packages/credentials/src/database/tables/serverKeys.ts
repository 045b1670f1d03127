// Written by packages/store/test/tableTypes.test.ts.
import type { Generated } from 'kysely';

/** The tables of `migrations/serverKeys.ts`. */
export type ServerKeysTables = {
  server_keys: {
    purpose: string;
    key: Buffer | null;
    fingerprint: Buffer;
    created_at: Generated<Date>;
  };
};
