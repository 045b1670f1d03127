import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Organisations, their credentials, and the server key that credentials are hashed with. */
export const credentials: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('organisations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .execute();
    // A request brings only the user name, so this alone is the key, without the organisation.
    await database.schema
      .createTable('credentials')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organisation_id', 'text', (column) => column.notNull().references('organisations.id'))
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('permissions', sql`text[]`, (column) => column.notNull())
      .addColumn('secret_hash', 'bytea', (column) => column.notNull())
      .addColumn('previous_secret_hash', 'bytea')
      .addColumn('previous_valid_until', 'timestamptz')
      .addColumn('expires_at', 'timestamptz')
      .addColumn('revoked_at', 'timestamptz')
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addCheckConstraint(
        'credentials_previous_secret',
        sql`(previous_secret_hash is null) = (previous_valid_until is null)`,
      )
      .execute();
    await database.schema
      .createIndex('credentials_by_organisation')
      .on('credentials')
      .columns(['organisation_id', 'id'])
      .execute();
    await database.schema
      .createTable('server_keys')
      .addColumn('purpose', 'text', (column) => column.primaryKey())
      .addColumn('key', 'bytea')
      .addColumn('fingerprint', 'bytea', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .execute();
  },
};
