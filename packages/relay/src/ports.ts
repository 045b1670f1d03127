import type {
  Attempt,
  BoundInstruction,
  Call,
  DisabledReason,
  Fees,
  Hex,
  Inclusion,
  Instruction,
  Outcome,
  Purpose,
  Refusal,
  Relayer,
} from './instruction.ts';
import type { Look } from './look.ts';

/**
 * What is kept of relayers and instructions. Each call is one transaction that is durable before it resolves. The
 * database itself refuses a second instruction for a nonce, and another nonce for an instruction with attempts.
 */
export type RelayStore = {
  /** The relayer, and its instructions without an outcome: bound ones by nonce, then the others as they came. */
  read(relayerId: string): Promise<{ readonly relayer: Relayer; readonly open: readonly Instruction[] }>;
  /**
   * `usedCount`: how many nonces are known to be used. Nothing happens where as many are bound by now: another process on
   * the same database may have bound them since this one read it.
   */
  disable(relayerId: string, reason: DisabledReason, usedCount?: number): Promise<void>;
  /** Gives the relayer's next nonce. Nothing happens where the instruction has a nonce or an outcome by now. */
  bind(about: Instruction, gasLimit: bigint): Promise<void>;
  keepAttempt(about: BoundInstruction, attempt: Attempt): Promise<void>;
  noteSent(about: BoundInstruction, hash: Hex): Promise<void>;
  note(about: BoundInstruction, inclusion: Inclusion | undefined): Promise<void>;
  /** Asks for the instruction's cancellation, because a rule refuses what it was bound for. */
  refuse(about: BoundInstruction, refusal: Refusal): Promise<void>;
  conclude(about: Instruction, outcome: Outcome): Promise<void>;
};

/** A transaction that has a nonce, as the chain has it. */
export type FoundTransaction = Pick<Attempt, 'hash' | 'raw' | 'fees'> &
  Pick<Call, 'to' | 'data' | 'valueWei'> & { readonly blockNumber: number };

/** The nodes of a chain. They may be away, late, forgetful, and answer whatever they like to what is sent. */
export type RelayChain = {
  /** Reads what the chain has of a relayer and of its bound instructions. */
  look(relayer: Relayer, bound: readonly BoundInstruction[]): Promise<Look>;
  /** The final transaction that has the nonce of an instruction; undefined when none is found. */
  find(about: BoundInstruction): Promise<FoundTransaction | undefined>;
  /** Resolves or rejects, and neither says whether the transaction will be mined. */
  send(attempt: Attempt): Promise<void>;
};

/** What is signed: a call or its cancellation, with all that the signature covers. */
export type Order = {
  readonly about: BoundInstruction;
  readonly purpose: Purpose;
  readonly fees: Fees;
};

/** Whether a call may be executed now: policies, a simulation, the relayer's balance. */
export type Verdict =
  | { readonly may: 'EXECUTE'; readonly gasLimit: bigint }
  /** Not now: such as a balance that is short. */
  | { readonly may: 'WAIT' }
  | { readonly may: 'NEVER'; readonly refusal: Refusal };

/** A transaction that is about to leave for the first time. */
export type Leaving = { readonly about: BoundInstruction; readonly attempt: Attempt };

/** All that relaying needs of the world. */
export type RelayPorts = {
  readonly store: RelayStore;
  readonly chain: RelayChain;
  judge(about: Instruction): Promise<Verdict>;
  /** Signs, and checks that what was signed is the order in every field. */
  sign(order: Order): Promise<Pick<Attempt, 'hash' | 'raw'>>;
  /**
   * Asked before a transaction leaves for the first time, and again after a crash. False: it stays here for now, such as
   * until somebody was told of it.
   */
  mayLeave(leaving: Leaving): Promise<boolean>;
  /** Writes transactions that are about to leave for the first time to the disk, outside of the database. */
  journal(leaving: readonly Leaving[]): Promise<void>;
  onSendFailed(attempt: Attempt, error: unknown): void;
};
