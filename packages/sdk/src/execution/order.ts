/** The worst that a swap may do: the least that is paid out, or the most that is taken. In smallest units. */
export type Limit = { readonly minAmountOut: string | bigint } | { readonly maxAmountIn: string | bigint };

/**
 * What may be signed, as the caller knows it, and never as an answer says it. Addresses in lower case; native currency
 * is `NATIVE`.
 */
export type Order = {
  readonly chainId: number;
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** The exact side. */
  readonly amount: bigint;
  readonly limit: Limit;
  /** The contract that swaps, which is also what has to be approved. */
  readonly router: string;
  /** The token that wraps native currency, as the router says; needed where a side is native. */
  readonly wrappedNative: string | undefined;
  /** Who executes, and pays. */
  readonly sender: string;
  readonly recipient: string;
  /** The time of the latest block. */
  readonly nowSeconds: bigint;
  /** The latest deadline that calldata may have. */
  readonly lastSeconds: bigint;
  /** Whether the last call ends with the tag of a plan. */
  readonly hasTag: boolean;
};

/** A call as a service gives it. */
export type GivenCall = {
  readonly kind: string;
  readonly chainId: number;
  readonly to: string;
  readonly data: string;
  /** Wei, in decimal digits. */
  readonly value: string;
};

/** A call that was found to do what its order says, and no more. */
export type CheckedCall = {
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
  readonly value: bigint;
};

/** Calls that were found to do what was ordered. */
export type CheckedSwap = {
  readonly calls: readonly CheckedCall[];
  /** The most that they can take of the input. */
  readonly taken: bigint;
};

/** Native currency (EIP-7528); the zero address means the same. */
export const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';
const ZERO = `0x${'0'.repeat(40)}`;

/** An address as orders have it. @throws TypeError for what is none. */
export function addressOf(text: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new TypeError(`${text} is no address.`);
  const address = text.toLowerCase();
  return address === ZERO ? NATIVE : address;
}
