import { type RawBuilder, sql } from 'kysely';

/**
 * The condition that an endpoint `w` wants an event of the alias `event`: one of its types, or the test of itself. An
 * endpoint does not get the events about itself: they are for the organisation's other endpoints.
 */
export function isWanted(event: 'e' | 'any_event'): RawBuilder<unknown> {
  const type = sql.ref(`${event}.type`);
  return sql`(case
    when ${type} = 'webhook_endpoint.test' then ${sql.ref(`${event}.subject_id`)} = w.endpoint_id
    else not (starts_with(${type}, 'webhook_endpoint.') and ${sql.ref(`${event}.subject_id`)} = w.endpoint_id)
      and ${isOneOf(type, sql`w.types`)} end)`;
}

/** The condition that a type is one of some: whole ones, beginnings such as `payment_plan.*`, or `*`. */
export function isOneOf(type: RawBuilder<unknown>, types: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select from unnest(${types}) as asked (name)
    where asked.name = ${type}
      or (right(asked.name, 1) = '*' and starts_with(${type}, substr(asked.name, 1, length(asked.name) - 1))))`;
}
