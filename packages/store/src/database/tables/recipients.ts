// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/initial/recipients.ts`. */
export type RecipientsTables = {
  recipients: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    plan_id: string;
    field: 'recipient' | 'destination';
    key_id: string;
    sealed: Buffer;
  };
  registered_recipient_reveals: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    recipient_id: string;
    version: number;
    revealed_at: Date;
    revealed_by: string;
  };
  registered_recipient_versions: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    recipient_id: string;
    version: number;
    made_at: Date;
    made_by: string;
    masked: unknown;
    fingerprint: Buffer;
    address: string | null;
    verification: unknown;
    approval: unknown;
    key_id: string | null;
    sealed: Buffer | null;
  };
  registered_recipients: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    recipient_id: string;
    client_reference: string | null;
    body_fingerprint: Buffer | null;
    status: 'ACTIVE' | 'PENDING_APPROVAL' | 'REJECTED' | 'DEACTIVATED' | 'ERASED';
    type: string;
    country: string | null;
    label: string | null;
    metadata: unknown;
    revision: number;
    version: number;
    standing_version: number | null;
    created_at: Date;
    updated_at: Date;
    last_used_at: Date | null;
  };
};
