// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/initial/mail.ts`. */
export type MailTables = {
  mails: {
    mail_id: string;
    organisation_id: string;
    environment: 'sandbox' | 'production';
    plan_id: string;
    token_hash: Buffer;
    kind:
      | 'LINK_FIRST'
      | 'LINK_REPLACED'
      | 'LINK_REISSUED'
      | 'LINK_REOPENED'
      | 'CODE'
      | 'REMINDER'
      | 'CONFIRMATION'
      | 'DELIVERED';
    message_id: string;
    due_at: Date | null;
    expires_at: Date;
    key_id: string | null;
    sealed: Buffer | null;
    state: 'QUEUED' | 'ACCEPTED' | 'BOUNCED' | 'DROPPED';
    attempts: number;
    last_error: string | null;
    created_at: Date;
    ended_at: Date | null;
  };
};
