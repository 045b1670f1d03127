import type { RecipientEventType } from '@fairway/recipients';
import type { Database } from '../database/database.ts';
import type { PublishedEvent } from '@fairway/outbox';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '@fairway/keys';
import type { KeptRecipient } from './registeredRows.ts';

/**
 * Makes the published events about a registered recipient; `before` is undefined when it is new. `atMs`: when it was
 * changed.
 */
export type PublishedEventsOfRecipient = (
  type: RecipientEventType,
  before: KeptRecipient | undefined,
  after: KeptRecipient,
  atMs: number,
) => readonly PublishedEvent[];

/** What operations on registered recipients work with. */
export type RegisteredParts = {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly fingerprints: Fingerprints;
  readonly publishedEventsOfRecipient: PublishedEventsOfRecipient;
};
