import assert from 'node:assert/strict';
import {
  acknowledgementOf,
  type Address,
  type Amount,
  amountOf,
  type Asset,
  assetsOf,
  type Evidence,
  type Hash,
  type MaskedRecipient,
  type Money,
  type Plan,
  type PlanCommand,
  type RecordedTransfer,
  standingMovements,
  type StepId,
  type Transfer,
  unitsOf,
} from '../src/index.ts';
import { defined } from '@fairway/values';
import { corridor, derivedInstructions, MADE_AT_MS, STEP_IDS } from './plans.ts';

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

/** The evidence of the transaction of this letter, by default in block "x". */
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

/** The chain shows a deposit of this much, in the transaction "d". Without its confirmations, `isFinal` is false. */
export function observed(units: bigint, isFinal = true, block = 'x'): PlanCommand {
  return recorded([recordedTransfer('d', units, { blockHash: hashOf(block) })], isFinal ? 8 : 7);
}

/** The chain no longer has the deposit in the transaction "d". */
export function depositGone(block = 'x'): PlanCommand {
  const { chainId, txHash, blockHash, logIndex } = transfer('d', amountOf(1n), block);
  const places = [{ chainId, txHash, blockHash, logIndex }];
  return { type: 'EVIDENCE_LOST', stepId: DEPOSIT, txHash, cause: 'REORGANISED', gone: places };
}

/** The integrator says that this much was deposited. */
export function reported(units: bigint, transfers: readonly Transfer[] = []): PlanCommand {
  const verification = transfers.length === 0 ? 'REPORTED' : 'VERIFIED';
  return { type: 'DEPOSIT_REPORTED', stepId: DEPOSIT, amount: amountOf(units), verification, transfers };
}

/** Instructions were derived; `salt` is the end of their calldata. */
export function derived(salt = 'bb', askedBy: 'INTEGRATOR' | 'SERVICE' = 'INTEGRATOR'): PlanCommand {
  return { type: 'INSTRUCTED', askedBy, stepId: SWAP, derived: derivedInstructions(salt) };
}

/** The same instructions with another slippage, which the integrator has named. */
export function otherwise(command: PlanCommand, slippageBps = 90): PlanCommand {
  assert.ok(command.type === 'INSTRUCTED' && 'derived' in command);
  const constraints = { maxSlippageBps: slippageBps };
  const instructions = command.derived.instructions.map((each) => ({ ...each, constraints }));
  return { ...command, slippageBps, derived: { ...command.derived, instructions } };
}

/** There are no instructions now. */
export function withheld(reason: 'PRICE_BELOW_FLOOR' | 'NOT_DERIVABLE'): PlanCommand {
  return {
    type: 'INSTRUCTED',
    stepId: SWAP,
    askedBy: 'INTEGRATOR',
    withheld: { reason, detail: `For the reason ${reason}.` },
  };
}

/** The swap failed; in the transaction of this letter, if one is given. */
export function swapFailed(letter?: string, code = 'REVERTED'): PlanCommand {
  const told = defined({ txHash: letter === undefined ? undefined : hashOf(letter) });
  return { type: 'SWAP_FAILED', stepId: SWAP, failure: { code }, verification: 'REPORTED', ...told };
}

/** The custodian paid, by this reference. */
export function paidByReference(providerReference: string): PlanCommand {
  return { type: 'PAYOUT_DONE', stepId: LAST, verification: 'REPORTED', providerReference };
}

type PayoutReport = Extract<PlanCommand, { type: 'PAYOUT_REPORTED' }>;

/** The custodian paid an account, by this reference, with these amounts. `kept`: what was deducted as a fee. */
export function paidWithAmounts(
  providerReference: string,
  units?: bigint,
  kept?: bigint,
  more: Partial<PayoutReport> = {},
): PlanCommand {
  return {
    type: 'PAYOUT_REPORTED',
    stepId: LAST,
    providerReference,
    ...defined({
      discharged: units === undefined ? undefined : amountOf(units),
      deductions: kept === undefined ? undefined : [{ amount: amountOf(kept), reason: 'fee' }],
    }),
    ...more,
  };
}

/** The custodian paid in this transaction. */
export function paidByTransaction(proof: Evidence, providerReference?: string): PlanCommand {
  const told = defined({ providerReference });
  return { type: 'PAYOUT_DONE', stepId: LAST, verification: 'VERIFIED', evidence: proof, ...told };
}

/** The custodian paid in this transaction, perhaps less than what is due. Each of its transfers counts for itself. */
export function paidInPart(proof: Evidence): PlanCommand {
  return { ...paidByTransaction(proof), part: true } as PlanCommand;
}

/** The evidence at another log of its transaction. */
export function atLog(proof: Evidence, logIndex: number): Evidence {
  return { ...proof, transfers: proof.transfers.map((moved) => ({ ...moved, logIndex })) };
}

/** The deposit address holds so much native currency. */
export function nativeSeen(held: bigint): PlanCommand {
  return { type: 'NATIVE_SEEN', stepId: DEPOSIT, held: amountOf(held) };
}

/** The custodian paid in this transaction, although all had been paid. */
export function paidOnceMore(proof: Evidence): PlanCommand {
  return { type: 'PAYMENT_REPEATED', stepId: LAST, evidence: proof };
}

/** The custodian could not pay. */
export function payoutFailed(providerReference?: string, code = 'ACCOUNT_CLOSED'): PlanCommand {
  const told = defined({ providerReference });
  return { type: 'PAYOUT_FAILED', stepId: LAST, failure: { code }, ...told };
}

type Hold = Extract<PlanCommand, { type: 'PAYOUT_HELD' }>['hold'];

/** The custodian holds the payment back, by default for a compliance review. */
export function payoutHeld(providerReference?: string, hold: Partial<Hold> = {}): PlanCommand {
  const held = { reason: 'COMPLIANCE_REVIEW', needs: [], ...hold } as const;
  return { type: 'PAYOUT_HELD', stepId: LAST, hold: held, ...defined({ providerReference }) };
}

/** Money came back; `returned`: how much in the currency. */
export function payoutReturned(providerReference?: string, units?: bigint, returned?: Money): PlanCommand {
  const amount = units === undefined ? undefined : amountOf(units);
  return { type: 'PAYOUT_RETURNED', stepId: LAST, ...defined({ providerReference, amount, returned }) };
}

/** An amount of the currency that plans pay. */
export function pesos(minor: bigint): Money {
  return { amount: amountOf(minor), asset: { currency: 'PHP' } };
}

/** What the recipient chose, by a letter. */
export function choice(letter: string): MaskedRecipient {
  return { type: 'wallet', chainId: 31337, address: `0x${'0e'.repeat(20)}`, fingerprint: letter };
}

/** When test links end by default: a fortnight after the plan was made. */
export const LINK_ENDS_AT_MS: number = MADE_AT_MS + 14 * 86_400_000;

/** A link was made; by default it ends at `LINK_ENDS_AT_MS`. */
export function linkMade(
  reason: Extract<PlanCommand, { type: 'LINK_MADE' }>['reason'],
  version: number,
  expiresAtMs: number = LINK_ENDS_AT_MS,
): PlanCommand {
  const told =
    reason === 'READDRESSED'
      ? { recipient: { type: 'email', email: 'k***@example.com', fingerprint: 'f3' } as const }
      : {};
  return { type: 'LINK_MADE', stepId: LAST, version, reason, expiresAtMs, ...told };
}

/** What became of the e-mail with a link. */
export function linkMailed(version: number, outcome: 'ACCEPTED' | 'BOUNCED' = 'ACCEPTED'): PlanCommand {
  return { type: 'LINK_MAILED', stepId: LAST, version, outcome };
}

/** Records that the recipient opened the page. */
export function linkOpened(version: number): PlanCommand {
  return { type: 'LINK_OPENED', stepId: LAST, version };
}

/** The recipient of a link that has ended asks for another. */
export function linkRequested(version: number): PlanCommand {
  return { type: 'LINK_REQUESTED', stepId: LAST, version };
}

/** The recipient chose. */
export function submitted(version: number, letter = 'a'): PlanCommand {
  const endToEndId = `FW-${version}-${letter}`;
  return { type: 'COLLECT_SUBMITTED', stepId: LAST, version, destination: choice(letter), endToEndId };
}

/** The time of the link was over. `changedBy` has it happen then. */
export const LINK_EXPIRED: PlanCommand = { type: 'TIME_PASSED' };

/** The integrator reports how the delivery goes, with a reference. */
export function delivery(
  status: Extract<PlanCommand, { type: 'DELIVERY_REPORTED' }>['status'],
  providerReference?: string,
): PlanCommand {
  const failure = status === 'FAILED' ? { code: 'ACCOUNT_CLOSED' } : undefined;
  const told = defined({ providerReference, failure });
  return { type: 'DELIVERY_REPORTED', stepId: LAST, status, verification: 'REPORTED', ...told };
}

/** The custodian paid the recipient's choice in this transaction. */
export function deliveredBy(proof: Evidence, providerReference?: string): PlanCommand {
  const told = defined({ providerReference });
  const by = { stepId: LAST, verification: 'VERIFIED', evidence: proof, ...told } as const;
  return { type: 'DELIVERY_REPORTED', status: 'DELIVERED', ...by };
}

/** The chain no longer has the transaction of this letter. */
export function lost(stepId: StepId, letter: string): PlanCommand {
  return { type: 'EVIDENCE_LOST', stepId, txHash: hashOf(letter), cause: 'REORGANISED' };
}

/** A step is tried again. */
export function retried(stepId: StepId): PlanCommand {
  return { type: 'STEP_RETRIED', stepId };
}

/** A transaction that executes an attempt was sent. By default its sender and nonce are those of `evidence`. */
export function sent(
  letter: string,
  position = 1,
  by: { readonly sender?: Address; readonly nonce?: number } = { sender: `0x${'0a'.repeat(20)}`, nonce: 1 },
): PlanCommand {
  return { type: 'EXECUTION_SUBMITTED', stepId: SWAP, position, txHash: hashOf(letter), ...by };
}

/** A transaction that pays the recipient was sent. By default its sender and nonce are those of `evidence`. */
export function payoutSent(
  letter: string,
  by: { readonly sender?: Address; readonly nonce?: number } = { sender: `0x${'0a'.repeat(20)}`, nonce: 1 },
): PlanCommand {
  return { type: 'EXECUTION_SUBMITTED', stepId: LAST, txHash: hashOf(letter), ...by };
}

/** It is certain that a transaction that was sent executes nothing. */
export function sentInVain(
  letter: string,
  position = 1,
  fate: Extract<PlanCommand, { type: 'EXECUTION_ENDED' }>['fate'] = 'EXPIRED',
): PlanCommand {
  return { type: 'EXECUTION_ENDED', stepId: SWAP, position, txHash: hashOf(letter), fate };
}

/** It is certain that a transaction that was to pay the recipient does not. */
export function payoutInVain(
  letter: string,
  fate: Extract<PlanCommand, { type: 'EXECUTION_ENDED' }>['fate'],
): PlanCommand {
  return { type: 'EXECUTION_ENDED', stepId: LAST, txHash: hashOf(letter), fate };
}

/** The same command, about another step. */
export function toldOf(stepId: StepId, command: PlanCommand): PlanCommand {
  return { ...command, stepId } as PlanCommand;
}

/** A transfer to the deposit address as the chain record has it. `changes`: what differs from an ordinary deposit. */
export function recordedTransfer(
  letter: string,
  units: bigint,
  changes: Partial<RecordedTransfer> = {},
): RecordedTransfer {
  return {
    ...transfer(letter, amountOf(units)),
    token: corridor.source.token,
    from: `0x${'0b'.repeat(20)}`,
    to: `0x${'0c'.repeat(20)}`,
    blockTimeMs: MADE_AT_MS,
    ...changes,
  };
}

/** The chain record, read up to a block, has these transfers to the deposit address. */
export function recorded(added: readonly RecordedTransfer[], readNumber = 8): PlanCommand {
  return { type: 'RECORD_READ', stepId: DEPOSIT, readNumber, added };
}

/** The chain was read up to a block. */
export function confirmedAt(readNumber: number): PlanCommand {
  return recorded([], readNumber);
}

/** A transaction executed an attempt of the swap and spent so much, as the chain record shows it. */
export function executed(proof: Evidence, position = 0, spent = 1_000n): PlanCommand {
  return { type: 'EXECUTION_FOUND', stepId: SWAP, position, evidence: proof, amountIn: amountOf(spent) };
}

/** A transaction executed an attempt of the swap twice: what the second call brought is behind the logs of the first. */
export function executedTwice(
  proof: Evidence,
  position = 0,
  units = 1_495n,
  spent: readonly [bigint, bigint] = [1_000n, 1_000n],
): PlanCommand {
  const amount = amountOf(units);
  const transfers = proof.transfers.map((moved) => ({ ...moved, logIndex: moved.logIndex + 1, amount }));
  const others = [{ position, amountIn: amountOf(spent[1]), transfers }];
  return { ...executed(proof, position, spent[0]), others } as PlanCommand;
}

/** Everything that the ledger has of the transaction of this letter, in this block, is no longer on the chain. */
export function gone(plan: Plan, stepId: StepId, letter: string): PlanCommand {
  const txHash = hashOf(letter);
  const places = standingMovements(plan).flatMap(({ transfer: at, ...row }) => {
    if (row.stepId !== stepId || at?.txHash !== txHash || at.logIndex === undefined) return [];
    const { chainId, blockHash, logIndex } = at;
    return [{ chainId, txHash, blockHash, logIndex }];
  });
  return { type: 'EVIDENCE_LOST', stepId, txHash, cause: 'REORGANISED', gone: places };
}

/** The integrator ends the plan, and has seen the money that is left. */
export function closed(changes: Partial<Extract<PlanCommand, { type: 'PLAN_ENDED' }>> = {}): PlanCommand {
  return { type: 'PLAN_ENDED', reason: 'OTHER', force: false, ...changes };
}

/** Another account is to be paid, by a letter. */
export function replaced(letter: string): PlanCommand {
  const endToEndId = `FW-${letter}`;
  return { type: 'RECIPIENT_REPLACED', stepId: LAST, recipient: choice(letter), endToEndId };
}

/** The same account is to be paid again after the money came back. */
export function paidAgain(endToEndId = 'FW-again'): PlanCommand {
  return { type: 'STEP_RETRIED', stepId: LAST, endToEndId };
}

/** Money went back to the payer, by this reference; by default in the source token. */
export function refunded(
  providerReference: string,
  units: bigint,
  asset: Asset = assetsOf({ corridor }).source,
): PlanCommand {
  const money = { amount: amountOf(units), asset };
  return { type: 'REFUND_RECORDED', money, verification: 'REPORTED', providerReference };
}

/** All that is left of the money went back to the payer: the first of what is left. */
export function allRefunded(plan: Plan, providerReference = 'refund'): PlanCommand {
  const [left] = acknowledgementOf(plan).filter(({ direction }) => direction === 'IN');
  return refunded(providerReference, left === undefined ? 1n : unitsOf(left.amount), left?.asset);
}
