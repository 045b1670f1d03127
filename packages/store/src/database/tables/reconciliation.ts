// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/initial/reconciliation.ts`. */
export type ReconciliationTables = {
  entry_allocations: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    entry_id: string;
    plan_id: string;
    movement_seq: number;
    amount: string;
    matched_by: string;
    made_by: string;
    made_at: Date;
  };
  reconciliation_books: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
  };
  statement_entries: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    entry_id: string;
    identity: Buffer;
    direction: 'IN' | 'OUT';
    currency: string;
    amount: string;
    booked_on: Date;
    value_on: Date;
    is_reversal: boolean;
    is_rest: boolean;
    servicer_reference: string | null;
    end_to_end_id: string | null;
    references: unknown;
    reference_forms: unknown;
    word_tags: unknown;
    has_more_words: boolean;
    code: string | null;
    masked: unknown;
    status: 'OPEN' | 'TENTATIVE' | 'PARTLY_MATCHED' | 'MATCHED' | 'IGNORED';
    proposals: unknown;
    ignored_reason: string | null;
    is_decided: boolean;
    updated_at: Date;
    key_id: string | null;
    sealed: Buffer | null;
  };
  statement_lines: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    statement_id: string;
    position: number;
    section: number;
    entry_id: string;
  };
  statement_maps: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    name: string;
    definition: unknown;
    made_by: string;
    created_at: Date;
    updated_at: Date;
  };
  statement_sections: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    statement_id: string;
    position: number;
    account_tag: Buffer;
    account_masked: string;
    currency: string;
    number: string | null;
    opening: string | null;
    opening_on: Date | null;
    closing: string | null;
    closing_on: Date | null;
  };
  statements: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    statement_id: string;
    sha256: Buffer;
    format: string;
    map_name: string | null;
    map_digest: Buffer | null;
    line_count: number;
    replaced_by: string | null;
    made_by: string;
    created_at: Date;
  };
};
