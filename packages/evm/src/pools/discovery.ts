import { type Address, toAddress } from '@fairway/engine';
import type { BatchRead } from '../rpc/multicall.ts';
import type { Factory, PoolIdentity } from './factory.ts';
import { kindOf } from './poolKinds.ts';

const SELECTORS = { token0: '0x0dfe1681', token1: '0xd21220a7' } as const;

/**
 * Asks every factory for its pool of every pair of tokens. A pool is trusted because its factory names it;
 * its tokens, fee and tick spacing are then read from the pool itself.
 */
export async function discoverPools(
  read: BatchRead,
  factories: readonly Factory[],
  tokens: readonly Address[],
): Promise<PoolIdentity[]> {
  const questions = factories.flatMap((factory) =>
    factoryCalls(factory, tokens).map((callData) => ({ factory, callData })),
  );
  const answers = await read(
    questions.map(({ factory, callData }) => ({ target: factory.address, callData })),
  );
  const named = questions.flatMap(({ factory }, index) => {
    const pool = wordToAddress(answers[index]);
    return pool === undefined ? [] : [{ factory, pool }];
  });
  return identifyPools(read, named, new Set(tokens));
}

function factoryCalls(factory: Factory, tokens: readonly Address[]): `0x${string}`[] {
  const { poolCalls } = kindOf(factory);
  return tokens.flatMap((tokenA, index) =>
    tokens.slice(index + 1).flatMap((tokenB) => poolCalls(factory, tokenA, tokenB)),
  );
}

/** Reads from each pool what it is; pools of tokens outside the list are left out. */
export async function identifyPools(
  read: BatchRead,
  named: readonly { readonly factory: Factory; readonly pool: Address }[],
  tokens: ReadonlySet<Address>,
): Promise<PoolIdentity[]> {
  const calls = named.map(({ factory }) => [
    SELECTORS.token0,
    SELECTORS.token1,
    ...kindOf(factory).identityCalls,
  ]);
  const answers = await read(
    named.flatMap(({ pool }, index) => (calls[index] ?? []).map((callData) => ({ target: pool, callData }))),
  );
  let next = 0;
  return named.flatMap(({ factory, pool }, index): PoolIdentity[] => {
    const [word0, word1, ...own] = answers.slice(next, (next += calls[index]?.length ?? 0));
    const [token0, token1] = [wordToAddress(word0), wordToAddress(word1)];
    if (token0 === undefined || token1 === undefined || !tokens.has(token0) || !tokens.has(token1)) return [];
    const origin = { address: pool, source: factory.name, token0, token1 };
    const identity = kindOf(factory).identify(factory, origin, own);
    return identity === undefined ? [] : [identity];
  });
}

/**
 * Checks pools against the chain: their factory has to name them for their tokens and fee, and they have to give the
 * same tokens and fee themselves. Returns the addresses of pools that fail.
 */
export async function impostorsAmong(
  read: BatchRead,
  factories: readonly Factory[],
  pools: readonly PoolIdentity[],
): Promise<Address[]> {
  const claims = pools.flatMap((pool) => {
    const factory = factories.find(({ name, kind }) => name === pool.source && kind === pool.kind);
    return factory === undefined ? [] : [{ pool, factory, callData: kindOf(pool).poolCall(pool) }];
  });
  const answers = await read(claims.map(({ factory, callData }) => ({ target: factory.address, callData })));
  const named = claims.flatMap(({ factory, pool }, index) =>
    wordToAddress(answers[index]) === pool.address ? [{ factory, pool: pool.address }] : [],
  );
  const tokens = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]));
  const identities = await identifyPools(read, named, tokens);
  const confirmed = new Map(identities.map((identity) => [identity.address, identity]));
  return pools
    .filter((pool) => !isSameIdentity(pool, confirmed.get(pool.address)))
    .map(({ address }) => address);
}

/** Whether a pool, which may have more members than its identity, is what the chain confirmed. */
function isSameIdentity(pool: PoolIdentity, confirmed: PoolIdentity | undefined): boolean {
  if (confirmed === undefined) return false;
  const claimed: Readonly<Record<string, unknown>> = pool;
  return Object.entries(confirmed).every(([member, value]) => claimed[member] === value);
}

function wordToAddress(word: `0x${string}` | undefined): Address | undefined {
  if (word === undefined || word.length !== 66 || /^0x0{64}$/.test(word)) return undefined;
  return toAddress(`0x${word.slice(26)}`);
}
