import {
  type AwaitDepositStep,
  type ExecuteSwapStep,
  type PayoutAttempt,
  type Plan,
  type Return,
  type SendDigitalCollectStep,
  type Step,
  type StepEvidence,
  type SwapAttempt,
  type TimeMs,
} from '@fairway/plan';
import { type ReadMovementRow, rowsToLedger } from './movementRows.ts';
import type { AttemptRow, EvidenceRow, PlanRows, ReturnRow, StepRow } from './planRows.ts';

/** The rows of a plan as they are read, with its movements. */
export type ReadRows = PlanRows & { readonly movements: readonly ReadMovementRow[] };

/** Builds a plan from its rows, which are in the order of their positions. */
export function rowsToPlan({ plan: row, steps, attempts, evidence, returns, movements }: ReadRows): Plan {
  const plan: Plan = {
    planId: row.plan_id as Plan['planId'],
    clientReference: row.client_reference,
    corridor: row.corridor,
    mode: row.mode,
    amountIn: row.amount_in,
    recipient: row.recipient,
    options: row.options,
    metadata: row.metadata,
    endToEndId: row.end_to_end_id,
    revision: row.revision,
    createdAtMs: timeOf(row.created_at),
    updatedAtMs: timeOf(row.updated_at),
    lifeMs: row.life_ms,
    expiresAtMs: timeOf(row.expires_at),
    watchFromBlock: row.watch_from_block,
    steps: steps.map((step) => {
      const isOfStep = ({ step_id }: { step_id: string }) => step_id === step.step_id;
      return stepOf(step, attempts.filter(isOfStep), evidence.find(isOfStep));
    }),
    returns: returns.map(returnOf),
    ...(movements.length === 0 ? {} : { ledger: rowsToLedger(row.plan_id, movements) }),
  };
  const told = present({
    ended: row.ended,
    closed: row.closed,
    approval: row.approval,
    addressLostFrom: row.address_lost_from,
    hasOlderMoney: row.has_older_money,
  });
  return { ...plan, ...told };
}

function stepOf(row: StepRow, attempts: readonly AttemptRow[], evidence: EvidenceRow | undefined): Step {
  const { verification, failure } = row;
  const base = {
    stepId: row.step_id as Step['stepId'],
    status: row.status,
    ...present({ verification, failure }),
  };
  switch (row.type) {
    case 'AWAIT_DEPOSIT': {
      const { type, expected, final_block: finalBlock, is_late: isLate, payers_own: payersOwn } = row;
      const { lost, lost_refunds: lostRefunds } = row;
      const deposit = {
        ...base,
        type,
        expected,
        ...present({ finalBlock, isLate, payersOwn, lost, lostRefunds }),
      };
      return deposit as AwaitDepositStep;
    }
    case 'EXECUTE_SWAP': {
      const told = present({
        withheld: row.withheld,
        evidence: evidenceOf(evidence),
        finalOthers: row.final_others,
      });
      const { type, expected } = row;
      return { ...base, type, expected, attempts: attempts.map(swapAttemptOf), ...told } as ExecuteSwapStep;
    }
    case 'CUSTODIAN_PAYOUT': {
      const told = present({
        readyAtMs: timeOrNull(row.ready_at),
        providerReference: row.provider_reference,
        occurredAtMs: timeOrNull(row.occurred_at),
        payout: row.payout,
        hold: row.hold,
        evidence: evidenceOf(evidence),
      });
      return { ...base, type: row.type, attempts: attempts.map(payoutAttemptOf), ...told };
    }
    case 'SEND_DIGITAL_COLLECT': {
      const told = present({
        readyAtMs: timeOrNull(row.ready_at),
        link: row.link,
        destination: row.destination,
        submittedAtMs: timeOrNull(row.submitted_at),
        payout: row.payout,
        hold: row.hold,
        delivery: row.delivery && { ...row.delivery, ...present({ evidence: evidenceOf(evidence) }) },
      });
      const rounds = row.rounds as SendDigitalCollectStep['rounds'];
      return { ...base, type: row.type, rounds, ...told };
    }
  }
}

function evidenceOf(row: EvidenceRow | undefined): StepEvidence | null {
  if (row === undefined) return null;
  return {
    chainId: row.chain_id,
    txHash: row.tx_hash,
    blockNumber: row.block_number,
    blockHash: row.block_hash,
    sender: row.sender,
    nonce: row.nonce,
    logIndexes: row.log_indexes,
    status: row.status,
    ...present({ trust: trustOf(row) }),
  } as StepEvidence;
}

function trustOf({ nodes_agreed: agreed, nodes_of: of }: EvidenceRow): StepEvidence['trust'] | null {
  return agreed === null || of === null ? null : { agreed, of };
}

function swapAttemptOf(row: AttemptRow): SwapAttempt {
  return {
    instructions: row.instructions,
    quote: row.quote,
    amountOut: row.amount_out,
    minAmountOut: row.min_amount_out,
    notAfterMs: timeOrNull(row.not_after),
    derivedAtMs: timeOrNull(row.derived_at),
    outcome: row.outcome,
    ...present({ txHash: row.tx_hash, submissions: row.submissions, failure: row.failure }),
  } as SwapAttempt;
}

function payoutAttemptOf(row: AttemptRow): PayoutAttempt {
  const { failure, provider_reference: providerReference, outcome, tx_hash: txHash } = row;
  return {
    failedAtMs: timeOrNull(row.failed_at),
    failure,
    ...present({ providerReference, outcome, txHash }),
    ...(row.payout as Pick<PayoutAttempt, 'endToEndId' | 'earlierIds' | 'recipient'> | null),
  } as PayoutAttempt;
}

function returnOf(row: ReturnRow): Return {
  const told = present({
    occurredAtMs: timeOrNull(row.occurred_at),
    providerReference: row.provider_reference,
    amount: row.amount,
    failure: row.failure,
  });
  return { stepId: row.step_id, recordedAtMs: timeOf(row.recorded_at), ...told } as Return;
}

/** The members that are not null: an optional member of a plan is absent, never undefined. */
function present(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function timeOf(time: string): TimeMs {
  return Date.parse(time);
}

function timeOrNull(time: string | null): TimeMs | null {
  return time === null ? null : timeOf(time);
}
