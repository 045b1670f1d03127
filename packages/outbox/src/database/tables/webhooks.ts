// Written by packages/store/test/tableTypes.test.ts.
import type { Generated, GeneratedAlways } from 'kysely';

/** The tables of `migrations/webhooks.ts`. */
export type WebhooksTables = {
  webhook_attempts: {
    number: GeneratedAlways<bigint>;
    organisation_id: string;
    environment: 'sandbox' | 'production';
    endpoint_id: string;
    event_id: string;
    at: Date;
    status: number | null;
    error: string | null;
    duration_ms: number;
  };
  webhook_deliveries: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    endpoint_id: string;
    event_id: string;
    position: bigint;
    status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED';
    tries: Generated<number>;
    due_at: Date;
    claim: Generated<number>;
    held_until: Date | null;
    created_at: Date;
  };
  webhook_endpoints: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    endpoint_id: string;
    client_reference: string | null;
    body_fingerprint: Buffer | null;
    url: string;
    types: string[];
    description: string | null;
    header_names: string[];
    has_client_certificate: boolean;
    status: 'ENABLED' | 'DISABLED' | 'DELETED';
    disabled_reason: 'GONE' | 'FAILING' | 'DELETED' | null;
    failing_since: Date | null;
    is_failing: Generated<boolean>;
    created_at: Date;
    updated_at: Date;
    key_id: string | null;
    sealed: Buffer | null;
  };
};
