/** Bytes as hex, with 0x in front. */
export type Hex = `0x${string}`;

/** What is to be executed: a call by its sender, on one chain. */
export type Call = {
  readonly chainId: number;
  readonly sender: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly valueWei: bigint;
  /** Past this time of the chain it must not be executed any more. */
  readonly notAfterMs?: number;
};

/** What a transaction offers for each unit of gas, as in EIP-1559. */
export type Fees = { readonly maxFeePerGasWei: bigint; readonly maxPriorityFeePerGasWei: bigint };

/** EXECUTE: the call itself. CANCEL: a transfer of nothing to the sender, which only uses the nonce. */
export type Purpose = 'EXECUTE' | 'CANCEL';

/** A signed transaction. It is kept before a byte of it leaves. */
export type Attempt = {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly purpose: Purpose;
  readonly fees: Fees;
  /** The block at which it was signed: it counts as stuck from here. */
  readonly signedAtBlock: number;
  /** Whether it was ever given to a node. False: it may never have left. */
  readonly wasSent: boolean;
};

/** Where the chain has an attempt. */
export type Inclusion = {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly succeeded: boolean;
};

/** Why an instruction was not executed. Where a policy refused it, also the rule that says so, and a sentence. */
export type Refusal = { readonly code: string; readonly rule?: string; readonly detail?: string };

/** How an instruction ended. No later block changes it. */
export type Outcome =
  | { readonly as: 'CONFIRMED' | 'REVERTED' | 'CANCELLED'; readonly inclusion: Inclusion }
  /** Another transaction of the sender, not signed here, has the nonce: the call was not executed. */
  | { readonly as: 'REPLACED'; readonly by: Hex; readonly blockNumber: number }
  /** These three were never signed. */
  | { readonly as: 'EXPIRED' }
  | { readonly as: 'WITHDRAWN'; readonly why: 'ASKED' | 'PREVIOUS_FAILED' }
  | { readonly as: 'REJECTED'; readonly refusal: Refusal };

/**
 * A call that is executed at most once. All its attempts share one nonce for ever, and a chain has one transaction
 * for a sender and a nonce.
 */
export type Instruction = {
  readonly relayTransactionId: string;
  readonly call: Call;
  /** How far the instruction before it in the same execution is; absent for the first. */
  readonly previous?: 'OPEN' | 'SUCCEEDED' | 'FAILED';
  /** Given with the nonce. */
  readonly gasLimit?: bigint;
  /** Absent: nothing was bound, and nothing signed. It never changes once there is an attempt. */
  readonly nonce?: number;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  readonly inclusion?: Inclusion;
  readonly isCancelAsked: boolean;
};

/** An instruction that has its nonce. */
export type BoundInstruction = Instruction & { readonly nonce: number; readonly gasLimit: bigint };

/**
 * Asks whether an instruction has its nonce.
 *
 * @example
 * ```ts
 * import { type Instruction, isBound } from '@fairway/relay';
 *
 * declare const open: readonly Instruction[];
 * const nonces = open.filter(isBound).map(({ nonce }) => nonce);
 * ```
 */
export function isBound(instruction: Instruction): instruction is BoundInstruction {
  return instruction.nonce !== undefined;
}

/** Why a relayer binds nothing until an operator has looked. The relayer still ends what is bound. */
export type DisabledReason =
  /** The chain has used nonces that were not bound here: the key is used elsewhere, or the database is an older one. */
  | 'NONCES_UNKNOWN'
  /** A transaction was sent that the database does not know: it is an older one. */
  | 'DATABASE_OLDER'
  /** Another transaction has a nonce that was bound here. */
  | 'KEY_USED_ELSEWHERE'
  /** The journal is lost, so that it is not known what left. */
  | 'JOURNAL_MISSING';

/** A key on one chain. */
export type Relayer = {
  readonly relayerId: string;
  readonly chainId: number;
  readonly address: Hex;
  /** The nonce that the next instruction is bound to. */
  readonly nextNonce: number;
  readonly isPaused: boolean;
  readonly disabled?: DisabledReason;
};
