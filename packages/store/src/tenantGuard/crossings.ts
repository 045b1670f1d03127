import { CREDENTIALS_GUARD } from '@fairway/credentials';
import { type Crossing, OUTBOX_GUARD } from '@fairway/outbox';

/** The tables that have `organisation_id`: each query must ask for one organisation's rows of them. */
export const TENANT_TABLES: ReadonlySet<string> = new Set([
  ...CREDENTIALS_GUARD.tenantTables,
  ...OUTBOX_GUARD.tenantTables,
  'chain_requests',
  'chain_waits',
  'collect_codes',
  'collect_links',
  'collect_requests',
  'entry_allocations',
  'ledger_seals',
  'mails',
  'movements',
  'payout_references',
  'plan_events',
  'plan_returns',
  'plan_steps',
  'plans',
  'recipients',
  'reconciliation_books',
  'report_reconciliation',
  'reports',
  'registered_recipient_reveals',
  'registered_recipient_versions',
  'registered_recipients',
  'settlements',
  'statement_entries',
  'statement_lines',
  'statement_maps',
  'statement_sections',
  'statements',
  'step_attempts',
  'step_evidence',
  'watched_addresses',
]);

/** The tables that belong to no organisation. A query on a table in neither list does not run. */
export const SHARED_TABLES: ReadonlySet<string> = new Set([
  ...CREDENTIALS_GUARD.sharedTables,
  ...OUTBOX_GUARD.sharedTables,
  'chain_blocks',
  'chain_records',
  'chain_transfers',
  'chain_unread',
  'least_swaps',
  'sealing_keys',
  'token_names',
  'wrapped_keys',
]);

/** The schema of the job queue, whose tables belong to no organisation. */
export const JOB_SCHEMA = 'graphile_worker';

/**
 * The functions that queries call. All others are refused: some read tables that their arguments name in a text,
 * such as `query_to_xml`, where no table shows in the query.
 */
export const FUNCTIONS: ReadonlySet<string> = new Set([
  'clock_timestamp',
  'count',
  'decode',
  'encode',
  'graphile_worker.add_job',
  'graphile_worker.remove_job',
  'graphile_worker.reschedule_jobs',
  'json_agg',
  'jsonb_agg',
  'jsonb_build_array',
  'jsonb_build_object',
  'jsonb_populate_recordset',
  'jsonb_to_recordset',
  'length',
  'lower',
  'max',
  'min',
  'now',
  'pg_current_snapshot',
  'pg_notify',
  'pg_snapshot_xmax',
  'pg_snapshot_xmin',
  'reference_form',
  'right',
  'row_number',
  'row_to_json',
  'sha256',
  'starts_with',
  'strpos',
  'substr',
  'sum',
  'to_jsonb',
  'unnest',
]);

/**
 * All that crosses organisations on purpose. A query says so by giving the table one of these aliases. Tables that
 * are joined to it are still to be joined by their organisation.
 */
export const CROSSINGS: Readonly<Record<string, Crossing>> = {
  ...CREDENTIALS_GUARD.crossings,
  ...OUTBOX_GUARD.crossings,
  any_attempt: {
    tables: ['step_attempts'],
    reason: 'A tag on a chain names the plan whose instructions were executed.',
  },
  any_audited: {
    tables: ['plans'],
    reason: 'The operator compares the ledgers of all organisations with their histories.',
  },
  any_beneficiary: {
    tables: ['plans'],
    reason:
      'A transfer of more than is due may be for another plan that pays the same wallet; the caller only learns that there is one.',
  },
  any_claim: {
    tables: ['settlements'],
    reason: 'A transfer settles one step over all organisations; the caller only learns that it is taken.',
  },
  any_fingerprint: {
    tables: ['plans', 'registered_recipient_versions'],
    reason: 'Fingerprints of any organisation show that their key was there, and which version it had.',
  },
  any_link: {
    tables: ['collect_links'],
    reason: 'Who opens a link brings its token alone; the link says whose it is.',
  },
  any_lost_claim: {
    tables: ['settlements'],
    reason:
      'A claim that a reorganisation took back yields its log index to another transfer, whoever claims that; the caller only learns of a transfer that is taken.',
  },
  any_mail: {
    tables: ['mails'],
    reason: 'The job of an e-mail holds the id of the e-mail alone; the e-mail says whose it is.',
  },
  any_moved: {
    tables: ['movements'],
    reason:
      'The record of a chain says which plans of all organisations count transfers that are gone, and the operator which transfers none counts.',
  },
  any_open_plan: {
    tables: ['plans'],
    reason: 'A deposit address belongs to one open plan over all organisations; the caller learns no more.',
  },
  any_operated: {
    tables: [
      'plans',
      'mails',
      'chain_waits',
      'registered_recipients',
      'statement_entries',
      'webhook_endpoints',
      'reports',
    ],
    reason:
      'The operator counts and lists the open plans of all organisations, finds a plan by its id, and has plans, recipients, entries, endpoints and reports told again.',
  },
  any_owner: {
    tables: ['plans'],
    reason:
      'What comes to a deposit address is of the plan that had it last, whose ever that is; the caller only learns whether it is its own.',
  },
  any_payer: {
    tables: ['movements'],
    reason:
      'What the custodian sends to a wallet may be the refund of a plan that the wallet has paid; the caller only learns that there is one.',
  },
  any_request: {
    tables: ['chain_requests'],
    reason: 'The record of a chain has the transactions that plans of all organisations rest on.',
  },
  any_sealed: {
    tables: [
      'recipients',
      'collect_codes',
      'mails',
      'registered_recipient_versions',
      'statement_entries',
      'webhook_endpoints',
    ],
    reason:
      'The operator seals the details of all organisations with a new key; keys are tried on them, and looked for.',
  },
  any_tagged: {
    tables: ['plans'],
    reason: 'A tag on a chain names the plan whose instructions a restored database may have lost.',
  },
  any_wait: {
    tables: ['chain_waits'],
    reason: 'The record of a chain tells plans of all organisations that a block was read.',
  },
  any_watched: {
    tables: ['watched_addresses'],
    reason: 'The record of a chain is read for the addresses of all organisations.',
  },
};
