import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A round of asking keeps the saved recipient that it began with, also when its link is sent to an address that was given by
 * hand: an erasure of that recipient has to find the plan. What the function does besides is as in 0020. The former version of
 * the service writes no row of the table itself.
 */
export const askedRecipients: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      create or replace function keep_collect_requests() returns trigger language plpgsql as $$ begin
        insert into collect_requests as kept
          (organisation_id, environment, plan_id, round, link_version, status, recipient_id, created_at)
        select new.organisation_id, new.environment, new.plan_id, r.round, r.link_version, r.status,
          p.recipient -> 'savedAs' ->> 'recipientId', to_timestamp((new.link ->> 'madeAtMs')::numeric / 1000)
        from collect_rounds(new.link, new.rounds, new.submitted_at, new.delivery) r
        join plans p on (p.organisation_id, p.environment, p.plan_id) = (new.organisation_id, new.environment, new.plan_id)
        where not r.is_over
        on conflict (organisation_id, environment, plan_id, round) do update
        set link_version = excluded.link_version, status = excluded.status,
          recipient_id = coalesce(excluded.recipient_id, kept.recipient_id),
          email_fingerprint = case when kept.link_version = excluded.link_version then kept.email_fingerprint end
        where (kept.link_version, kept.status, kept.recipient_id)
          is distinct from (excluded.link_version, excluded.status, coalesce(excluded.recipient_id, kept.recipient_id));
        update collect_requests kept set status = r.status
        from collect_rounds(new.link, new.rounds, new.submitted_at, new.delivery) r
        where r.is_over and r.status <> kept.status
          and (kept.organisation_id, kept.environment, kept.plan_id, kept.round)
            = (new.organisation_id, new.environment, new.plan_id, r.round);
        return null;
      end $$`.execute(database);
  },
};
