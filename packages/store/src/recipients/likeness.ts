import { defined } from '@fairway/values';

import type { Likeness } from '@fairway/recipients';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** What details resemble, as columns of a row. */
export type Likened = {
  readonly duplicate: Likeness['duplicate'] | null;
  readonly lookalike: Likeness['lookalike'] | null;
};

/** Details to compare, each as a value or as a column of an outer query. `address`: null for what is no wallet. */
type Compared = Readonly<
  Record<'organisationId' | 'environment' | 'recipientId' | 'fingerprint' | 'address', RawBuilder<unknown>>
>;

/**
 * The columns `duplicate` and `lookalike` of details. A duplicate is the present version of another registered recipient,
 * one that is ACTIVE first. An erased recipient is not told, because guesses could be tried against it. A lookalike
 * is the address of any version of any registered recipient of the organisation, or of a plan.
 */
export function likenessOf(of: Compared): RawBuilder<unknown> {
  const { organisationId, environment, recipientId, fingerprint, address } = of;
  const sameEnds = (other: RawBuilder<unknown>) => sql`
    (substr(${other}, 1, 6), right(${other}, 4)) = (substr(${address}, 1, 6), right(${address}, 4)) and ${other} <> ${address}`;
  return sql`(
      select jsonb_build_object('recipientId', o.recipient_id, 'status', o.status)
      from registered_recipient_versions d join registered_recipients o
        on (o.organisation_id, o.environment, o.recipient_id, o.version)
          = (d.organisation_id, d.environment, d.recipient_id, d.version)
      where d.organisation_id = ${organisationId} and d.environment = ${environment}
        and d.fingerprint = ${fingerprint} and d.recipient_id <> ${recipientId} and o.status <> 'ERASED'
      order by o.status, o.recipient_id limit 1
    ) as duplicate, coalesce((
      select jsonb_build_object('recipientId', l.recipient_id) from registered_recipient_versions l
      where l.organisation_id = ${organisationId} and l.environment = ${environment}
        and l.address is not null and ${sameEnds(sql`l.address`)}
      order by l.recipient_id limit 1
    ), (
      select jsonb_build_object('planId', p.plan_id) from plans p
      where p.organisation_id = ${organisationId} and p.environment = ${environment}
        and p.recipient ->> 'address' is not null and ${sameEnds(sql`(p.recipient ->> 'address')`)}
      order by p.plan_id limit 1
    )) as lookalike`;
}

/** What details that are not kept resemble in an organisation. `address`: that of a wallet. */
export async function likenessOfDetails(
  database: Database,
  { organisationId, environment }: PlanScope,
  {
    fingerprint,
    address = null,
  }: { readonly fingerprint: Buffer; readonly address?: string | undefined | null },
): Promise<{ likeness: Likeness }> {
  const { rows } = await sql<Likened>`select ${likenessOf({
    organisationId: sql`${organisationId}`,
    environment: sql`${environment}`,
    recipientId: sql`''`,
    fingerprint: sql`${fingerprint}`,
    address: sql`${address}::text`,
  })}`.execute(database);
  return { likeness: likenessIn(rows[0]) };
}

/** The columns as they are told: what resembles nothing has no member. */
export function likenessIn(columns: Likened | undefined): Likeness {
  return defined({ duplicate: columns?.duplicate ?? undefined, lookalike: columns?.lookalike ?? undefined });
}
