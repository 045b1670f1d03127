import type { Database } from '../database/database.ts';
import { writeNews } from '../events/news.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { StatementNews, StatementParts } from './statement.ts';

/** How many changes are told of by one statement. */
const CHANGES_AT_ONCE = 100;

/** Keeps the events of many changes in a transaction that has made them. */
export async function tellAll(
  transaction: Database,
  { statementNewsOf }: StatementParts,
  scope: PlanScope,
  changes: readonly StatementNews[],
  atMs: number,
): Promise<void> {
  for (let index = 0; index < changes.length; index += CHANGES_AT_ONCE) {
    const news = changes.slice(index, index + CHANGES_AT_ONCE).flatMap(statementNewsOf);
    await writeNews(transaction, scope, news, atMs);
  }
}
