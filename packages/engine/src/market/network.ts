import { keptOf } from '../curves/curve.ts';
import { NO_DEPTH } from '../curves/depth.ts';
import { kindOf } from '../pools/poolKinds.ts';
import type { Address, Pool } from '../types.ts';
import { createPoolDepths, type PoolDepths } from './poolDepths.ts';

/**
 * A market in numbers, as the search reads it: tokens and pools by small integers, their prices in columns. Kept in step
 * by the market, pool by pool. Numbers depend on the order in which pools came and never leave the engine.
 */
export type Network = {
  /** The number of a token; undefined where no pool ever traded it. */
  tokenOf(address: Address): number | undefined;
  /** The slot of a pool; undefined where the market does not hold it. */
  slotOf(address: Address): number | undefined;
  /** Tokens by number; those that no pool trades any more stay. */
  readonly tokens: readonly Address[];
  /** Tokens that at least one pool trades. */
  readonly tokenCount: number;
  /** The pool at a slot; undefined where one was taken out. */
  readonly pools: readonly (Pool | undefined)[];
  /** Slots of the pools that trade a token, by token number. */
  readonly slotsOf: readonly (readonly number[])[];
  /** The token numbers of each slot's pool. */
  readonly token0: readonly number[];
  readonly token1: readonly number[];
  /** Square root of what a first unit of token0 brings of token1, fee taken off; 0 where nothing is for sale. */
  readonly rate0: readonly number[];
  /** The same for a first unit of token1. */
  readonly rate1: readonly number[];
  readonly depths: PoolDepths;
  /** Writes a pool's state, in a new slot where it has none. */
  put(pool: Pool): void;
  /** Empties a pool's slot. */
  remove(pool: Pool): void;
};

/** An empty network. */
export function createNetwork(): Network {
  const numbers = new Map<Address, number>();
  const tokens: Address[] = [];
  const slots = new Map<Address, number>();
  const free: number[] = [];
  const pools: (Pool | undefined)[] = [];
  const slotsOf: number[][] = [];
  const [token0, token1]: [number[], number[]] = [[], []];
  const [rate0, rate1]: [number[], number[]] = [[], []];
  const depths = createPoolDepths({ slotsOf, token0, token1 });
  let tokenCount = 0;

  function numberOf(address: Address): number {
    const known = numbers.get(address);
    if (known !== undefined) return known;
    const number = tokens.push(address) - 1;
    numbers.set(address, number);
    slotsOf.push([]);
    return number;
  }

  function newSlot(pool: Pool): number {
    const slot = free.pop() ?? pools.length;
    slots.set(pool.address, slot);
    const ends = [numberOf(pool.token0), numberOf(pool.token1)] as const;
    [token0[slot], token1[slot]] = ends;
    for (const token of ends) if (slotsOf[token]?.push(slot) === 1) tokenCount += 1;
    return slot;
  }

  return {
    tokenOf: (address) => numbers.get(address),
    slotOf: (address) => slots.get(address),
    tokens,
    get tokenCount() {
      return tokenCount;
    },
    pools,
    slotsOf,
    token0,
    token1,
    rate0,
    rate1,
    depths,
    put(pool) {
      const slot = slots.get(pool.address) ?? newSlot(pool);
      pools[slot] = pool;
      const { of0, of1 } = kindOf(pool).depths(pool);
      [rate0[slot], rate1[slot]] = startRates(pool, of0, of1);
      depths.set(slot, of0, of1);
    },
    remove(pool) {
      const slot = slots.get(pool.address);
      if (slot === undefined) return;
      depths.set(slot, NO_DEPTH, NO_DEPTH);
      slots.delete(pool.address);
      pools[slot] = undefined;
      for (const token of [token0[slot] as number, token1[slot] as number]) {
        const list = slotsOf[token] as number[];
        list.splice(list.indexOf(slot), 1);
        if (list.length === 0) tokenCount -= 1;
      }
      free.push(slot);
    },
  };
}

/** Square roots of what a first unit of each token brings of the other. */
function startRates(pool: Pool, depth0: number, depth1: number): [number, number] {
  const { price0, price1 } = kindOf(pool).startPrices(pool);
  const keptRoot = Math.sqrt(keptOf(pool.feePips));
  // A pool can have a price and nothing to pay there: on the last tick of its liquidity.
  return [depth1 === NO_DEPTH ? 0 : price0 * keptRoot, depth0 === NO_DEPTH ? 0 : keptRoot / price1];
}
