import { type Address, type FeePips, toAddress } from '@fairway/engine';
import { encodeFunctionData, parseAbi } from 'viem';
import type { BatchRead } from '../rpc/multicall.ts';
import type { Read } from '../rpc/multicallCoding.ts';

/** A factory whose pools are trusted. Addresses in lower case. */
export type Factory =
  | {
      readonly kind: 'UNISWAP_V2';
      /** The name shown as `source`, such as `uniswap-v2`. */
      readonly name: string;
      readonly address: Address;
      /** The fee of every pair: a V2 pair does not tell its own. */
      readonly feePips: FeePips;
    }
  | {
      readonly kind: 'UNISWAP_V3';
      readonly name: string;
      readonly address: Address;
      /** The fee tiers to look for. */
      readonly feeTiers: readonly FeePips[];
    };

/** What never changes about a pool. */
export type PoolIdentity = {
  readonly address: Address;
  readonly source: string;
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: FeePips;
} & ({ readonly kind: 'UNISWAP_V2' } | { readonly kind: 'UNISWAP_V3'; readonly tickSpacing: number });

const factoryAbi = parseAbi([
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
]);
const selectors = {
  token0: '0x0dfe1681',
  token1: '0xd21220a7',
  fee: '0xddca3f43',
  tickSpacing: '0xd0c93a7c',
} as const;

/**
 * Asks every factory for its pool of every pair of tokens. A pool is trusted because its factory names it;
 * its tokens, fee and tick spacing are then read from the pool itself.
 */
export async function discoverPools(
  read: BatchRead,
  factories: readonly Factory[],
  tokens: readonly Address[],
): Promise<PoolIdentity[]> {
  const questions = factories.flatMap((factory) => factoryQuestions(factory, tokens));
  const answers = await read(questions.map((question) => question.read));
  const named = questions.flatMap((question, index) => {
    const pool = wordToAddress(answers[index]);
    return pool === undefined ? [] : [{ factory: question.factory, pool }];
  });
  return identifyPools(read, named, new Set(tokens));
}

type Question = { readonly factory: Factory; readonly read: Read };

function factoryQuestions(factory: Factory, tokens: readonly Address[]): Question[] {
  const questions: Question[] = [];
  for (const [index, tokenA] of tokens.entries()) {
    for (const tokenB of tokens.slice(index + 1)) {
      for (const callData of poolQuestions(factory, tokenA, tokenB)) {
        questions.push({ factory, read: { target: factory.address, callData } });
      }
    }
  }
  return questions;
}

function poolQuestions(factory: Factory, tokenA: Address, tokenB: Address): `0x${string}`[] {
  if (factory.kind === 'UNISWAP_V2') {
    return [encodeFunctionData({ abi: factoryAbi, functionName: 'getPair', args: [tokenA, tokenB] })];
  }
  return factory.feeTiers.map((fee) =>
    encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [tokenA, tokenB, fee] }),
  );
}

/** Reads from each pool what it is; pools of tokens outside the list are left out. */
export async function identifyPools(
  read: BatchRead,
  named: readonly { readonly factory: Factory; readonly pool: Address }[],
  tokens: ReadonlySet<Address>,
): Promise<PoolIdentity[]> {
  const answers = await read(
    named.flatMap(({ pool }) =>
      [selectors.token0, selectors.token1, selectors.fee, selectors.tickSpacing].map((callData) => ({
        target: pool,
        callData,
      })),
    ),
  );
  return named.flatMap(({ factory, pool }, index): PoolIdentity[] => {
    const token0 = wordToAddress(answers[4 * index]);
    const token1 = wordToAddress(answers[4 * index + 1]);
    if (token0 === undefined || token1 === undefined || !tokens.has(token0) || !tokens.has(token1)) return [];
    const shared = { address: pool, source: factory.name, token0, token1 };
    if (factory.kind === 'UNISWAP_V2') {
      return [{ ...shared, kind: factory.kind, feePips: factory.feePips }];
    }
    const fee = answers[4 * index + 2];
    const tickSpacing = answers[4 * index + 3];
    if (fee === undefined || tickSpacing === undefined) return [];
    return [
      { ...shared, kind: factory.kind, feePips: Number(fee) as FeePips, tickSpacing: Number(tickSpacing) },
    ];
  });
}

/**
 * Checks that pools are what they are said to be: their factory names them for their tokens and fee, and they say
 * the same of themselves. Gives the addresses of those that are not.
 */
export async function impostorsAmong(
  read: BatchRead,
  factories: readonly Factory[],
  pools: readonly PoolIdentity[],
): Promise<Address[]> {
  const claims = pools.map((pool) => {
    const factory = factories.find(({ name, kind }) => name === pool.source && kind === pool.kind);
    return { pool, factory, callData: factoryQuestion(pool) };
  });
  const known = claims.flatMap(({ factory, ...claim }) =>
    factory === undefined ? [] : [{ ...claim, factory }],
  );
  const answers = await read(known.map(({ factory, callData }) => ({ target: factory.address, callData })));
  const named = known.flatMap(({ factory, pool }, index) =>
    wordToAddress(answers[index]) === pool.address ? [{ factory, pool: pool.address }] : [],
  );
  const tokens = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]));
  const identities = await identifyPools(read, named, tokens);
  const confirmed = new Map(identities.map((identity) => [identity.address, identity]));
  return pools
    .filter((pool) => !isSameIdentity(pool, confirmed.get(pool.address)))
    .map(({ address }) => address);
}

function factoryQuestion({ kind, token0, token1, feePips }: PoolIdentity): `0x${string}` {
  if (kind === 'UNISWAP_V2')
    return encodeFunctionData({ abi: factoryAbi, functionName: 'getPair', args: [token0, token1] });
  return encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [token0, token1, feePips] });
}

function isSameIdentity(a: PoolIdentity, b: PoolIdentity | undefined): boolean {
  if (b === undefined || a.token0 !== b.token0 || a.token1 !== b.token1 || a.feePips !== b.feePips)
    return false;
  return a.kind !== 'UNISWAP_V3' || (b.kind === 'UNISWAP_V3' && a.tickSpacing === b.tickSpacing);
}

function wordToAddress(word: `0x${string}` | undefined): Address | undefined {
  if (word === undefined || word.length !== 66 || /^0x0{64}$/.test(word)) return undefined;
  return toAddress(`0x${word.slice(26)}`);
}
