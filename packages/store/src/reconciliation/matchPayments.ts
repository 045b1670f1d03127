import { sql } from 'kysely';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isStanding } from '../plans/standingMovement.ts';
import { lockReconciliation } from './bookLock.ts';
import { writeStatementEvents } from './writeStatementEvents.ts';
import { entriesThatMayBe } from './entriesThatMayBe.ts';
import { matchByItself } from './matchByItself.ts';
import { followCorrected } from './followCorrected.ts';
import { loadMovements } from './movements.ts';
import { nameLate, wordsOfPlan } from './lateNames.ts';
import type { StatementParts } from './statement.ts';

/** Matches the entries that may be the payments of a plan, which was told of them after its statements were imported. May be repeated. */
export async function matchPayments(
  parts: StatementParts,
  scope: PlanScope,
  planId: string,
  context: CommandContext,
): Promise<void> {
  await parts.database.transaction().execute(async (transaction) => {
    await lockReconciliation(transaction, scope);
    const followed = await followCorrected(transaction, scope, [planId], context);
    const condition = sql`${isStanding('m')} and m.plan_id = ${planId}`;
    const payments = await loadMovements(transaction, scope, condition);
    const words = await wordsOfPlan(transaction, scope, planId);
    const named = await nameLate(transaction, parts, scope, words, context);
    const forms = words.map(({ form }) => form);
    const met = await entriesThatMayBe(transaction, scope, payments, forms);
    const entryIds = [...new Set([...named.flatMap(({ after }) => after.entryId), ...met])];
    const changes = await matchByItself(transaction, parts, scope, { entryIds }, context);
    await writeStatementEvents(transaction, parts, scope, [...followed, ...named, ...changes], context.atMs);
  });
}
