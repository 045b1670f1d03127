import type { DisabledReason, Outcome, Purpose, Refusal } from '@fairway/relay';
import type { Asked, Known } from '@fairway/policies';
import type { Generated, GeneratedAlways, JSONColumnType, Kysely } from 'kysely';

/** What the service says of its quote. A policy may want it; it allows nothing by itself. */
export type Said = Pick<Known, 'optimalityGapBps' | 'trust'>;

/** Grounds as they are kept: amounts are texts. */
export type GroundsDocument = {
  readonly asked: Omit<Asked, 'amount' | 'limit' | 'notAfterSeconds'> & {
    readonly amount: string;
    readonly bound: string;
    readonly notAfterSeconds?: string;
  };
  readonly said: Said;
};

type RelayersTable = {
  relayer_id: string;
  chain_id: bigint;
  address: string;
  genesis_hash: string;
  next_nonce: bigint;
  whole_from: bigint;
  is_paused: Generated<boolean>;
  disabled: DisabledReason | null;
  is_balance_low: Generated<boolean>;
  stuck_nonce: Generated<bigint | null>;
  created_at: Generated<Date>;
};

type ExecutionsTable = {
  execution_id: string;
  key: string | null;
  body_fingerprint: Buffer | null;
  plan: JSONColumnType<object> | null;
  grounds: JSONColumnType<GroundsDocument> | null;
  attempt_id: Generated<string | null>;
  step_id: Generated<string | null>;
  accepted: GeneratedAlways<bigint>;
  accepted_at: Generated<Date>;
};

type InstructionsTable = {
  relay_transaction_id: string;
  execution_id: string;
  index: number;
  relayer_id: string;
  to_address: string;
  data: string;
  value_wei: string;
  not_after: Date | null;
  is_cancel_asked: Generated<boolean>;
  refusal: JSONColumnType<Refusal> | null;
  gas_limit: bigint | null;
  nonce: bigint | null;
  included_hash: string | null;
  included_block_number: bigint | null;
  included_block_hash: string | null;
  included_succeeded: boolean | null;
  outcome: Outcome['as'] | null;
  outcome_detail: JSONColumnType<object> | null;
  created: GeneratedAlways<bigint>;
};

type AttemptsTable = {
  hash: string;
  relay_transaction_id: string;
  signed: GeneratedAlways<bigint>;
  raw: string;
  purpose: Purpose;
  max_fee_per_gas_wei: string;
  max_priority_fee_per_gas_wei: string;
  signed_at_block: bigint;
  was_sent: Generated<boolean>;
};

type SpendingsTable = {
  relay_transaction_id: string;
  chain_id: bigint;
  token: string;
  relayer: string;
  recipient: string;
  amount: string;
  ended_at: Date | null;
};

type PaymentsTable = {
  payment_id: string;
  client_reference: string;
  plan_id: string;
  relayer_id: string;
  corridor_id: string;
  token_in: string;
  amount_in: string;
  min_amount_out: string | null;
  valid_until: Date | null;
  is_reserved: Generated<boolean>;
  refusal: JSONColumnType<Refusal> | null;
  ended: Generated<'PAID' | 'NOT_PAID' | null>;
  accepted: GeneratedAlways<bigint>;
};

type SignaturesTable = {
  signed: GeneratedAlways<bigint>;
  relayer_id: string;
  kind: 'MESSAGE' | 'TYPED_DATA';
  digest: string;
  credential_id: string;
  signed_at: Generated<Date>;
};

type GasRulesTable = {
  chain_id: bigint;
  max_fee_per_gas_cap_wei: string;
  bump_after_blocks: number;
  changed_by: string;
  changed_at: Generated<Date>;
};

/** Every table of the node. */
export type Tables = {
  relayers: RelayersTable;
  executions: ExecutionsTable;
  instructions: InstructionsTable;
  attempts: AttemptsTable;
  spendings: SpendingsTable;
  payments: PaymentsTable;
  signatures: SignaturesTable;
  gas_rules: GasRulesTable;
};

/** The query builder over these tables, in a transaction or outside of one. */
export type Database = Kysely<Tables>;
