import type { ColumnMap } from '@fairway/statements';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { KeptMap } from './statement.ts';

/** How many column maps an organisation may have in an environment. */
export const MOST_MAPS = 100;

type Row = { name: string; definition: ColumnMap; created_at: Date; updated_at: Date };

/** Loads maps. `condition` is about `c`, a row of them, and may end with an order and a limit. */
export async function loadMaps(
  database: Database,
  { organisationId, environment }: PlanScope,
  condition: RawBuilder<unknown>,
): Promise<readonly KeptMap[]> {
  const { rows } = await sql<Row>`
    select c.name, c.definition, c.created_at, c.updated_at from statement_maps c
    where c.organisation_id = ${organisationId} and c.environment = ${environment} and ${condition}`.execute(
    database,
  );
  return rows.map(({ name, definition, created_at, updated_at }) => ({
    ...{ name, map: definition },
    createdAtMs: created_at.getTime(),
    updatedAtMs: updated_at.getTime(),
  }));
}

/** Keeps a map under a name, in place of what had the name. */
export async function keepMap(
  database: Database,
  scope: PlanScope,
  { name, map }: Pick<KeptMap, 'name' | 'map'>,
  { actor, atMs }: CommandContext,
): Promise<
  { readonly ok: true; readonly kept: KeptMap } | { readonly ok: false; readonly reason: 'TOO_MANY' }
> {
  const { organisationId, environment } = scope;
  return database.transaction().execute(async (transaction) => {
    const others = await loadMaps(transaction, scope, sql`c.name <> ${name} limit ${MOST_MAPS}`);
    if (others.length >= MOST_MAPS) return { ok: false, reason: 'TOO_MANY' } as const;
    const at = new Date(atMs);
    await sql`insert into statement_maps as c (organisation_id, environment, name, definition, made_by, created_at, updated_at)
        values (${organisationId}, ${environment}, ${name}, ${JSON.stringify(map)}::jsonb, ${actor}, ${at}, ${at})
        on conflict (organisation_id, environment, name) do update
        set definition = excluded.definition, made_by = excluded.made_by, updated_at = excluded.updated_at`.execute(
      transaction,
    );
    const [kept] = await loadMaps(transaction, scope, sql`c.name = ${name}`);
    if (kept === undefined) throw new Error('A map must be there once it was written.');
    return { ok: true, kept } as const;
  });
}
