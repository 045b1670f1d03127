// Written by packages/store/test/tableTypes.test.ts.
import type { Generated } from 'kysely';

/** The tables of `migrations/initial/record.ts`. */
export type RecordTables = {
  chain_blocks: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    number: bigint;
    hash: string;
    block_time: Date;
  };
  chain_records: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    holder: string | null;
    epoch: Generated<bigint>;
    lease_until: Generated<Date>;
    read_number: bigint | null;
    read_hash: string | null;
    read_time: Date | null;
    target_number: bigint | null;
    must_reach: bigint | null;
    verified_number: bigint | null;
    reread_from: bigint | null;
    watched_xmin: string | null;
    state: Generated<'CATCHING_UP' | 'AT_HEAD'>;
  };
  chain_requests: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    tx_hash: string;
    organisation_id: string;
    plan_id: string;
    block_hash: string;
    block_number: bigint;
    log_indexes: number[];
    served: Generated<boolean>;
  };
  chain_transfers: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    block_hash: string;
    log_index: number;
    block_number: bigint;
    block_time: Date;
    tx_hash: string;
    token: string;
    from_address: string;
    to_address: string;
    amount: string;
    tag: Buffer | null;
    untraced: Generated<boolean>;
    canonical: boolean;
    recorded_at: Generated<Date>;
  };
  chain_unread: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    block_hash: string;
    tx_hash: string;
    log_index: number;
    block_number: bigint;
    block_time: Date;
    token: string;
    from_address: string;
    to_address: string;
    amount: string;
  };
  chain_waits: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    organisation_id: string;
    plan_id: string;
    due_block: bigint;
    tries: Generated<number>;
  };
  least_swaps: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    settlement_address: string;
    token: string;
    least: string;
  };
  watched_addresses: {
    environment: 'sandbox' | 'production';
    chain_id: bigint;
    address: string;
    organisation_id: string;
    plan_id: string;
    purpose: 'DEPOSIT' | 'BENEFICIARY';
    source_token: string;
    target_token: string;
    settlement_address: string;
    from_block: bigint;
    until: Date | null;
    added_xid: Generated<string>;
  };
};
