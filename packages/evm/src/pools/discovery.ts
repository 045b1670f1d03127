import { type Address, toAddress } from '@fairway/engine';
import { type BatchRead, inParts, type ReadAnswer, WHY_READS_FAIL } from '../rpc/multicall.ts';
import type { LeftOut } from '../types.ts';
import { type Factory, kindOf, type PoolIdentity } from './poolKinds.ts';

/**
 * Questions that are in memory at once, and asked before anything else may have its turn. All questions about a list are
 * hundreds of thousands.
 */
const QUESTIONS_AT_ONCE = 1000;

/** A pool as its factory names it. */
type NamedPool = { readonly factory: Factory; readonly pool: Address };

/** What pools are, and those that do not say it. Pools of tokens outside the list are in neither. */
export type IdentifiedPools = {
  readonly identities: readonly PoolIdentity[];
  readonly leftOut: readonly LeftOut[];
};

/**
 * Asks every factory for its pool of every pair of tokens. A pool is trusted because its factory names it;
 * its tokens, fee and tick spacing are then read from the pool itself.
 */
export async function discoverPools(
  read: BatchRead,
  factories: readonly Factory[],
  tokens: readonly Address[],
): Promise<IdentifiedPools> {
  const listed = new Set(tokens);
  const identities: PoolIdentity[] = [];
  const leftOut: LeftOut[] = [];
  for (const questions of inParts(questionsOf(factories, tokens), QUESTIONS_AT_ONCE)) {
    const answers = await read(questions);
    const named = questions.flatMap(({ factory }, index) => {
      const pool = poolNamedBy(factory, answers[index]);
      return pool === undefined ? [] : [{ factory, pool }];
    });
    const found = await identifyPools(read, named, listed);
    identities.push(...found.identities);
    leftOut.push(...found.leftOut);
  }
  return { identities, leftOut };
}

function* questionsOf(factories: readonly Factory[], tokens: readonly Address[]) {
  for (const factory of factories) {
    const { poolCalls } = kindOf(factory).discovery;
    for (const [index, tokenA] of tokens.entries())
      for (const tokenB of tokens.slice(index + 1))
        for (const callData of poolCalls(factory, tokenA, tokenB))
          yield { factory, target: factory.address, callData };
  }
}

/** Undefined where the factory has no such pool, or is not there yet at the block that is read. */
function poolNamedBy({ name }: Factory, answer: ReadAnswer): Address | undefined {
  if (answer === undefined) throw new Error(`The factory ${name} does not say which pools it has.`);
  return wordToAddress(answer);
}

/** Reads from each pool what it is; pools of tokens outside the list are passed over. */
export async function identifyPools(
  read: BatchRead,
  named: readonly NamedPool[],
  tokens: ReadonlySet<Address>,
): Promise<IdentifiedPools> {
  const calls = named.map(({ factory }) => {
    const { tokenCalls, identityCalls } = kindOf(factory).discovery;
    return [...tokenCalls, ...identityCalls];
  });
  const answers = await read(
    named.flatMap(({ pool }, index) => (calls[index] ?? []).map((callData) => ({ target: pool, callData }))),
  );
  const identities: PoolIdentity[] = [];
  const leftOut: LeftOut[] = [];
  let next = 0;
  for (const [index, { factory, pool }] of named.entries()) {
    const [word0, word1, ...own] = answers.slice(next, (next += calls[index]?.length ?? 0));
    const [token0, token1] = [wordToAddress(word0), wordToAddress(word1)];
    const isKnown = token0 !== undefined && token1 !== undefined;
    if (isKnown && !(tokens.has(token0) && tokens.has(token1))) continue;
    const origin = isKnown
      ? { address: pool, source: factory.name, tokens: [token0, token1] as const }
      : undefined;
    const identity = origin && kindOf(factory).discovery.identify(factory, origin, own);
    if (identity === undefined) leftOut.push({ address: pool, reason: `what it is: ${WHY_READS_FAIL}` });
    else identities.push(identity);
  }
  return { identities, leftOut };
}

/**
 * Checks pools against the chain. Their factory has to name them for their tokens and fee, and they have to give the
 * same tokens and fee themselves. Returns the addresses of pools that fail.
 */
export async function impostorsAmong(
  read: BatchRead,
  factories: readonly Factory[],
  pools: readonly PoolIdentity[],
): Promise<Address[]> {
  const claims = pools.flatMap((pool) => {
    const factory = factories.find(({ name, kind }) => name === pool.source && kind === pool.kind);
    return factory === undefined ? [] : [{ pool, factory, callData: kindOf(pool).discovery.poolCall(pool) }];
  });
  const answers = await read(claims.map(({ factory, callData }) => ({ target: factory.address, callData })));
  const named = claims.flatMap(({ factory, pool }, index) =>
    wordToAddress(answers[index]) === pool.address ? [{ factory, pool: pool.address }] : [],
  );
  const tokens = new Set(pools.flatMap((pool) => pool.tokens));
  const { identities } = await identifyPools(read, named, tokens);
  const confirmed = new Map(identities.map((identity) => [identity.address, identity]));
  return pools
    .filter((pool) => !isSameIdentity(pool, confirmed.get(pool.address)))
    .map(({ address }) => address);
}

/** Whether a pool, which may have more members than its identity, is what the chain confirmed. */
function isSameIdentity(pool: PoolIdentity, confirmed: PoolIdentity | undefined): boolean {
  if (confirmed === undefined) return false;
  const claimed: Readonly<Record<string, unknown>> = pool;
  // As texts: tokens are a list, and two lists are never the same value.
  return Object.entries(confirmed).every(([member, value]) => String(claimed[member]) === String(value));
}

function wordToAddress(word: ReadAnswer): Address | undefined {
  if (word?.length !== 66 || /^0x0{64}$/.test(word)) return undefined;
  return toAddress(`0x${word.slice(26)}`);
}
