/** The engine's vocabulary. Everything here is a plain immutable value. */

declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** A contract or token address: 0x and 40 lower-case hex digits. */
export type Address = Brand<`0x${string}`, 'Address'>;

/** A fee in millionths of the input (Uniswap's unit): 3000 is 0.3 %. */
export type FeePips = Brand<number, 'FeePips'>;

/** Hundredths of a percent: 50 is 0.5 %. */
export type Bps = Brand<number, 'Bps'>;

/** An amount of a token in its smallest unit, or of the native currency in wei. */
export type Amount = Brand<bigint, 'Amount'>;

/** Which side of a trade is given exactly. */
export type TradeType = 'EXACT_IN' | 'EXACT_OUT';

/**
 * Reads an address in any letter case.
 * @throws if the text is not 0x and 40 hex digits: callers check user input first.
 *
 * @example
 * ```ts
 * import { toAddress } from '@fairway/engine';
 *
 * const weth = toAddress('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'); // in lower case
 * ```
 */
export function toAddress(text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Error(`Not an address: ${text}`);
  return text.toLowerCase() as Address;
}

/** The two tokens of a pair. The first sorts before the second. */
export type TokenPair = readonly [Address, Address];

/** What every pool has, whatever its curve and however many tokens it trades. */
type PoolIdentity<Tokens extends readonly Address[]> = {
  readonly address: Address;
  /** The operator's name for the factory it comes from, such as `uniswap-v3`. */
  readonly source: string;
  readonly tokens: Tokens;
  readonly feePips: FeePips;
};

/** A constant product pair (Uniswap V2 and forks). Reserves in smallest units. */
export type V2Pool = PoolIdentity<TokenPair> & {
  readonly kind: 'UNISWAP_V2';
  readonly reserve0: bigint;
  readonly reserve1: bigint;
};

/** The initialised ticks of a concentrated liquidity pool, ascending, and what each adds to the liquidity when crossed upwards. */
export type TickTable = {
  readonly indexes: readonly number[];
  readonly liquidityNet: readonly bigint[];
};

/** A concentrated liquidity pool (Uniswap V3 and forks). */
export type V3Pool = PoolIdentity<TokenPair> & {
  readonly kind: 'UNISWAP_V3';
  readonly tickSpacing: number;
  /** Square root of the price of the first token in the second, in Q64.96. */
  readonly sqrtPriceX96: bigint;
  /**
   * The pool's own current tick. After a swap that ends exactly on an initialised tick it can be one less
   * than the tick of the price.
   */
  readonly tick: number;
  /** Liquidity in range at the current tick. */
  readonly liquidity: bigint;
  readonly ticks: TickTable;
};

/** A pool's state at one block. Pools are never mutated: an update is a new value. */
export type Pool = V2Pool | V3Pool;

/** A pool in one of its directions: what a path is made of. */
export type Hop = { readonly pool: Pool; readonly tokenIn: Address; readonly tokenOut: Address };

/**
 * One swap through one pool, exact to the wei as the pool's contract computes it. `pool` is the pool before this leg.
 * Where an earlier path has used it, it is in the state that path leaves.
 */
export type Leg = Hop & {
  readonly amountIn: Amount;
  readonly amountOut: Amount;
};

/** Legs in a row from the quote's input token to its output token; each leg's output is the next one's input. `amountOut` is what the last leg pays, surplus included. */
export type Path = {
  readonly legs: readonly Leg[];
  readonly amountIn: Amount;
  readonly amountOut: Amount;
};

/** Smallest units of the output token for one of the input token, as a fraction. */
export type Rate = { readonly numerator: bigint; readonly denominator: bigint };

/** What gas costs, so that routes can be compared net of it. */
export type GasPrice = {
  /** Wei of the native currency per unit of gas. */
  readonly weiPerGas: bigint;
  /** The ERC-20 that wraps the native currency. */
  readonly wrappedNative: Address;
};

/** A route as it is traded. `nativeIn`: native currency pays for it. */
export type TradedRoute = {
  readonly tradeType: TradeType;
  readonly paths: readonly Path[];
  readonly nativeIn: boolean;
};

/** Gas units that a kind of router takes for a swap, besides the hops through its pools. */
export type VenueGas = {
  /** What any swap takes, its transaction included. */
  readonly swapUnits: number;
  /** What it takes to return what may be left of a token between pools. */
  readonly tokenReturnUnits: number;
  /** What it takes to return what may be left of the native currency that pays. */
  readonly nativeReturnUnits: number;
  /** What it takes to check an exact output, where a pool of `uncheckedKinds` trades. */
  readonly checkUnits: number;
  readonly uncheckedKinds: ReadonlySet<Pool['kind']>;
};

/** What a trade keeps away from. */
export type Exclusions = {
  /** Sources that may not be used. */
  readonly excludeSources: ReadonlySet<string>;
  /** Tokens that no path may pass on its way; where absent, none. The trade's own tokens are traded all the same. */
  readonly excludeTokens?: ReadonlySet<Address>;
  /** Pools that may not be used; where absent, none. */
  readonly excludePools?: ReadonlySet<Address>;
};

/** A question to the router. Native currency is given as its wrapped token. */
export type QuoteRequest = Exclusions & {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly tradeType: TradeType;
  /** Whether native currency pays for the swap, with `tokenIn` its wrapped token. No when absent. It costs gas. */
  readonly nativeIn?: boolean;
  /** Exact input for EXACT_IN, exact output for EXACT_OUT. Positive. */
  readonly amount: Amount;
  /** Pools a path may pass through. */
  readonly maxHops: number;
  /** Paths a quote may split over. */
  readonly maxSplits: number;
  readonly gasPrice: GasPrice;
  readonly venueGas: VenueGas;
};

/** The gas of a quote's swap as the engine estimates it. */
export type GasEstimate = {
  readonly units: bigint;
  /** In wei: units times the gas price. */
  readonly cost: Amount;
  /** The cost in the output token, at what the market pays for native currency; absent where no route from it exists. */
  readonly costInTokenOut?: Amount;
};

/**
 * The fee that a pool takes of a leg for liquidity providers and protocol: `amount` of the leg's input token, rounded
 * up. A V3 pool rounds at every step and may keep a few units more.
 */
export type PoolFee = { readonly pool: Address; readonly token: Address; readonly amount: Amount };

/** How good a quote can be proven to be, gross of gas. */
export type Optimality = {
  /**
   * EXACT_IN: no route over the pools considered gives more of the output token. EXACT_OUT: none costs less of the
   * input token (each path over one pool version, as the router executes it). Rounded so that it stays a
   * bound. Arbitrage can make the best flow run in circles when a request allows more than three hops. Then
   * the bound covers only routes of at most three hops, unless the answer exceeds it.
   */
  readonly upperBound: Amount;
  /** How far the amount returned (EXACT_OUT: paid) is from the bound, in Bps, rounded up to thousandths. */
  readonly gapBps: number;
};

/** An answer: paths in execution order, whose legs add up exactly. */
export type Quote = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly tradeType: TradeType;
  /** EXACT_IN: the amount asked. EXACT_OUT: the exact input needed. */
  readonly amountIn: Amount;
  /** EXACT_OUT: the amount asked. EXACT_IN: the exact output. */
  readonly amountOut: Amount;
  /** What EXACT_OUT over V2 pairs pays beyond the amount asked; 0 otherwise. The last legs' outputs include it: they add up to `amountOut` + `surplus`. */
  readonly surplus: Amount;
  /** One leg for each pool of each path; amounts as executed. */
  readonly legs: readonly Leg[];
  readonly paths: readonly Path[];
  /**
   * How far the executed price lies below what small trades get before the swap, fees aside, rounded up. It includes
   * what rounding costs, which is much of a tiny amount.
   */
  readonly priceImpactBps: Bps;
  readonly gas: GasEstimate;
  readonly poolFees: readonly PoolFee[];
  /** How good the quote is proven to be; absent from `bestPathQuote` and where the search proves no bound. */
  readonly optimality?: Optimality;
};

/** Why there is no quote. */
export type QuoteRefusal =
  /** No pools connect the tokens within `maxHops`. */
  | { readonly reason: 'NO_ROUTE' }
  /** Routes exist, but none can take or give the whole amount. */
  | { readonly reason: 'INSUFFICIENT_LIQUIDITY' }
  /** The input is too small to buy one unit of the output. */
  | { readonly reason: 'AMOUNT_TOO_SMALL' };

/** The router's whole answer. */
export type QuoteResult =
  | { readonly ok: true; readonly quote: Quote }
  | { readonly ok: false; readonly refusal: QuoteRefusal };
