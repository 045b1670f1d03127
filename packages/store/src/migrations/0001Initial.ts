import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { collect } from './initial/collect.ts';
import { credentials } from './initial/credentials.ts';
import { events } from './initial/events.ts';
import { keys } from './initial/keys.ts';
import { ledger } from './initial/ledger.ts';
import { mail } from './initial/mail.ts';
import { plans } from './initial/plans.ts';
import { recipients } from './initial/recipients.ts';
import { record } from './initial/record.ts';
import { reports } from './initial/reports.ts';
import { statements } from './initial/statements.ts';
import { webhooks } from './initial/webhooks.ts';

/** A part comes after those whose tables it refers to. */
const PARTS = [
  credentials,
  keys,
  plans,
  ledger,
  record,
  recipients,
  collect,
  mail,
  events,
  webhooks,
  reports,
  statements,
];

/** Everything that the store keeps. */
export const initial: Migration = {
  async up(database: Kysely<unknown>) {
    for (const part of PARTS) await part.execute(database);
  },
};
