// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/recoveries.ts`. */
export type RecoveriesTables = {
  recoveries: {
    epoch: bigint;
    since: Date;
    marked_at: Date;
  };
};
