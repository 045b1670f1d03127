// Written by packages/store/test/tableTypes.test.ts.
/** The tables of `migrations/initial/ledger.ts`. */
export type LedgerTables = {
  movements: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    plan_id: string;
    seq: number;
    revision: number;
    corridor_id: string;
    is_entry: boolean;
    entry_minor: string | null;
    kind: string;
    side: 'SOURCE' | 'TARGET';
    direction: 'IN' | 'OUT';
    step_id: string | null;
    attempt: number | null;
    asset_chain_id: bigint | null;
    asset_address: string | null;
    asset_currency: string | null;
    expected: string | null;
    actual: string;
    paid: unknown;
    fee: unknown;
    rate: string | null;
    estimated_rate: string | null;
    gas_units: string | null;
    gas_cost: string | null;
    market_amount: string | null;
    chain_id: bigint | null;
    tx_hash: string | null;
    log_index: number | null;
    block_number: bigint | null;
    block_hash: string | null;
    block_time: Date | null;
    from_address: string | null;
    to_address: string | null;
    provider_reference: string | null;
    end_to_end_id: string | null;
    occurred_at: Date | null;
    recorded_at: Date;
    booked_at: Date | null;
    verification: string;
    reason: string | null;
    note: string | null;
    reverses: number | null;
  };
  payout_references: {
    organisation_id: string;
    environment: 'sandbox' | 'production';
    reference: string;
    plan_id: string;
    movement_seq: number;
  };
  settlements: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    tx_hash: string;
    log_index: number;
    role: 'DEPOSIT' | 'SWAP' | 'PAYOUT' | 'REFUND';
    organisation_id: string;
    plan_id: string;
    step_id: string;
    to_address: string | null;
    token: string | null;
    amount: string | null;
    lost_at: Date | null;
  };
};
