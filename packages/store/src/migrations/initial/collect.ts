import { type RawBuilder, sql } from 'kysely';

// Only the hash of the token is stored, because the token alone opens the link.
const links = sql`
  create table collect_links (
    token_hash bytea primary key check (length(token_hash) = 32),
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    step_id text collate "C" not null,
    version integer not null check (version >= 1),
    expires_at timestamptz not null,
    state text not null check (state in ('LIVE', 'USED', 'SUPERSEDED', 'CANCELLED', 'EXPIRED')),
    unique (organisation_id, environment, plan_id, step_id, version),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  );
  create unique index collect_links_live on collect_links (organisation_id, environment, plan_id, step_id)
    where state = 'LIVE'`;

const codes = sql`
  create table collect_codes (
    token_hash bytea primary key references collect_links,
    organisation_id text collate "C" not null,
    plan_id text collate "C" not null,
    key_id text not null,
    sealed bytea not null,
    code_hash bytea not null check (length(code_hash) = 32),
    code_expires_at timestamptz not null,
    wrong_attempts integer not null,
    link_wrong_attempts integer not null,
    sends integer not null,
    last_sent_at timestamptz not null
  )`;

// `link_version`: of the newest link of the round. `recipient_id`: the registered recipient that is asked. `email_fingerprint`: of the
// address that the newest link went to; null until that is known, and empty where it never will be.
const requests = sql`
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
    (organisation_id, environment, email_fingerprint, created_at, plan_id, round) where email_fingerprint is not null`;

// The rounds of a step. After a link was used, the step shows what was chosen with it; before that, what was chosen
// in the round before. A link disappears without a choice when the swap is taken back.
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

// A round begins with its first link. Another link may go to another address. A round keeps the registered recipient that
// it began with, also when its link is sent to an address that was given by hand. An erasure of that recipient has to
// find the plan.
const keep = sql`
  create function keep_collect_requests() returns trigger language plpgsql as $$ begin
    insert into collect_requests as kept
      (organisation_id, environment, plan_id, round, link_version, status, recipient_id, created_at)
    select new.organisation_id, new.environment, new.plan_id, r.round, r.link_version, r.status,
      p.recipient -> 'registeredAs' ->> 'recipientId', to_timestamp((new.link ->> 'madeAtMs')::numeric / 1000)
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
  end $$`;

const trigger = sql`
  create trigger keep_collect_requests
    after insert or update of link, rounds, submitted_at, delivery on plan_steps
    for each row when (new.type = 'SEND_DIGITAL_COLLECT' and (new.link is not null or new.rounds <> '[]'))
    execute function keep_collect_requests()`;

/**
 * Collecting by a link: the links, the submissions that wait for their code, and the rounds of asking recipients, as rows that can be
 * listed. A trigger keeps the rounds. Its rounds of a step are those of `collectRequestsOf` and `collectStatusOf` of
 * `@fairway/plan`; `replay.property.test.ts` compares the two.
 */
export const collect: RawBuilder<unknown> = sql.join([links, codes, requests, rounds, keep, trigger], sql`;`);
