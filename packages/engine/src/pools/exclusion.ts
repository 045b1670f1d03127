import type { Address, Exclusions, Pool } from '../types.ts';

/** Why a request may not use a pool. */
export type ExclusionReason = 'EXCLUDED_SOURCE' | 'EXCLUDED_TOKEN' | 'EXCLUDED_POOL';

/** Says why a pool may not be used; undefined where it may. */
export type Exclusion = (pool: Pool) => ExclusionReason | undefined;

type ExcludingRequest = Exclusions & { readonly tokenIn: Address; readonly tokenOut: Address };

/** The rule of a request's exclusions; undefined where it excludes nothing, so that nothing has to be asked. */
export function exclusionOf(request: ExcludingRequest): Exclusion | undefined {
  const { tokenIn, tokenOut, excludeSources: sources } = request;
  const { excludeTokens: tokens, excludePools: pools } = request;
  if (sources.size + (tokens?.size ?? 0) + (pools?.size ?? 0) === 0) return undefined;
  // The ends of a trade have to be traded, whatever is excluded.
  const isExcluded = (token: Address): boolean =>
    tokens?.has(token) === true && token !== tokenIn && token !== tokenOut;
  return ({ source, address, tokens: traded }) => {
    if (sources.has(source)) return 'EXCLUDED_SOURCE';
    if (traded.some(isExcluded)) return 'EXCLUDED_TOKEN';
    return pools?.has(address) ? 'EXCLUDED_POOL' : undefined;
  };
}

/** A text; equal exclusions have equal texts. */
export function exclusionKey({ excludeSources, excludeTokens, excludePools }: Exclusions): string {
  return [excludeSources, excludeTokens, excludePools].map(keyOfSet).join(' ');
}

/** A caller passes the same set again and again while its exclusions stay the same. */
const knownKeys = new WeakMap<ReadonlySet<string>, string>();

function keyOfSet(set: ReadonlySet<string> | undefined): string {
  if (set === undefined || set.size === 0) return '';
  const known = knownKeys.get(set);
  if (known !== undefined) return known;
  const key = JSON.stringify([...set].sort());
  knownKeys.set(set, key);
  return key;
}
