import type { Crossing } from '@fairway/outbox';

/**
 * What a guard of queries has to know of the tables of credentials. `tenantTables` have `organisation_id`: each query
 * must ask for one organisation's rows of them, except under the aliases of `crossings`. `sharedTables` belong to no
 * organisation.
 */
export const CREDENTIALS_GUARD: {
  readonly tenantTables: readonly string[];
  readonly sharedTables: readonly string[];
  readonly crossings: Readonly<Record<string, Crossing>>;
} = {
  tenantTables: ['credentials'],
  sharedTables: ['organisations', 'server_keys', 'served_environments'],
  crossings: {
    any_credential: {
      tables: ['credentials'],
      reason:
        'A request and an operator name a credential by its user name alone; it says which organisation asks.',
    },
  },
};
