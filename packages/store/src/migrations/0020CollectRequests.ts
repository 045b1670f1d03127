import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/**
 * The rounds of asking recipients, as rows that can be listed. A trigger keeps them, so that they are right also where a process
 * of an earlier version writes the plan. What it makes of a step is what `collectRequestsOf` and `collectStatusOf` of
 * `@fairway/plan` make of it; `replay.property.test.ts` compares the two.
 */
export const collectRequests: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of [lock, table, rounds, keep, trigger, fill]) await statement.execute(database);
  },
};

// No step changes between the trigger and the filling.
const lock = lockTables(['plan_steps'], 'share row exclusive');

// `link_version`: of the newest link of the round. `recipient_id`: the saved recipient that is asked. `email_fingerprint`: of the
// address that the newest link went to; null until that is known, and empty where it never will be.
const table = sql`
  create table collect_requests (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    round integer not null check (round >= 1),
    link_version integer not null,
    status text not null check (status in
      ('WAITING', 'SENT', 'OPENED', 'SUBMITTED', 'DELIVERED', 'FAILED', 'RETURNED', 'EXPIRED', 'CANCELLED')),
    recipient_id text collate "C",
    email_fingerprint bytea,
    created_at timestamptz not null,
    primary key (organisation_id, environment, plan_id, round)
  );
  create index collect_requests_newest on collect_requests
    (organisation_id, environment, created_at, plan_id, round);
  create index collect_requests_by_status on collect_requests
    (organisation_id, environment, status, created_at, plan_id, round);
  create index collect_requests_by_recipient on collect_requests
    (organisation_id, environment, recipient_id, created_at, plan_id, round) where recipient_id is not null;
  create index collect_requests_by_email on collect_requests
    (organisation_id, environment, email_fingerprint, created_at, plan_id, round) where email_fingerprint is not null;
  create index collect_requests_unaddressed on collect_requests (organisation_id, environment, plan_id, round)
    where email_fingerprint is null`;

// The rounds of a step. While a link was used, the step shows what was chosen with it; before that, what was chosen in the round
// before. A link goes without a choice when the swap is taken back.
const rounds = sql`
  create function collect_rounds(link jsonb, rounds jsonb, submitted_at timestamptz, delivery jsonb)
  returns table (round integer, link_version integer, is_over boolean, status text) language sql immutable as $$
    with told as (
      select number::integer as round, ended ->> 'version' as version, true as is_over,
        ended -> 'delivery' ->> 'status' as paid, ended ? 'submittedAtMs' as is_chosen,
        case when link ->> 'version' = ended ->> 'version' then link ->> 'state' end as state
      from jsonb_array_elements(coalesce(rounds, '[]')) with ordinality as listed(ended, number)
      union all
      select jsonb_array_length(coalesce(rounds, '[]')) + 1, link ->> 'version', false,
        case when link ->> 'state' = 'SUBMITTED' then delivery ->> 'status' end,
        submitted_at is not null, link ->> 'state'
      where link is not null and link ->> 'version' is distinct from rounds -> -1 ->> 'version'
    )
    select round, version::integer, is_over, case
      when paid in ('DELIVERED', 'FAILED', 'RETURNED') then paid
      else coalesce(state, case when is_chosen then 'SUBMITTED' else 'CANCELLED' end)
    end from told
  $$`;

// A round begins with its first link. Another link may go to another address, and to no saved recipient.
const keep = sql`
  create function keep_collect_requests() returns trigger language plpgsql as $$ begin
    insert into collect_requests as kept
      (organisation_id, environment, plan_id, round, link_version, status, recipient_id, created_at)
    select new.organisation_id, new.environment, new.plan_id, r.round, r.link_version, r.status,
      p.recipient -> 'savedAs' ->> 'recipientId', to_timestamp((new.link ->> 'madeAtMs')::numeric / 1000)
    from collect_rounds(new.link, new.rounds, new.submitted_at, new.delivery) r
    join plans p on (p.organisation_id, p.environment, p.plan_id) = (new.organisation_id, new.environment, new.plan_id)
    where not r.is_over
    on conflict (organisation_id, environment, plan_id, round) do update
    set link_version = excluded.link_version, status = excluded.status, recipient_id = excluded.recipient_id,
      email_fingerprint = case when kept.link_version = excluded.link_version then kept.email_fingerprint end
    where (kept.link_version, kept.status, kept.recipient_id)
      is distinct from (excluded.link_version, excluded.status, excluded.recipient_id);
    update collect_requests kept set status = r.status
    from collect_rounds(new.link, new.rounds, new.submitted_at, new.delivery) r
    where r.is_over and r.status <> kept.status
      and (kept.organisation_id, kept.environment, kept.plan_id, kept.round)
        = (new.organisation_id, new.environment, new.plan_id, r.round);
    return null;
  end $$`;

const trigger = sql`
  create trigger keep_collect_requests
    after insert or update of link, rounds, submitted_at, delivery on plan_steps
    for each row when (new.type = 'SEND_DIGITAL_COLLECT' and (new.link is not null or new.rounds <> '[]'))
    execute function keep_collect_requests()`;

// The rounds of before. When a round began is in the history, except where its only link is still there; so is whether its
// recipient was replaced since, and then nobody knows which saved one it was.
const fill = sql`
  insert into collect_requests
    (organisation_id, environment, plan_id, round, link_version, status, recipient_id, email_fingerprint, created_at)
  select s.organisation_id, s.environment, s.plan_id, r.round, r.link_version, r.status,
    case when later.replaced is null then p.recipient -> 'savedAs' ->> 'recipientId' end,
    case when later.replaced then ''::bytea end,
    coalesce(
      case when s.link ->> 'version' = r.first_version::text then to_timestamp((s.link ->> 'madeAtMs')::numeric / 1000) end,
      (
        select e.at from plan_events e
        where (e.organisation_id, e.environment, e.plan_id) = (s.organisation_id, s.environment, s.plan_id)
          and e.event ->> 'type' = 'LINK_MADE' and (e.event ->> 'version')::integer >= r.first_version
        order by e.revision limit 1
      ),
      p.created_at
    )
  from plan_steps s
  join plans p on (p.organisation_id, p.environment, p.plan_id) = (s.organisation_id, s.environment, s.plan_id)
  cross join lateral (
    select told.*, coalesce(lag(told.link_version) over (order by told.round), 0) + 1 as first_version
    from collect_rounds(s.link, s.rounds, s.submitted_at, s.delivery) told
  ) r
  cross join lateral (
    select case when r.is_over then (
      select true from plan_events e
      where (e.organisation_id, e.environment, e.plan_id) = (s.organisation_id, s.environment, s.plan_id)
        and e.event ->> 'type' = 'LINK_MADE' and e.event -> 'recipient' is not null
        and (e.event ->> 'version')::integer > r.link_version
      limit 1
    ) end as replaced
  ) later
  where s.type = 'SEND_DIGITAL_COLLECT' and (s.link is not null or s.rounds <> '[]')`;
