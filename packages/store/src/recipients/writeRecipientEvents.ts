import { type RegisteredChange, recipientEventType } from '@fairway/recipients';
import type { Database } from '../database/database.ts';
import { writePublishedEvents } from '@fairway/outbox';
import type { PlanScope } from '../plans/planScope.ts';
import type { RegisteredParts } from './registeredParts.ts';
import type { KeptRecipient } from './registeredRows.ts';

/** A change of a registered recipient; `before` is undefined when it is new. */
export type ChangedRegistered = {
  readonly change: RegisteredChange['type'];
  readonly before: KeptRecipient | undefined;
  readonly after: KeptRecipient;
};

/** Writes the published events about a change of a registered recipient, in the transaction that changes it. */
export async function writeRecipientEvents(
  transaction: Database,
  { publishedEventsOfRecipient }: RegisteredParts,
  scope: PlanScope,
  { change, before, after }: ChangedRegistered,
): Promise<void> {
  const atMs = after.registered.updatedAtMs;
  const published = publishedEventsOfRecipient(
    recipientEventType(before?.registered, change),
    before,
    after,
    atMs,
  );
  await writePublishedEvents(transaction, scope, published, atMs);
}
