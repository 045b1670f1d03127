import { savedNews } from '@fairway/recipients';
import type { Database } from '../database/database.ts';
import { writeNews } from '../events/news.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { SavedParts } from './savedParts.ts';
import type { KeptRecipient } from './savedRows.ts';

/** Writes what others are told of a change of a saved recipient, in the transaction that changes it. */
export async function tell(
  transaction: Database,
  { savedNewsOf }: SavedParts,
  scope: PlanScope,
  before: KeptRecipient | undefined,
  after: KeptRecipient,
): Promise<void> {
  const atMs = after.saved.updatedAtMs;
  const news = savedNewsOf(savedNews(before?.saved, after.saved), before, after, atMs);
  await writeNews(transaction, scope, news, atMs);
}
