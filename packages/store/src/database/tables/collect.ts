// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/initial/collect.ts`. */
export type CollectTables = {
  collect_codes: {
    token_hash: Buffer;
    organisation_id: string;
    plan_id: string;
    key_id: string;
    sealed: Buffer;
    code_hash: Buffer;
    code_expires_at: Date;
    wrong_attempts: number;
    link_wrong_attempts: number;
    sends: number;
    last_sent_at: Date;
  };
  collect_links: {
    token_hash: Buffer;
    organisation_id: string;
    environment: 'sandbox' | 'production';
    plan_id: string;
    step_id: string;
    version: number;
    expires_at: Date;
    state: 'LIVE' | 'USED' | 'SUPERSEDED' | 'CANCELLED' | 'EXPIRED';
  };
  collect_requests: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    plan_id: string;
    round: number;
    link_version: number;
    status:
      | 'WAITING'
      | 'SENT'
      | 'OPENED'
      | 'SUBMITTED'
      | 'DELIVERED'
      | 'FAILED'
      | 'RETURNED'
      | 'EXPIRED'
      | 'CANCELLED';
    recipient_id: string | null;
    email_fingerprint: Buffer | null;
    created_at: Date;
  };
};
