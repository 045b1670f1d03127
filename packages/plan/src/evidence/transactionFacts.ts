import { defined } from '@fairway/values';
import { amountOf, sumOf } from '../terms/amount.ts';
import type { MinedTransaction, SpentGas } from '../plan/movement.ts';
import type { Address, TimeMs } from '../terms/scalars.ts';
import type { Evidence, Plan, Transfer } from '../plan/types.ts';
import { minedAs } from '../book/ledger.ts';

/** What the sender of a transaction signed. Addresses and calldata are in lower case. */
export type SignedFacts = {
  readonly sender: Address;
  readonly nonce: number;
  readonly to: Address | undefined;
  readonly input: string;
};

/** A mined transaction as it was read from the chain. Addresses and calldata are in lower case. */
export type TransactionFacts = SignedFacts &
  MinedTransaction & {
    readonly outcome: 'SUCCEEDED' | 'REVERTED';
    /** The time that the block states. */
    readonly blockTimeMs: TimeMs;
    /** How many nodes said the same, of how many that are configured. */
    readonly trust?: { readonly agreed: number; readonly of: number };
    /** The gas of the whole transaction, where it is known. */
    readonly gas?: SpentGas;
    /** 1 while the transaction is in the latest block. */
    readonly confirmations: number;
    /** ERC-20 transfers in the order of their logs; amounts in smallest units. */
    readonly transfers: readonly TransferFacts[];
    /**
     * The calls of the transaction that were not undone, each with the transfers made in it; the first is the
     * transaction's own call. Absent when nobody asked for them, or the node could not trace them.
     */
    readonly calls?: readonly {
      readonly to: Address;
      readonly input: string;
      readonly transfers: readonly TransferFacts[];
    }[];
  };

/** An ERC-20 transfer of a transaction. Addresses in lower case. */
export type TransferFacts = {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly logIndex: number;
};

/** What a transaction proves about a step, or why it proves nothing. `detail` is a sentence for the integrator. */
export type Judgement<Proof> = ({ readonly ok: true } & Proof) | Disproved;

type Disproved = { readonly ok: false; readonly detail: string };

/** The judgement that a transaction proves nothing, and why. */
export function disproved(detail: string): Disproved {
  return { ok: false, detail };
}

/** The judgement on a transaction on another chain than `due`; undefined for one of that chain. */
export function onAnotherChain({ txHash, chainId }: TransactionFacts, due: number): Disproved | undefined {
  if (chainId === due) return undefined;
  return disproved(
    `The transaction ${txHash} is on the chain ${chainId}, not on ${due}. Report a transaction on that chain.`,
  );
}

/** The judgement on a transaction that did nothing on the chain `due`; undefined where it succeeded there. */
export function didNothing(facts: TransactionFacts, due: number): Disproved | undefined {
  const isReverted = facts.outcome === 'REVERTED';
  const reverted = isReverted ? disproved(`The transaction ${facts.txHash} was reverted.`) : undefined;
  return onAnotherChain(facts, due) ?? reverted;
}

/**
 * The transfers of a token that bring something to an account. A transfer of nothing brings nothing. A transfer whose
 * sender is its receiver brings nothing either: anybody can repeat it with the same money.
 */
export function arrivals(
  transfers: readonly TransferFacts[],
  token: Address,
  account: Address,
): readonly TransferFacts[] {
  return transfers.filter((each) => each.token === token && each.to === account && movesMoney(each));
}

/**
 * Whether a transfer moves money from one account to another.
 *
 * @example
 * ```ts
 * import { movesMoney } from '@fairway/plan';
 *
 * const account = `0x${'0a'.repeat(20)}` as const;
 * const isDeposit = movesMoney({ from: account, to: account, amount: 5n }); // false
 * ```
 */
export function movesMoney({
  from,
  to,
  amount,
}: {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}): boolean {
  return amount > 0n && from !== to;
}

/** A transaction as the evidence of these transfers of it. */
export function evidenceFrom(
  plan: Plan,
  facts: TransactionFacts,
  counted: readonly TransferFacts[],
): Evidence {
  const { blockTimeMs, sender, nonce } = facts;
  const place = minedAs(facts);
  const transfers = counted.map(
    ({ amount, logIndex, from }): Transfer => ({
      ...place,
      logIndex,
      amount: amountOf(amount),
      from,
      blockTimeMs,
    }),
  );
  const amount = sumOf(transfers.map((transfer) => transfer.amount));
  return {
    ...place,
    sender,
    nonce,
    transfers,
    amount,
    status: isFinal(plan, facts) ? 'FINAL' : 'CONFIRMING',
    ...defined({ trust: facts.trust }),
  };
}

/** Whether a transaction has the confirmations that the corridor asks for. */
export function isFinal({ corridor }: Plan, { confirmations }: TransactionFacts): boolean {
  return confirmations >= corridor.minConfirmations;
}
