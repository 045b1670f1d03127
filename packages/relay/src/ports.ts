import type {
  Attempt,
  BoundInstruction,
  Call,
  DisabledReason,
  Fees,
  Inclusion,
  Instruction,
  Outcome,
  Purpose,
  Refusal,
  Relayer,
} from './instruction.ts';
import type { GasRules, Look } from './look.ts';

/**
 * What is kept of relayers and instructions. Each call, of however many instructions, is one transaction that is durable
 * before it resolves. The database itself refuses a second instruction for a nonce, and another nonce for an instruction with attempts.
 */
export type RelayStore = {
  /** The relayer, and its instructions without an outcome: bound ones by nonce, then the others as they came. */
  read(relayerId: string): Promise<{ readonly relayer: Relayer; readonly open: readonly Instruction[] }>;
  /**
   * `usedCount`: how many nonces are known to be used. Nothing happens where as many are bound by now: another process on
   * the same database may have bound them since this one read it.
   */
  disable(relayerId: string, reason: DisabledReason, usedCount?: number): Promise<void>;
  /** Gives the relayer's next nonces, in this order. It leaves out what has a nonce or an outcome by now. */
  bind(given: readonly Binding[]): Promise<void>;
  keepAttempts(signed: readonly Leaving[]): Promise<void>;
  noteSent(sent: readonly Leaving[]): Promise<void>;
  note(seen: readonly Seen[]): Promise<void>;
  /** Asks for the instruction's cancellation, because a rule refuses what it was bound for. */
  refuse(about: BoundInstruction, refusal: Refusal): Promise<void>;
  /** It leaves out what has another nonce by now. */
  conclude(ended: readonly Ended[]): Promise<void>;
};

/** An instruction that gets a nonce, and how much gas it may take. */
export type Binding = { readonly about: Instruction; readonly gasLimit: bigint };

/** Where the chain has an instruction by now; undefined: nowhere. */
export type Seen = { readonly about: BoundInstruction; readonly inclusion: Inclusion | undefined };

/** How an instruction ended. */
export type Ended = { readonly about: Instruction; readonly outcome: Outcome };

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

/** A signed transaction of an instruction. */
export type Leaving = { readonly about: BoundInstruction; readonly attempt: Attempt };

/** All that relaying needs of the world. */
export type RelayPorts = {
  readonly store: RelayStore;
  readonly chain: RelayChain;
  /** Judges a call as of a look at the chain. */
  judge(about: Instruction, at: { readonly look: Look; readonly rules: GasRules }): Promise<Verdict>;
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
