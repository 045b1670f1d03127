/** An alias under which queries use tables without asking for one organisation, and why they may. */
export type Crossing = { readonly tables: readonly string[]; readonly reason: string };

/**
 * What a guard of queries has to know of the tables of the outbox. `tenantTables` have `organisation_id`: each query
 * must ask for one organisation's rows of them, except under the aliases of `crossings`. `sharedTables` belong to no
 * organisation.
 */
export const OUTBOX_GUARD: {
  readonly tenantTables: readonly string[];
  readonly sharedTables: readonly string[];
  readonly crossings: Readonly<Record<string, Crossing>>;
} = {
  tenantTables: [
    'event_resends',
    'event_subjects',
    'events',
    'webhook_attempts',
    'webhook_deliveries',
    'webhook_endpoints',
  ],
  sharedTables: ['event_epochs', 'event_publication', 'recoveries', 'resend_numbers'],
  crossings: {
    any_delivery: {
      tables: ['webhook_deliveries'],
      reason: 'Age ends the deliveries of all organisations, with their events.',
    },
    any_endpoint: {
      tables: ['webhook_endpoints'],
      reason:
        'One sender looks which endpoints of all organisations have something due, or have long failed; the operator counts them.',
    },
    any_event: {
      tables: ['events'],
      reason:
        'The events of all organisations get their positions in one order, readers are woken by it, and age ends them.',
    },
    any_resend: {
      tables: ['event_resends'],
      reason: 'Readers of all organisations are woken by one look where an event was asked for again.',
    },
    any_subject: {
      tables: ['event_subjects'],
      reason: 'A restore of the database begins new numbers for the events of all organisations.',
    },
  },
};
