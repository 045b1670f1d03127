import { directionOf } from '../pools/direction.ts';
import { buyFrom, exactInput, hopGasUnits, mayPayMore, poolAfter, sellTo } from '../pools/poolSwap.ts';
import type { Address, Amount, Hop, Leg, Path, Pool, TradeType, VenueGas } from '../types.ts';
import { venueGasUnits } from './venueGas.ts';

/** A path to execute: its hops in order, and its exact input (EXACT_IN) or what it is asked for (EXACT_OUT). */
export type PlannedPath = { readonly hops: readonly Hop[]; readonly amount: bigint };

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
  readonly tradeType: TradeType;
  /** Whether native currency pays; no where absent. */
  readonly nativeIn?: boolean;
  /** Added to the gas of hops; nothing where absent. */
  readonly venueGas?: VenueGas;
};

/**
 * Executes paths one after the other, exact to the unit. A path over a pool that earlier paths have used starts from
 * the state they left, and its leg has that state. Where a pool cannot serve its amount or pays nothing for it, the
 * first path with such a pool is named.
 *
 * @example
 * ```ts
 * import { executePaths, type Hop, type PlannedPath } from '@fairway/engine';
 *
 * declare const hop: Hop;
 *
 * const planned: PlannedPath = { hops: [hop], amount: 10n ** 18n };
 * const result = executePaths({ tradeType: 'EXACT_IN' }, [planned]);
 * if (result.ok) console.log(result.execution.received); // units of hop.tokenOut
 * ```
 */
export function executePaths(terms: ExecutionTerms, planned: readonly PlannedPath[]): ExecutionResult {
  const uses = new Map<Address, number>();
  for (const { hops } of planned)
    for (const { pool } of hops) uses.set(pool.address, (uses.get(pool.address) ?? 0) + 1);
  const current = new Map<Address, Pool>();
  const paths: Path[] = [];
  let [amountIn, received, gasUnits] = [0n, 0n, 0];
  for (const [index, { hops, amount }] of planned.entries()) {
    const walked =
      terms.tradeType === 'EXACT_IN'
        ? walkForward(hops, current, amount)
        : walkBackward(hops, current, amount);
    const [first, last] = [walked?.legs[0], walked?.legs.at(-1)];
    if (walked === undefined || first === undefined || last === undefined)
      return { ok: false, failedPath: index };
    for (const leg of walked.legs) {
      if ((uses.get(leg.pool.address) ?? 0) < 2) continue;
      current.set(leg.pool.address, poolAfter(leg, { ...leg, tradeType: terms.tradeType }));
    }
    paths.push({ legs: walked.legs, amountIn: first.amountIn, amountOut: last.amountOut });
    amountIn += first.amountIn;
    received += last.amountOut;
    gasUnits += walked.gasUnits;
  }
  const { tradeType, nativeIn = false, venueGas } = terms;
  if (venueGas !== undefined) gasUnits += venueGasUnits(venueGas, { tradeType, paths, nativeIn });
  return { ok: true, execution: { paths, amountIn, received, gasUnits } };
}

/** Pools that earlier paths have changed. */
type Changed = ReadonlyMap<Address, Pool>;

type Walked = { readonly legs: readonly Leg[]; readonly gasUnits: number };

function walkForward(hops: readonly Hop[], changed: Changed, amountIn: bigint): Walked | undefined {
  const legs: Leg[] = [];
  let [carried, gasUnits] = [amountIn as Amount, 0];
  for (const { pool: first, tokenIn, tokenOut } of hops) {
    const pool = changed.get(first.address) ?? first;
    const direction = directionOf(pool, tokenIn, tokenOut);
    const outcome = direction === undefined ? undefined : sellTo(pool, direction, carried);
    if (outcome === undefined || outcome.amount === 0n) return undefined;
    const amountOut = outcome.amount as Amount;
    legs.push({ pool, tokenIn, tokenOut, amountIn: carried, amountOut });
    gasUnits += hopGasUnits(pool, outcome.crossed);
    carried = amountOut;
  }
  return { legs, gasUnits };
}

/**
 * Computes the amounts from the output back, then as they are executed. A V3 pool pays exactly what the next
 * pool takes. A V2 pair is swapped forward with its known input and may pay more.
 */
function walkBackward(hops: readonly Hop[], changed: Changed, amountOut: bigint): Walked | undefined {
  const asked: Leg[] = [];
  let [wanted, gasUnits] = [amountOut as Amount, 0];
  for (const { pool: first, tokenIn, tokenOut } of hops.toReversed()) {
    const pool = changed.get(first.address) ?? first;
    const direction = directionOf(pool, tokenIn, tokenOut);
    const outcome = direction === undefined ? undefined : buyFrom(pool, direction, wanted);
    if (outcome === undefined) return undefined;
    const amountIn = outcome.amount as Amount;
    asked.push({ pool, tokenIn, tokenOut, amountIn, amountOut: wanted });
    gasUnits += hopGasUnits(pool, outcome.crossed);
    wanted = amountIn;
  }
  const legs: Leg[] = [];
  let carried = wanted;
  for (const leg of asked.reverse()) {
    const paid = mayPayMore(leg.pool) ? exactInput(leg, carried) : leg.amountOut;
    if (paid === undefined) return undefined;
    legs.push({ ...leg, amountIn: carried, amountOut: paid as Amount });
    carried = paid as Amount;
  }
  return { legs, gasUnits };
}
