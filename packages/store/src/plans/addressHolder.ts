import { OVER_STATUSES } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';

/** The statuses of plans that are over, as a list in a statement: values in its text, so that indexes of open plans are used. */
export const OVER_LIST = sql`(${sql.join(OVER_STATUSES.map((status) => sql.lit(status)))})`;

/**
 * Whether a plan's deposit address is its alone: the same as the unique index `plans_deposit_address` says. `plans`: the alias of
 * the table.
 */
export function isHolder(plans: 'any_open_plan' | 'open_plan'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${plans}.${column}`);
  return sql`coalesce(${of('holds_address')},
              ${of('status')} not in ${OVER_LIST})`;
}
