import { TRANSACTION_GAS_UNITS } from '../pools/gas.ts';
import { buyFrom, hopGasUnits, mayPayMore, otherToken, poolAfter, sellTo } from '../pools/poolSwap.ts';
import { returnGasUnits } from './leftovers.ts';
import type { Address, Amount, Leg, Path, Pool, TradeType } from '../types.ts';

/** A path to execute: its pools in order, and its exact input (EXACT_IN) or what it is asked for (EXACT_OUT). */
export type PlannedPath = { readonly pools: readonly Pool[]; readonly amount: bigint };

/** Paths as they execute one after the other. */
export type Execution = {
  readonly paths: readonly Path[];
  readonly amountIn: bigint;
  /** What the paths pay together; for EXACT_OUT over V2 pairs possibly more than asked. */
  readonly received: bigint;
  readonly gasUnits: number;
};

/** Paths as they executed, or the first that cannot. */
export type ExecutionResult =
  | { readonly ok: true; readonly execution: Execution }
  | { readonly ok: false; readonly failedPath: number };

/** What all paths have in common. */
export type ExecutionTerms = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly tradeType: TradeType;
  /** Whether native currency pays; no where absent. */
  readonly nativeIn?: boolean;
};

/**
 * Executes paths one after the other, exact to the unit. A path over a pool that earlier paths have used starts from
 * the state they left, and its leg has that state. Where a pool cannot serve its amount or pays nothing for it, the
 * first path with such a pool is named.
 *
 * @example
 * ```ts
 * import { executePaths, type PlannedPath, type Pool } from '@fairway/engine';
 *
 * declare const pool: Pool;
 *
 * const planned: PlannedPath = { pools: [pool], amount: 10n ** 18n };
 * const terms = { tokenIn: pool.token0, tokenOut: pool.token1, tradeType: 'EXACT_IN' } as const;
 * const result = executePaths(terms, [planned]);
 * if (result.ok) console.log(result.execution.received); // units of token1
 * ```
 */
export function executePaths(terms: ExecutionTerms, planned: readonly PlannedPath[]): ExecutionResult {
  const uses = new Map<Address, number>();
  for (const { pools } of planned)
    for (const { address } of pools) uses.set(address, (uses.get(address) ?? 0) + 1);
  const current = new Map<Address, Pool>();
  const paths: Path[] = [];
  let [amountIn, received, gasUnits] = [0n, 0n, TRANSACTION_GAS_UNITS];
  for (const [index, { pools, amount }] of planned.entries()) {
    const states = pools.map((pool) => current.get(pool.address) ?? pool);
    const walked =
      terms.tradeType === 'EXACT_IN'
        ? walkForward(states, terms.tokenIn, amount)
        : walkBackward(states, terms.tokenOut, amount);
    const [first, last] = [walked?.legs[0], walked?.legs.at(-1)];
    if (walked === undefined || first === undefined || last === undefined)
      return { ok: false, failedPath: index };
    for (const leg of walked.legs) {
      if ((uses.get(leg.pool.address) ?? 0) < 2) continue;
      current.set(leg.pool.address, poolAfter(leg.pool, { ...leg, tradeType: terms.tradeType }));
    }
    paths.push({ legs: walked.legs, amountIn: first.amountIn, amountOut: last.amountOut });
    amountIn += first.amountIn;
    received += last.amountOut;
    gasUnits += walked.gasUnits;
  }
  gasUnits += returnGasUnits({ tradeType: terms.tradeType, paths }, terms.nativeIn ?? false);
  return { ok: true, execution: { paths, amountIn, received, gasUnits } };
}

type Walked = { readonly legs: readonly Leg[]; readonly gasUnits: number };

function walkForward(pools: readonly Pool[], tokenIn: Address, amountIn: bigint): Walked | undefined {
  const legs: Leg[] = [];
  let [token, carried, gasUnits] = [tokenIn, amountIn as Amount, 0];
  for (const pool of pools) {
    const outcome = sellTo(pool, token, carried);
    if (outcome === undefined || outcome.amount === 0n) return undefined;
    const [tokenOut, amountOut] = [otherToken(pool, token), outcome.amount as Amount];
    legs.push({ pool, tokenIn: token, tokenOut, amountIn: carried, amountOut });
    gasUnits += hopGasUnits(pool, outcome.crossed);
    [token, carried] = [tokenOut, amountOut];
  }
  return { legs, gasUnits };
}

/**
 * Computes the amounts from the output back, then as they are executed. A V3 pool pays exactly what the next
 * pool takes. A V2 pair is swapped forward with its known input and may pay more.
 */
function walkBackward(pools: readonly Pool[], tokenOut: Address, amountOut: bigint): Walked | undefined {
  const asked: Leg[] = [];
  let [token, wanted, gasUnits] = [tokenOut, amountOut as Amount, 0];
  for (const pool of pools.toReversed()) {
    const outcome = buyFrom(pool, token, wanted);
    if (outcome === undefined) return undefined;
    const [tokenIn, amountIn] = [otherToken(pool, token), outcome.amount as Amount];
    asked.push({ pool, tokenIn, tokenOut: token, amountIn, amountOut: wanted });
    gasUnits += hopGasUnits(pool, outcome.crossed);
    [token, wanted] = [tokenIn, amountIn];
  }
  const legs: Leg[] = [];
  let carried = wanted;
  for (const leg of asked.reverse()) {
    const paid = mayPayMore(leg.pool) ? sellTo(leg.pool, leg.tokenIn, carried)?.amount : leg.amountOut;
    if (paid === undefined) return undefined;
    legs.push({ ...leg, amountIn: carried, amountOut: paid as Amount });
    carried = paid as Amount;
  }
  return { legs, gasUnits };
}
