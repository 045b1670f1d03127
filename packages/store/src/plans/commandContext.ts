import type { TimeMs } from '@fairway/plan';

/**
 * Who does something to a plan or a registered recipient, and when by the service's clock. `expectedRevisions`: it is changed only while
 * it has one of these revisions; absent: whatever the revision.
 */
export type CommandContext = {
  readonly actor: string;
  readonly atMs: TimeMs;
  readonly expectedRevisions?: readonly number[];
};
