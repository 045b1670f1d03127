// Written by packages/store/test/tableTypes.test.ts.
import type { Generated, GeneratedAlways } from 'kysely';

/** The tables of `migrations/events.ts`. */
export type EventsTables = {
  event_epochs: {
    environment: 'sandbox' | 'production';
    epoch: bigint;
    position: bigint;
  };
  event_publication: {
    environment: 'sandbox' | 'production';
    position: Generated<bigint>;
    pruned_position: Generated<bigint>;
    due_at: Date | null;
  };
  event_resends: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    event_id: string;
    number: bigint;
  };
  event_subjects: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    subject_type: string;
    subject_id: string;
    sequence: bigint;
  };
  events: {
    written: GeneratedAlways<bigint>;
    organisation_id: string;
    environment: 'sandbox' | 'production';
    event_id: string;
    type: string;
    subject_type: string;
    subject_id: string;
    sequence: bigint;
    at: Date;
    data: unknown;
    position: bigint | null;
  };
  resend_numbers: {
    environment: 'sandbox' | 'production';
    number: bigint;
  };
};
