import type { SpentGas } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { PlanScope } from '../plans/planScope.ts';

/** The gas of a movement as JSON, as `countedGas` selects it. */
export type GasRow = { units: string; cost: string | null } | null;

/**
 * The gas that reports show of a movement `m`, as JSON: that of the movement or, where `m` takes another one back, of that one. A
 * transaction may have executed swaps of several plans, and its gas counts once: only of the first of them in the order of reports. Whether
 * it counts rests on nothing that is behind the movement in this order, so that later rows never change it.
 */
export function countedGas({ organisationId, environment }: PlanScope): RawBuilder<unknown> {
  const own = (alias: string) => sql`${sql.ref(`${alias}.organisation_id`)} = ${organisationId}
    and ${sql.ref(`${alias}.environment`)} = ${environment}`;
  return sql`case when m.kind = 'SWAP_IN' then (
    select jsonb_build_object('units', g.gas_units::text, 'cost', g.gas_cost::text)
    from movements g
    where ${own('g')} and g.plan_id = m.plan_id and g.seq = coalesce(m.reverses, m.seq) and g.gas_units is not null
      and (m.reverses is null or ${isBefore('g', 'm')})
      and not exists (
        select from movements back
        where ${own('back')} and back.plan_id = g.plan_id and back.reverses = g.seq and ${isBefore('back', 'g')})
      and not exists (
        select from movements other
        where ${own('other')} and other.chain_id = g.chain_id and other.tx_hash = g.tx_hash
          and other.block_hash = g.block_hash and other.gas_units is not null and ${isBefore('other', 'g')}
          and not exists (
            select from movements undone
            where ${own('undone')} and undone.plan_id = other.plan_id and undone.reverses = other.seq
              and ${isBefore('undone', 'g')})
      )
  ) end`;
}

/** Whether a movement is before another one in the order of reports. One that is not booked is before none. */
function isBefore(first: string, second: string): RawBuilder<unknown> {
  const place = (alias: string) => sql`(${sql.ref(`${alias}.booked_at`)}, ${sql.ref(`${alias}.plan_id`)},
    ${sql.ref(`${alias}.seq`)})`;
  return sql`${place(first)} < ${place(second)}`;
}

/** The gas of a row; nothing where it has none. */
export function gasPart(row: GasRow): { readonly gas?: SpentGas } {
  if (row === null) return {};
  const { units, cost } = row;
  return { gas: { units, ...(cost === null ? {} : { costWei: cost }) } as SpentGas };
}
