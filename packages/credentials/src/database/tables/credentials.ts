// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/credentials.ts`. */
export type CredentialsTables = {
  credentials: {
    id: string;
    organisation_id: string;
    environment: 'sandbox' | 'production';
    permissions: string[];
    secret_hash: Buffer;
    previous_secret_hash: Buffer | null;
    previous_valid_until: Date | null;
    expires_at: Date | null;
    revoked_at: Date | null;
    created_at: Date;
  };
  organisations: {
    id: string;
    name: string;
    created_at: Date;
  };
};
