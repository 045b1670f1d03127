import { credentialsSchema } from '@fairway/credentials';
import { outboxSchema } from '@fairway/outbox';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { collect } from './initial/collect.ts';
import { keys } from './initial/keys.ts';
import { ledger } from './initial/ledger.ts';
import { mail } from './initial/mail.ts';
import { plans } from './initial/plans.ts';
import { recipients } from './initial/recipients.ts';
import { record } from './initial/record.ts';
import { reports } from './initial/reports.ts';
import { reconciliation } from './initial/reconciliation.ts';

/** A part comes after those whose tables it refers to. */
const PARTS = [
  credentialsSchema,
  keys,
  plans,
  ledger,
  record,
  recipients,
  collect,
  mail,
  outboxSchema,
  reports,
  reconciliation,
];

/** Everything that the store keeps. */
export const initial: Migration = {
  async up(database: Kysely<unknown>) {
    for (const part of PARTS) await part.execute(database);
  },
};
