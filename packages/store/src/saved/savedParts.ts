import type { SavedNews } from '@fairway/recipients';
import type { Database } from '../database/database.ts';
import type { News } from '../events/news.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '../keys/sealing.ts';
import type { KeptRecipient } from './savedRows.ts';

/**
 * Makes the published events about a saved recipient; `before` is undefined when it is new. `atMs`: when it was
 * changed.
 */
export type SavedNewsOf = (
  type: SavedNews,
  before: KeptRecipient | undefined,
  after: KeptRecipient,
  atMs: number,
) => readonly News[];

/** What operations on saved recipients work with. */
export type SavedParts = {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly fingerprints: Fingerprints;
  readonly savedNewsOf: SavedNewsOf;
};
