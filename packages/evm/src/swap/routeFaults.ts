import { type Address, type Pool, type Quote, toAddress } from '@fairway/engine';
import { erc20Abi, numberToHex } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { withinTimeout } from '../rpc/withinTimeout.ts';
import type { Head, RouteFaultFinder, RouteFaults } from '../types.ts';
import { isRounded } from '../tokens/tokenBehaviour.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import { TOKEN_ABI } from '../calls/contractAbis.ts';
import { type BlockCall, type CallResult, simulateCalls } from '../rpc/simulateCalls.ts';
import { amountOf } from './simulateBlock.ts';

/** What the finder needs of a chain. Addresses in lower case. */
export type RouteFaultOptions = {
  readonly request: RpcRequest;
  /** The pools that hold a token, on a route or not. */
  readonly poolsOf: (token: Address) => Iterable<Pool>;
  /** How long it may take; 4 s where absent. */
  readonly timeoutMs?: number;
  /** Told why nothing could be found out. */
  readonly onUnavailable?: (cause: unknown) => void;
};

const DEFAULT_TIMEOUT_MS = 4000;

/** Other pools of a token that are tried, too: they tell a token that moves nowhere from one that refuses a pool. */
const WITNESSES = 2;
/** Pools among which witnesses are chosen, for what they hold. */
const WITNESS_CANDIDATES = 16;

/** A transfer's part of what a pool holds, in binary orders: too little for limits on large transfers to matter. */
const TRIED_PART_BITS = 30n;
/** The least that is tried where a pool holds as much, so that it can be handed on to all pools of the trial. */
const LEAST_TRIED = 1n << 16n;

/** Gas of one call. A token that burns all that it gets does not use up what the other calls of its trial need. */
const TRANSFER_GAS = numberToHex(500_000);
const READ_GAS = numberToHex(100_000);

/**
 * Makes the function that finds out why a route fails whose pools are as quoted. It finds which tokens do not move,
 * or move other amounts than requested, and which pools a token refuses. Pools pay a little of each token to an
 * account that nobody could prepare, and this account pays it back. Callers have no part in it: neither their
 * accounts nor their amounts. Each token is tried in a simulation of its own, so that none can make another one fail.
 *
 * @example
 * ```ts
 * import { createRouteFaultFinder, type Head, type RouteFaultOptions } from '@fairway/evm';
 * import type { Quote } from '@fairway/engine';
 *
 * declare const options: RouteFaultOptions;
 * declare const quote: Quote;
 * declare const block: Head;
 *
 * const faults = await createRouteFaultFinder(options)(quote, block);
 * console.log(faults?.tokens, faults?.pools);
 * ```
 */
export function createRouteFaultFinder(options: RouteFaultOptions): RouteFaultFinder {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, onUnavailable } = options;
  return async (quote, block) => {
    const trials = trialsOf(quote).map((trial) => tryToken(options, trial, block));
    try {
      const tried = await withinTimeout(timeoutMs, Promise.all(trials));
      return tried && faultsIn(tried);
    } catch (error) {
      onUnavailable?.(error);
      return undefined;
    }
  };
}

/** Which way a token moves at a pool. */
type Way = 'PAYS' | 'TAKES';
const WAYS: readonly Way[] = ['PAYS', 'TAKES'];

/** A token of a route: the ways in which a route can need it, and those in which this route moves it at its pools. */
type Trial = {
  readonly token: Address;
  readonly isEnd: boolean;
  readonly ways: readonly Way[];
  readonly used: Map<Address, Set<Way>>;
};

/** Whether a token moved at a pool as it was asked to; absent where that could not be tried. */
type Tried = Trial & { readonly moved: ReadonlyMap<Address, ReadonlyMap<Way, boolean>> };

function trialsOf({ legs, tokenIn, tokenOut }: Quote): readonly Trial[] {
  const trials = new Map<Address, Trial>();
  const note = (token: Address, pool: Address, way: Way): void => {
    const isEnd = token === tokenIn || token === tokenOut;
    const trial: Trial = trials.get(token) ?? { token, isEnd, ways: isEnd ? [way] : WAYS, used: new Map() };
    trials.set(token, trial);
    trial.used.set(pool, (trial.used.get(pool) ?? new Set<Way>()).add(way));
  };
  for (const leg of legs) {
    note(leg.tokenIn, leg.pool.address, 'TAKES');
    note(leg.tokenOut, leg.pool.address, 'PAYS');
  }
  return [...trials.values()];
}

function faultsIn(tried: readonly Tried[]): RouteFaults {
  const tokens: Address[] = [];
  const pools = new Set<Address>();
  let isOfEnds = false;
  for (const { token, isEnd, ways, used, moved } of tried) {
    const said = (way: Way) => [...moved.values()].flatMap((byWay) => byWay.get(way) ?? []);
    // A token that moves nowhere is at fault itself. A token that moves at one pool and not at another is the other pool's
    // fault.
    if (ways.some((way) => said(way).length > 0 && !said(way).includes(true))) {
      if (isEnd) isOfEnds = true;
      else tokens.push(token);
      continue;
    }
    for (const [pool, usedWays] of used)
      if ([...usedWays].some((way) => moved.get(pool)?.get(way) === false)) pools.add(pool);
  }
  return { tokens, pools: [...pools], isOfEnds };
}

/** A transfer between a pool and the trial's account. */
type Step = { readonly pool: Address; readonly way: Way; readonly amount: bigint };

async function tryToken({ request, poolsOf }: RouteFaultOptions, trial: Trial, block: Head): Promise<Tried> {
  const { token, used, ways } = trial;
  const moved = new Map<Address, Map<Way, boolean>>();
  const note = (pool: Address, way: Way, isMoved: boolean) =>
    moved.set(pool, (moved.get(pool) ?? new Map<Way, boolean>()).set(way, isMoved));
  const others = otherPools(poolsOf(token), used);
  const run = (calls: readonly BlockCall[]) => simulateCalls(request, block, calls);
  const pools = [...used.keys(), ...others];
  const balances = await run(pools.map((pool) => readOf(token, pool)));
  if (balances === undefined) return { ...trial, moved };
  const held = new Map(pools.map((pool, index) => [pool, amountOf(balances[index])]));
  // A token that does not even say what pools hold cannot be traded.
  if ([...held.values()].every((amount) => amount === undefined))
    for (const pool of used.keys()) for (const way of ways) note(pool, way, false);
  const steps = stepsOf([...used.keys(), ...richest(others, held)], held);
  // Nobody knew the block's hash before the block, so nobody can have prepared this account.
  const account = toAddress(`0x${block.hash.slice(-40)}`);
  const results = steps.length === 0 ? undefined : await run(callsOf(token, account, steps));
  for (const [index, step] of steps.entries())
    if (results !== undefined) note(step.pool, step.way, hasMoved(step, results.slice(4 * index)));
  return { ...trial, moved };
}

function otherPools(pools: Iterable<Pool>, used: ReadonlyMap<Address, unknown>): readonly Address[] {
  const others: Address[] = [];
  for (const { address } of pools) {
    if (others.length === WITNESS_CANDIDATES) break;
    if (!used.has(address)) others.push(address);
  }
  return others;
}

type Held = ReadonlyMap<Address, bigint | undefined>;

function richest(pools: readonly Address[], held: Held): readonly Address[] {
  const amountAt = (pool: Address): bigint => held.get(pool) ?? 0n;
  return pools
    .filter((pool) => amountAt(pool) > 0n)
    .sort((a, b) => (amountAt(a) > amountAt(b) ? -1 : 1))
    .slice(0, WITNESSES);
}

/** First every pool pays, then each is paid a part of what the others paid: a pool may hold nothing of the token. */
function stepsOf(pools: readonly Address[], held: Held): readonly Step[] {
  const paying = pools.flatMap((pool): Step[] => {
    const balance = held.get(pool) ?? 0n;
    const part = balance >> TRIED_PART_BITS;
    const amount = part > LEAST_TRIED ? part : balance < LEAST_TRIED ? balance : LEAST_TRIED;
    return amount === 0n ? [] : [{ pool, way: 'PAYS', amount }];
  });
  const least = paying.reduce(
    (amount, step) => (step.amount < amount ? step.amount : amount),
    paying[0]?.amount ?? 0n,
  );
  // A token that rounds brings less than was paid. A rest is kept back for that.
  const amount = least / BigInt(pools.length + 1);
  return [...paying, ...(amount === 0n ? [] : pools.map((pool): Step => ({ pool, way: 'TAKES', amount })))];
}

/** For each step: the account's balance, the pool's, the transfer, and the pool's again; at the end the account's. */
function callsOf(token: Address, account: Address, steps: readonly Step[]): readonly BlockCall[] {
  const read = (owner: Address) => readOf(token, owner);
  return [
    ...steps.flatMap(({ pool, way, amount }): BlockCall[] => {
      const [from, to] = way === 'PAYS' ? [pool, account] : [account, pool];
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
      return [read(account), read(pool), { from, to: token, data, gas: TRANSFER_GAS }, read(pool)];
    }),
    read(account),
  ];
}

/** Whether a step's transfer moved its amount, less what shares round, from the results that begin with the step's own. */
function hasMoved({ way, amount }: Step, results: readonly CallResult[]): boolean {
  const [accountBefore, poolBefore, transfer, poolAfter, accountAfter] = results;
  if (transfer === undefined || BigInt(transfer.status) !== 1n) return false;
  const [account, pool] = [difference(accountBefore, accountAfter), difference(poolBefore, poolAfter)];
  if (account === undefined || pool === undefined) return false;
  const [taken, arrived] = way === 'PAYS' ? [-pool, account] : [-account, pool];
  return isRounded({ asked: amount, taken, arrived });
}

function difference(before: CallResult | undefined, after: CallResult | undefined): bigint | undefined {
  const [from, to] = [amountOf(before), amountOf(after)];
  return from === undefined || to === undefined ? undefined : to - from;
}

function readOf(token: Address, owner: Address): BlockCall {
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] });
  return { to: token, data, gas: READ_GAS };
}
