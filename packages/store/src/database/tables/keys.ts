// Written by packages/store/test/tableTypes.test.ts.
import type { Generated } from 'kysely';

/** The tables of `migrations/initial/keys.ts`. */
export type KeysTables = {
  sealing_keys: {
    key_id: string;
    check_value: Buffer;
    created_at: Generated<Date>;
  };
  wrapped_keys: {
    name: string;
    version: number;
    key_id: string;
    sealed: Buffer;
    created_at: Generated<Date>;
  };
};
