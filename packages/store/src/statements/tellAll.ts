import type { Database } from '../database/database.ts';
import { type News, writeNews } from '../events/news.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** How many events are written by one statement. */
const EVENTS_AT_ONCE = 200;

/** Keeps many events in a transaction that has written what they tell of. */
export async function tellAll(
  transaction: Database,
  scope: PlanScope,
  news: readonly News[],
  atMs: number,
): Promise<void> {
  for (let index = 0; index < news.length; index += EVENTS_AT_ONCE)
    await writeNews(transaction, scope, news.slice(index, index + EVENTS_AT_ONCE), atMs);
}
