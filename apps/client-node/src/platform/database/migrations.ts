import { credentialsSchema } from '@fairway/credentials';
import { outboxSchema } from '@fairway/outbox';
import type { Migrations } from '@fairway/postgres';
import type { Kysely } from 'kysely';
import { initial } from './initial.ts';

/** Everything that the node keeps, with the credentials of its callers. */
export const MIGRATIONS: Migrations = {
  '0001-initial': {
    async up(database: Kysely<unknown>) {
      await initial.up(database);
      for (const part of [credentialsSchema, outboxSchema]) await part.execute(database);
    },
  },
};
