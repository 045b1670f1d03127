// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/servedEnvironments.ts`. */
export type ServedEnvironmentsTables = {
  served_environments: {
    environment: 'sandbox' | 'production';
  };
};
