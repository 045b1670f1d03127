import {
  type Amount,
  type AwaitDepositStep,
  type Delivery,
  type PayoutAttempt,
  type Plan,
  hasPaidOut,
  isUnfunded,
  payoutOf,
  planStatus,
  type SendDigitalCollectStep,
  type Step,
  type StepEvidence,
  type TimeMs,
} from '@fairway/plan';
import type { PlanScope } from './planScope.ts';

/**
 * Rows as JSON, the form in which they are written (`jsonb_populate_recordset`) and read (`to_jsonb`): amounts are
 * digits, times ISO 8601, absent values null.
 */
type Json<T> = T | null;

/** A row of `plans`, without the fingerprint of the request, which is not part of the plan. */
export type PlanRow = Key & {
  client_reference: string;
  corridor_id: string;
  source_chain_id: number;
  corridor: Plan['corridor'];
  mode: Plan['mode'];
  amount_in: Amount;
  deposit_address: Json<string>;
  options: Plan['options'];
  metadata: Plan['metadata'];
  end_to_end_id: string;
  created_at: string;
  life_ms: number;
  watch_from_block: number;
  has_older_money: Json<true>;
  revision: number;
  status: string;
  /** Whether the plan waits for its first money. */
  is_unfunded: boolean;
  recipient: Plan['recipient'];
  ended: Json<NonNullable<Plan['ended']>>;
  closed: Json<NonNullable<Plan['closed']>>;
  approval: Json<NonNullable<Plan['approval']>>;
  /** Null: while the plan is open. A plan that has paid out once needs its address no more. */
  holds_address: Json<boolean>;
  address_lost_from: Json<number>;
  updated_at: string;
  expires_at: string;
};

/** The columns of `plans` that no change of the plan touches. */
export const MADE_ONCE = [
  ...(['client_reference', 'corridor_id', 'source_chain_id', 'corridor', 'mode', 'amount_in'] as const),
  ...(['deposit_address', 'options', 'metadata', 'end_to_end_id', 'created_at', 'life_ms'] as const),
  ...(['watch_from_block', 'has_older_money'] as const),
] as const satisfies readonly (keyof PlanRow)[];

type Key = { organisation_id: string; environment: string; plan_id: string };

/** A row of `plan_steps`; each kind of step uses some of the columns. */
export type StepRow = Key & {
  step_id: string;
  position: number;
  type: Step['type'];
  status: Step['status'];
  verification: Json<NonNullable<Step['verification']>>;
  failure: Json<NonNullable<Step['failure']>>;
  expected: Json<Amount>;
  final_block: Json<number>;
  is_late: Json<true>;
  payers_own: unknown;
  lost: unknown;
  lost_refunds: unknown;
  withheld: unknown;
  final_others: unknown;
  /** What is left to pay, of the step that pays: other plans are compared with it. It is read from the ledger otherwise. */
  amount_left: Json<Amount>;
  ready_at: Json<string>;
  provider_reference: Json<string>;
  occurred_at: Json<string>;
  link: unknown;
  destination: unknown;
  submitted_at: Json<string>;
  delivery: unknown;
  rounds: unknown;
  payout: unknown;
  hold: unknown;
};

/** A row of `step_attempts`: instructions given out, or a payout that failed. */
export type AttemptRow = Key & {
  step_id: string;
  position: number;
  outcome: Json<string>;
  derived_at: Json<string>;
  not_after: Json<string>;
  instructions: unknown;
  quote: unknown;
  amount_out: Json<Amount>;
  min_amount_out: Json<Amount>;
  tx_hash: Json<string>;
  submissions: unknown;
  payout: unknown;
  failed_at: Json<string>;
  failure: unknown;
  provider_reference: Json<string>;
};

/** The columns of `step_attempts` that no change of the attempt touches. */
export const MADE_ONCE_OF_ATTEMPTS = [
  ...(['derived_at', 'not_after', 'instructions', 'quote', 'amount_out', 'min_amount_out'] as const),
] as const satisfies readonly (keyof AttemptRow)[];

/** A row of `step_evidence`: the transaction that a step rests on. */
export type EvidenceRow = Key & {
  step_id: string;
  chain_id: number;
  tx_hash: string;
  block_number: number;
  block_hash: string;
  sender: string;
  nonce: number;
  log_indexes: unknown;
  status: string;
  nodes_agreed: number | null;
  nodes_of: number | null;
};

/** A row of `plan_returns`. */
export type ReturnRow = Key & {
  step_id: string;
  position: number;
  recorded_at: string;
  occurred_at: Json<string>;
  provider_reference: Json<string>;
  amount: Json<Amount>;
  failure: unknown;
};

/** A plan as rows. */
export type PlanRows = {
  plan: PlanRow;
  steps: readonly StepRow[];
  attempts: readonly AttemptRow[];
  evidence: readonly EvidenceRow[];
  returns: readonly ReturnRow[];
};

/** Turns a plan into rows; `rowsToPlan` turns the rows into the same plan again. */
export function planToRows({ organisationId, environment }: PlanScope, plan: Plan): PlanRows {
  const key = { organisation_id: organisationId, environment, plan_id: plan.planId };
  return {
    plan: planRow(key, plan),
    steps: plan.steps.map((step, position) => ({ ...key, ...stepColumns(plan, step), position })),
    attempts: plan.steps.flatMap((step) => attemptRows(key, step)),
    evidence: plan.steps.flatMap((step) => evidenceRows(key, step)),
    returns: plan.returns.map((returned, position) => ({
      ...key,
      step_id: returned.stepId,
      position,
      recorded_at: iso(returned.recordedAtMs),
      occurred_at: isoOrNull(returned.occurredAtMs),
      provider_reference: returned.providerReference ?? null,
      amount: returned.amount ?? null,
      failure: returned.failure ?? null,
    })),
  };
}

/** The transaction that a step rests on. */
function evidenceOf(step: Exclude<Step, AwaitDepositStep>): StepEvidence | undefined {
  return step.type === 'SEND_DIGITAL_COLLECT' ? step.delivery?.evidence : step.evidence;
}

function planRow(key: Key, plan: Plan): PlanRow {
  return {
    ...key,
    client_reference: plan.clientReference,
    corridor_id: plan.corridor.id,
    source_chain_id: plan.corridor.source.chainId,
    corridor: plan.corridor,
    mode: plan.mode,
    amount_in: plan.amountIn,
    recipient: plan.recipient,
    deposit_address: plan.options.depositAddress?.toLowerCase() ?? null,
    options: plan.options,
    metadata: plan.metadata,
    end_to_end_id: plan.endToEndId,
    revision: plan.revision,
    status: planStatus(plan),
    is_unfunded: isUnfunded(plan),
    ended: plan.ended ?? null,
    closed: plan.closed ?? null,
    approval: plan.approval ?? null,
    holds_address: hasPaidOut(plan) || plan.addressLostFrom !== undefined ? false : null,
    address_lost_from: plan.addressLostFrom ?? null,
    created_at: iso(plan.createdAtMs),
    updated_at: iso(plan.updatedAtMs),
    life_ms: plan.lifeMs,
    expires_at: iso(plan.expiresAtMs),
    watch_from_block: plan.watchFromBlock,
    has_older_money: plan.hasOlderMoney ?? null,
  };
}

type StepColumns = Omit<StepRow, keyof Key | 'position'>;

function stepColumns(plan: Plan, step: Step): StepColumns {
  const columns: StepColumns = {
    step_id: step.stepId,
    type: step.type,
    status: step.status,
    verification: step.verification ?? null,
    failure: step.failure ?? null,
    expected: null,
    final_block: null,
    is_late: null,
    payers_own: null,
    lost: null,
    lost_refunds: null,
    withheld: null,
    final_others: null,
    amount_left: null,
    ready_at: null,
    provider_reference: null,
    occurred_at: null,
    link: null,
    destination: null,
    submitted_at: null,
    delivery: null,
    rounds: null,
    payout: null,
    hold: null,
  };
  switch (step.type) {
    case 'AWAIT_DEPOSIT': {
      const { expected, finalBlock = null, isLate = null, payersOwn = null } = step;
      const { lost = null, lostRefunds = null } = step;
      const own = { final_block: finalBlock, is_late: isLate, payers_own: payersOwn };
      return { ...columns, expected, ...own, lost, lost_refunds: lostRefunds };
    }
    case 'EXECUTE_SWAP':
      return {
        ...columns,
        expected: step.expected,
        withheld: step.withheld ?? null,
        final_others: step.finalOthers ?? null,
      };
    case 'CUSTODIAN_PAYOUT':
      return {
        ...columns,
        amount_left: payoutOf(plan).left,
        ready_at: isoOrNull(step.readyAtMs),
        provider_reference: step.providerReference ?? null,
        occurred_at: isoOrNull(step.occurredAtMs),
        payout: step.payout ?? null,
        hold: step.hold ?? null,
      };
    case 'SEND_DIGITAL_COLLECT':
      return {
        ...columns,
        amount_left: payoutOf(plan).left,
        ready_at: isoOrNull(step.readyAtMs),
        link: step.link ?? null,
        destination: step.destination ?? null,
        submitted_at: isoOrNull(step.submittedAtMs),
        delivery: deliveryColumn(step),
        rounds: step.rounds,
        payout: step.payout ?? null,
        hold: step.hold ?? null,
      };
  }
}

/** The delivery without its evidence, which has a table of its own. */
function deliveryColumn({ delivery }: SendDigitalCollectStep): Omit<Delivery, 'evidence'> | null {
  if (delivery === undefined) return null;
  const { evidence: _evidence, ...told } = delivery;
  return told;
}

function attemptRows(key: Key, step: Step): AttemptRow[] {
  const none = {
    ...key,
    step_id: step.stepId,
    outcome: null,
    derived_at: null,
    not_after: null,
    instructions: null,
    quote: null,
    amount_out: null,
    min_amount_out: null,
    tx_hash: null,
    submissions: null,
    payout: null,
    failed_at: null,
    failure: null,
    provider_reference: null,
  };
  if (step.type === 'EXECUTE_SWAP')
    return step.attempts.map((attempt, position) => ({
      ...none,
      position,
      outcome: attempt.outcome,
      derived_at: iso(attempt.derivedAtMs),
      not_after: iso(attempt.notAfterMs),
      instructions: attempt.instructions,
      quote: attempt.quote,
      amount_out: attempt.amountOut,
      min_amount_out: attempt.minAmountOut,
      tx_hash: attempt.txHash ?? null,
      submissions: attempt.submissions ?? null,
      failure: attempt.failure ?? null,
    }));
  if (step.type !== 'CUSTODIAN_PAYOUT') return [];
  return step.attempts.map((attempt, position) => ({
    ...none,
    position,
    outcome: attempt.outcome ?? null,
    tx_hash: attempt.txHash ?? null,
    failed_at: iso(attempt.failedAtMs),
    failure: attempt.failure,
    provider_reference: attempt.providerReference ?? null,
    payout: payoutColumn(attempt),
  }));
}

/** The account that an attempt to pay went to, and the ids that it had. */
function payoutColumn({ endToEndId, earlierIds, recipient }: PayoutAttempt): unknown {
  return endToEndId === undefined ? null : { endToEndId, earlierIds, recipient };
}

function evidenceRows(key: Key, step: Step): EvidenceRow[] {
  if (step.type === 'AWAIT_DEPOSIT') return [];
  const evidence = evidenceOf(step);
  if (evidence === undefined) return [];
  return [
    {
      ...key,
      step_id: step.stepId,
      chain_id: evidence.chainId,
      tx_hash: evidence.txHash,
      block_number: evidence.blockNumber,
      block_hash: evidence.blockHash,
      sender: evidence.sender,
      nonce: evidence.nonce,
      log_indexes: evidence.logIndexes,
      status: evidence.status,
      nodes_agreed: evidence.trust?.agreed ?? null,
      nodes_of: evidence.trust?.of ?? null,
    },
  ];
}

function iso(timeMs: TimeMs): string {
  return new Date(timeMs).toISOString();
}

function isoOrNull(timeMs: TimeMs | undefined): string | null {
  return timeMs === undefined ? null : iso(timeMs);
}
