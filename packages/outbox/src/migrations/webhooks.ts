import { sql } from 'kysely';

/**
 * The endpoints to which organisations want events sent, and what was sent to them. An endpoint's secrets, headers
 * and client certificate are sealed; they are null once it is deleted. `failing_since`: since when no attempt has
 * succeeded; `is_failing`: others were told so. A delivery is one event for one endpoint. `tries`: attempts that
 * failed since it was begun, or begun again. `held_until`: a process makes an attempt, and nobody else does before
 * this time of the server; `claim` numbers these holds.
 */
export const webhooks = sql`
  create table webhook_endpoints (
    organisation_id text collate "C" not null references organisations (id),
    environment text collate "C" not null check (environment in ('sandbox', 'production')),
    endpoint_id text collate "C" not null,
    client_reference text,
    body_fingerprint bytea,
    url text not null,
    types text[] not null,
    description text,
    header_names text[] not null,
    has_client_certificate boolean not null,
    status text not null check (status in ('ENABLED', 'DISABLED', 'DELETED')),
    disabled_reason text check (disabled_reason in ('GONE', 'FAILING', 'DELETED')),
    failing_since timestamptz,
    is_failing boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    key_id text,
    sealed bytea,
    primary key (organisation_id, environment, endpoint_id),
    constraint webhook_endpoints_client_reference unique (organisation_id, environment, client_reference)
  );
  create index webhook_endpoints_by_key on webhook_endpoints (key_id);
  create index webhook_endpoints_enabled on webhook_endpoints (environment) where status = 'ENABLED';
  create table webhook_deliveries (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    endpoint_id text collate "C" not null,
    event_id text not null,
    position int8 not null,
    status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
    tries integer not null default 0,
    due_at timestamptz not null,
    claim integer not null default 0,
    held_until timestamptz,
    created_at timestamptz not null,
    primary key (organisation_id, environment, endpoint_id, event_id),
    foreign key (organisation_id, environment, endpoint_id) references webhook_endpoints
  );
  create index webhook_deliveries_due on webhook_deliveries
    (organisation_id, environment, endpoint_id, due_at, position) where status = 'PENDING';
  create index webhook_deliveries_held on webhook_deliveries
    (organisation_id, environment, endpoint_id, held_until) where held_until is not null;
  create index webhook_deliveries_of_endpoint on webhook_deliveries
    (organisation_id, environment, endpoint_id, position);
  create index webhook_deliveries_by_status on webhook_deliveries
    (organisation_id, environment, endpoint_id, status, position);
  create index webhook_deliveries_by_position on webhook_deliveries (environment, position);
  create table webhook_attempts (
    number int8 generated always as identity primary key,
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    endpoint_id text collate "C" not null,
    event_id text not null,
    at timestamptz not null,
    status integer,
    error text,
    duration_ms integer not null,
    foreign key (organisation_id, environment, endpoint_id, event_id) references webhook_deliveries
      on delete cascade
  );
  create index webhook_attempts_of_delivery on webhook_attempts
    (organisation_id, environment, endpoint_id, event_id, number)`;
