import type { CheckedSwap, GivenCall, Order } from '@fairway/sdk/checks';
import type { ChainPolicy } from './policy.ts';

/** What was asked for, as the node knows it, and never as an answer says it. Addresses in lower case. */
export type Asked = Pick<
  Order,
  'chainId' | 'tradeType' | 'tokenIn' | 'tokenOut' | 'amount' | 'limit' | 'sender' | 'recipient'
> & {
  /** Past this time nothing of it may be executable any more. */
  readonly notAfterSeconds?: bigint;
  /** The tag of a plan, 32 hex digits, with which the last call has to end. */
  readonly tag?: string;
};

/** What is about to be signed: all calls of an execution, in their order. */
export type Proposal = { readonly asked: Asked; readonly calls: readonly GivenCall[] };

/** How a simulation changed the balance of an account, fees of the transaction not counted. */
export type BalanceChange = { readonly account: string; readonly token: string; readonly change: bigint };

/** What was spent within the window of a limit, the proposal not counted. */
export type Usage = { readonly spent: bigint; readonly count: number };

/** What the node found out about a proposal. A rule refuses where something is absent that it needs. */
export type Known = {
  readonly nowSeconds: bigint;
  /** What the service says of its quote. */
  readonly optimalityGapBps?: number;
  readonly trust?: 'SINGLE_NODE' | 'AGREED';
  /** The other side of the trade on nodes of one's own: the output of an exact input, or the input. */
  readonly ownQuote?: bigint;
  /** What a simulation on the own nodes changed. */
  readonly changes?: readonly BalanceChange[] | 'REVERTED';
  /** The gas of all calls together, and the most that a unit may cost. */
  readonly gas: bigint;
  readonly maxFeePerGasWei: bigint;
  readonly balanceWei: bigint;
  /** For each of the limits, in their order. */
  readonly usage: readonly Usage[];
  /** How people write amounts of tokens, by address. Nothing is decided by it. */
  readonly tokens?: ReadonlyMap<string, { readonly symbol: string; readonly decimals: number }>;
};

/** What rules look at. */
export type Scene = {
  readonly chain: ChainPolicy;
  readonly asked: Asked;
  readonly checked: CheckedSwap;
  /** Whether a router swaps, at a price. */
  readonly isSwap: boolean;
  readonly known: Known;
};
