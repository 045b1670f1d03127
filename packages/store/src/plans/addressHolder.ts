import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a plan's deposit address is its alone: the same as the unique index `plans_deposit_address` says. `plans`: the alias of
 * the table.
 */
export function isHolder(plans: 'any_open_plan' | 'open_plan'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${plans}.${column}`);
  return sql`coalesce(${of('holds_address')},
              ${of('status')} not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED', 'CLOSED'))`;
}
