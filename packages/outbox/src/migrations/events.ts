import { type RawBuilder, sql } from 'kysely';

const published = sql`
  create table event_subjects (
    organisation_id text not null references organisations,
    environment text not null,
    subject_type text not null,
    subject_id text not null,
    sequence int8 not null,
    primary key (organisation_id, environment, subject_type, subject_id)
  );
  create table events (
    written int8 generated always as identity primary key,
    organisation_id text not null references organisations,
    environment text not null,
    event_id text not null,
    type text not null,
    subject_type text not null,
    subject_id text not null,
    sequence int8 not null,
    at timestamptz not null,
    data jsonb not null,
    position int8
  );
  create unique index events_id on events (organisation_id, environment, event_id);
  create index events_unpublished on events (environment, organisation_id, written) where position is null;
  create unique index events_position on events (environment, position) where position is not null;
  create index events_of_organisation on events (organisation_id, environment, position);
  create index events_of_subject on events (organisation_id, environment, subject_id, position)`;

// `due_at`: the newest due time of any delivery. Later deliveries get no earlier time, so they become due in the order
// of their events.
const publication = sql`
  create table event_publication (
    environment text primary key,
    position int8 not null default 0,
    pruned_position int8 not null default 0,
    due_at timestamptz
  );
  create table event_epochs (
    environment text not null,
    epoch int8 not null,
    position int8 not null,
    primary key (environment, epoch)
  )`;

// `number` orders the resends of all organisations. `resend_numbers` has the newest number. While a transaction that
// took a number is not committed, other transactions wait for theirs. An event keeps only the number of its newest
// resend. This number is deleted with the event.
const resends = sql`
  create table resend_numbers (
    environment text primary key,
    number int8 not null
  );
  create table event_resends (
    organisation_id text not null,
    environment text not null,
    event_id text not null,
    number int8 not null,
    primary key (organisation_id, environment, event_id),
    foreign key (organisation_id, environment, event_id)
      references events (organisation_id, environment, event_id) on delete cascade
  );
  create unique index event_resends_by_number on event_resends (environment, number)`;

/**
 * Published events. An event is written with the change that it tells of; `written` orders the events of a subject.
 * Later, a publisher gives each event its `position`, and consumers read by position. One publisher works at a time, so
 * positions become visible in their order. Numbers that parallel transactions take can become visible in any order.
 * `pruned_position`: events up to it are no longer kept. A restore begins an epoch, and `event_epochs` has the position
 * at which each epoch begins. Events that were asked for again are sent once more to streams that ask for resends.
 */
export const events: RawBuilder<unknown> = sql.join([published, publication, resends], sql`;`);
