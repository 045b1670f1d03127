import type { Amount, Evidence, Hash, PlanEvent, StepId, Transfer } from '../src/index.ts';
import { amountOf } from '../src/index.ts';
import { derivedInstructions, STEP_IDS } from './plans.ts';

const [DEPOSIT, SWAP, LAST] = STEP_IDS;

/** The hash of the transaction, or block, that tests call by this letter. */
export function hashOf(letter: string): Hash {
  return `0x${letter.charCodeAt(0).toString(16).padStart(2, '0').repeat(32)}`;
}

/** A transfer in the transaction of this letter. */
export function transfer(letter: string, amount: Amount, block = 'x'): Transfer {
  return {
    chainId: 31337,
    txHash: hashOf(letter),
    logIndex: 0,
    blockNumber: 7,
    blockHash: hashOf(block),
    amount,
  };
}

/** What the transaction of this letter proves; in block "x" unless told otherwise. */
export function evidence(letter: string, status: Evidence['status'], units = 1_500n, block = 'x'): Evidence {
  const moved = transfer(letter, amountOf(units), block);
  return {
    chainId: moved.chainId,
    txHash: moved.txHash,
    blockNumber: moved.blockNumber,
    blockHash: moved.blockHash,
    sender: `0x${'0a'.repeat(20)}`,
    nonce: 1,
    transfers: [moved],
    amount: moved.amount,
    status,
  };
}

/** The chain shows this much at the deposit address, this much of it with the confirmations. */
export function observed(received: bigint, confirmed: bigint = received, block = 'x'): PlanEvent {
  const transfers = received === 0n ? [] : [transfer('d', amountOf(received), block)];
  return {
    type: 'DEPOSIT_OBSERVED',
    stepId: DEPOSIT,
    received: amountOf(received),
    confirmed: amountOf(confirmed),
    transfers,
  };
}

/** The integrator says that this much was deposited. */
export function reported(units: bigint, transfers: readonly Transfer[] = []): PlanEvent {
  const verification = transfers.length === 0 ? 'REPORTED' : 'VERIFIED';
  return { type: 'DEPOSIT_REPORTED', stepId: DEPOSIT, amount: amountOf(units), verification, transfers };
}

/** Instructions were derived; `salt` is the end of their calldata. */
export function derived(salt = 'bb', askedBy: 'INTEGRATOR' | 'SERVICE' = 'INTEGRATOR'): PlanEvent {
  return { type: 'INSTRUCTIONS_DERIVED', askedBy, stepId: SWAP, ...derivedInstructions(salt) };
}

/** There are no instructions now. */
export function withheld(reason: 'PRICE_BELOW_FLOOR' | 'NOT_DERIVABLE'): PlanEvent {
  return {
    type: 'INSTRUCTIONS_WITHHELD',
    stepId: SWAP,
    askedBy: 'INTEGRATOR',
    reason,
    detail: `For the reason ${reason}.`,
  };
}

/** A transaction executed an attempt of the swap. */
export function swapped(proof: Evidence, attemptIndex = 0): PlanEvent {
  return { type: 'SWAP_EVIDENCED', stepId: SWAP, attemptIndex, evidence: proof };
}

/** The swap failed; in the transaction of this letter, if one is given. */
export function swapFailed(letter?: string, code = 'REVERTED'): PlanEvent {
  const told = letter === undefined ? {} : { txHash: hashOf(letter) };
  return { type: 'SWAP_FAILED', stepId: SWAP, failure: { code }, verification: 'REPORTED', ...told };
}

/** The custodian paid, by this reference. */
export function paidByReference(providerReference: string, units?: bigint): PlanEvent {
  const told = units === undefined ? {} : { amount: amountOf(units) };
  return { type: 'PAYOUT_DONE', stepId: LAST, verification: 'REPORTED', providerReference, ...told };
}

/** The custodian paid in this transaction. */
export function paidByTransaction(proof: Evidence, providerReference?: string): PlanEvent {
  const told = providerReference === undefined ? {} : { providerReference };
  return { type: 'PAYOUT_DONE', stepId: LAST, verification: 'VERIFIED', evidence: proof, ...told };
}

/** The custodian could not pay. */
export function payoutFailed(providerReference?: string, code = 'ACCOUNT_CLOSED'): PlanEvent {
  const told = providerReference === undefined ? {} : { providerReference };
  return { type: 'PAYOUT_FAILED', stepId: LAST, failure: { code }, ...told };
}

/** Money came back. */
export function payoutReturned(providerReference?: string, units?: bigint): PlanEvent {
  const reference = providerReference === undefined ? {} : { providerReference };
  const amount = units === undefined ? {} : { amount: amountOf(units) };
  return { type: 'PAYOUT_RETURNED', stepId: LAST, ...reference, ...amount };
}

/** The chain no longer has the transaction of this letter. */
export function lost(stepId: StepId, letter: string): PlanEvent {
  return { type: 'EVIDENCE_LOST', stepId, txHash: hashOf(letter), cause: 'REORGANISED' };
}

/** A step is tried again. */
export function retried(stepId: StepId): PlanEvent {
  return { type: 'STEP_RETRIED', stepId };
}

/** The same event, told of another step. */
export function toldOf(stepId: StepId, event: PlanEvent): PlanEvent {
  return { ...event, stepId } as PlanEvent;
}
