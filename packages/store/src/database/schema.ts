import type { CredentialsTables } from '@fairway/credentials';
import type { OutboxTables } from '@fairway/outbox';
import type { Selectable, Updateable } from 'kysely';
import type { CollectTables } from './tables/collect.ts';
import type { KeysTables } from './tables/keys.ts';
import type { LedgerTables } from './tables/ledger.ts';
import type { MailTables } from './tables/mail.ts';
import type { PlansTables } from './tables/plans.ts';
import type { RecipientsTables } from './tables/recipients.ts';
import type { RecordTables } from './tables/record.ts';
import type { ReportsTables } from './tables/reports.ts';
import type { ReconciliationTables } from './tables/reconciliation.ts';

/** Every table of the store, with the columns that the database has. */
export type Tables = CredentialsTables &
  KeysTables &
  PlansTables &
  LedgerTables &
  RecordTables &
  RecipientsTables &
  CollectTables &
  MailTables &
  OutboxTables &
  ReportsTables &
  ReconciliationTables;

/** A row of a table. */
export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;

/** New values of some columns of a row. An object with it names no column that the table has not. */
export type RowChange<Name extends keyof Tables> = Updateable<Tables[Name]>;

export type { Environment } from '@fairway/values';

/** How a link stands. LIVE: it can be opened and used. SUPERSEDED: a newer one was made. */
export type CollectLinkState = Row<'collect_links'>['state'];
