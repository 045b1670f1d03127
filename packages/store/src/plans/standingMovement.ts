import { type RawBuilder, sql } from 'kysely';

/** Whether no later movement takes a movement back, and it takes none back itself. `movement`: the alias of its row. */
export function isStanding(movement: 'm' | 'b' | 'p' | 'any_moved'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${movement}.${column}`);
  return sql`(${of('reverses')} is null and not exists (
                select from movements later
                where (later.organisation_id, later.environment, later.plan_id, later.reverses)
                  = (${of('organisation_id')}, ${of('environment')}, ${of('plan_id')}, ${of('seq')})))`;
}
