import { defined } from '@fairway/values';
import type { ExecutionReading, Receipt } from '@fairway/wire';
import type { KeptExecution, KeptTransaction } from './transactions.ts';

type Status = Receipt['status'];
type Failure = NonNullable<Receipt['failure']>;

/** What the chain says of a transaction beside what is kept. */
export type ChainFacts = {
  /** The newest block that was looked at. */
  readonly headNumber: number | undefined;
  readonly gasUsed?: bigint;
  readonly effectiveGasPrice?: bigint;
};

/** What became of an instruction. Absent `facts`: by what is kept alone. */
export function receiptOf(kept: KeptTransaction, facts?: ChainFacts): Receipt {
  const { inclusion, attempts, nonce } = kept;
  const { headNumber = 0, gasUsed, effectiveGasPrice } = facts ?? {};
  return defined({
    relayTransactionId: kept.relayTransactionId,
    status: statusOf(kept),
    txHash: inclusion?.hash ?? attempts.at(-1)?.hash,
    chainId: kept.call.chainId,
    instructionIndex: kept.index,
    nonce,
    blockNumber: inclusion?.blockNumber,
    confirmations: facts && inclusion && Math.max(1, headNumber - inclusion.blockNumber + 1),
    gasUsed: gasUsed?.toString(),
    effectiveGasPrice: effectiveGasPrice?.toString(),
    nonExecution: nonExecutionOf(kept),
    failure: failureOf(kept),
  });
}

/** How far an instruction is. */
function statusOf({ outcome, inclusion, attempts }: KeptTransaction): Status {
  if (outcome === undefined) {
    if (inclusion !== undefined) return 'MINED';
    return attempts.some(({ wasSent }) => wasSent) ? 'BROADCAST' : 'PENDING';
  }
  return outcome.as === 'REPLACED' || outcome.as === 'WITHDRAWN' ? 'CANCELLED' : outcome.as;
}

/** Why an instruction was not executed, or did nothing; undefined while that is not so. */
function failureOf({ outcome, inclusion, attempts, refusal }: KeptTransaction): Failure | undefined {
  if (outcome === undefined) {
    if (inclusion === undefined) return undefined;
    if (attempts.find(({ hash }) => hash === inclusion.hash)?.purpose === 'CANCEL')
      return refusal ?? { code: 'CANCELLED' };
    return inclusion.succeeded ? undefined : { code: 'REVERTED' };
  }
  switch (outcome.as) {
    case 'CONFIRMED':
      return undefined;
    case 'REJECTED':
      return outcome.refusal;
    case 'WITHDRAWN':
      return { code: outcome.why };
    case 'CANCELLED':
      return refusal ?? { code: 'CANCELLED' };
    case 'REVERTED':
    case 'REPLACED':
    case 'EXPIRED':
      return { code: outcome.as };
  }
}

function nonExecutionOf({ outcome, nonce }: KeptTransaction): Receipt['nonExecution'] {
  if (outcome === undefined) return undefined;
  if (nonce === undefined) return { proof: 'NEVER_SIGNED' };
  if (outcome.as === 'REPLACED') return { proof: 'NONCE_USED', nonce, txHash: outcome.by };
  if (outcome.as !== 'REVERTED' && outcome.as !== 'CANCELLED') return undefined;
  const { hash, blockHash } = outcome.inclusion;
  return { proof: 'NONCE_USED', nonce, txHash: hash, blockHash };
}

/** Whether nothing of an execution can change any more. */
export function hasEnded({ transactions }: KeptExecution): boolean {
  return transactions.every(({ outcome }) => outcome !== undefined);
}

/** How an execution is as a whole. */
export function executionOf({ executionId, transactions }: KeptExecution): ExecutionReading['execution'] {
  const failed = transactions.find(({ outcome }) => outcome !== undefined && outcome.as !== 'CONFIRMED');
  if (failed !== undefined)
    return defined({ executionId, status: 'FAILED' as const, failure: failureOf(failed) });
  if (transactions.every(({ outcome }) => outcome !== undefined)) return { executionId, status: 'SUCCEEDED' };
  return {
    executionId,
    status: transactions.some(({ nonce }) => nonce !== undefined) ? 'RUNNING' : 'ACCEPTED',
  };
}
