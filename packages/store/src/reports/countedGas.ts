import type { SpentGas } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { PlanScope } from '../plans/planScope.ts';

/** The gas of a movement as JSON, as `countedGas` selects it. */
export type GasRow = { units: string; cost: string | null } | null;

/**
 * The gas that reports show of a movement `m`, as JSON: that of the movement or, where `m` takes another one back, of
 * that one. A transaction may have executed swaps of several plans, and its gas counts once. It counts with the first
 * movement that has it, until the last one that has it is taken back. So `m` shows it only where no other movement of
 * the transaction stands at the place of `m` in the order of reports. Later rows are not looked at, so that they
 * never change it.
 */
export function countedGas({ organisationId, environment }: PlanScope): RawBuilder<unknown> {
  const own = (alias: string) => sql`${sql.ref(`${alias}.organisation_id`)} = ${organisationId}
    and ${sql.ref(`${alias}.environment`)} = ${environment}`;
  const isTakenBackBefore = (alias: string, place: string) => sql`exists (
    select from movements back
    where ${own('back')} and back.plan_id = ${sql.ref(`${alias}.plan_id`)} and back.reverses = ${sql.ref(`${alias}.seq`)}
      and ${isBefore('back', place)})`;
  // Found by their transaction before they are ordered: without statistics the database would go through all movements before `m`.
  return sql`case when m.kind = 'SWAP_IN' then (
    select (
      select jsonb_build_object('units', f.gas_units::text, 'cost', f.gas_cost::text)
      from (
        select f.plan_id, f.seq, f.booked_at, f.gas_units, f.gas_cost from movements f
        where ${own('f')} and f.chain_id = g.chain_id and f.tx_hash = g.tx_hash
          and f.block_hash = g.block_hash and f.gas_units is not null
        offset 0
      ) f
      where (f.plan_id, f.seq) = (g.plan_id, g.seq) or ${isBefore('f', 'm')}
      order by f.booked_at, f.plan_id, f.seq limit 1)
    from movements g
    where ${own('g')} and g.plan_id = m.plan_id and g.seq = coalesce(m.reverses, m.seq) and g.gas_units is not null
      and (m.reverses is null or ${isBefore('g', 'm')}) and not ${isTakenBackBefore('g', 'g')}
      and not exists (
        select from (
          select o.plan_id, o.seq, o.booked_at from movements o
          where ${own('o')} and o.chain_id = g.chain_id and o.tx_hash = g.tx_hash
            and o.block_hash = g.block_hash and o.gas_units is not null and (o.plan_id, o.seq) <> (g.plan_id, g.seq)
          offset 0
        ) other
        where ${isBefore('other', 'm')} and not ${isTakenBackBefore('other', 'm')})
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
