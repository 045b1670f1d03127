import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/**
 * Events that were asked for again: open streams that ask for resends are sent them once more. `number` is the place in the order in
 * which that was asked, over all organisations; `resend_numbers` has the newest, and whoever takes one has the next wait for its commit.
 * An event that is asked for again has its newest number alone, and loses it with the event.
 * Versions of saved recipients are asked whether a plan of them is COMPLETED: an operator may have built this index before, while plans
 * were written (docs/operating.md).
 */
export const resendsAndPaidRecipients: Migration = {
  async up(database: Kysely<unknown>) {
    await lockTables(['plans', 'events'], 'share row exclusive').execute(database);
    await sql`
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
      create unique index event_resends_by_number on event_resends (environment, number);
      create index if not exists plans_completed_by_saved_version on plans
        (organisation_id, environment, (recipient -> 'savedAs' ->> 'recipientId'), (recipient -> 'savedAs' ->> 'version'))
        where recipient -> 'savedAs' is not null and status = 'COMPLETED';`.execute(database);
  },
};
