import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { lockReconciliation } from './bookLock.ts';
import { writeStatementEvents } from './writeStatementEvents.ts';
import { entriesOfCut, entriesThatMayBe } from './entriesThatMayBe.ts';
import { matchByItself } from './matchByItself.ts';
import { followCorrected } from './followCorrected.ts';
import { isOfPlans, loadMovements } from './movements.ts';
import { referencesOfPlan } from './namedPayments.ts';
import { nameLate, wordsOf } from './lateNames.ts';
import type { StatementParts } from './statement.ts';

/**
 * Matches the entries that may be the payments of a plan, or name it. The plan was told of them, or made, after its
 * statements were imported. May be repeated.
 */
export async function matchPayments(
  parts: StatementParts,
  scope: PlanScope,
  planId: string,
  context: CommandContext,
): Promise<void> {
  await parts.database.transaction().execute(async (transaction) => {
    await lockReconciliation(transaction, scope);
    const followed = await followCorrected(transaction, scope, [planId], context);
    // What was taken back leaves its entries to other payments.
    const payments = await loadMovements(transaction, scope, isOfPlans([planId]));
    const references = await referencesOfPlan(transaction, scope, planId);
    const words = wordsOf(references);
    const named = await nameLate(transaction, parts, scope, { planId, words }, context);
    const forms = words.map(({ form }) => form);
    const met = await entriesThatMayBe(transaction, scope, payments, forms);
    const entryIds = [...new Set([...named.flatMap(({ after }) => after.entryId), ...met])];
    const again = await entriesOfCut(transaction, scope, references);
    const changes = await matchByItself(transaction, parts, scope, { entryIds, again }, context);
    await writeStatementEvents(transaction, parts, scope, [...followed, ...named, ...changes], context.atMs);
  });
}
