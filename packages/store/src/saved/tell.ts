import { type SavedChange, savedNews } from '@fairway/recipients';
import type { Database } from '../database/database.ts';
import { writeNews } from '../events/news.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { SavedParts } from './savedParts.ts';
import type { KeptRecipient } from './savedRows.ts';

/** A change of a saved recipient; `before` is undefined when it is new. */
export type Told = {
  readonly change: SavedChange['type'];
  readonly before: KeptRecipient | undefined;
  readonly after: KeptRecipient;
};

/** Writes the published events about a change of a saved recipient, in the transaction that changes it. */
export async function tell(
  transaction: Database,
  { savedNewsOf }: SavedParts,
  scope: PlanScope,
  { change, before, after }: Told,
): Promise<void> {
  const atMs = after.saved.updatedAtMs;
  const news = savedNewsOf(savedNews(before?.saved, change), before, after, atMs);
  await writeNews(transaction, scope, news, atMs);
}
