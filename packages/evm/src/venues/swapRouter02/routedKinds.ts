import type { Address, Pool } from '@fairway/engine';
import type { Factory } from '../../pools/poolKinds.ts';
import type { RouterDeployment } from './deployment.ts';
import type { RoutedKind } from './routedKind.ts';
import { ROUTED_V2 } from './routedV2.ts';
import { ROUTED_V3 } from './routedV3.ts';

/** Every kind of pool: one without an entry does not compile. Undefined: the router does not trade it. */
const ROUTED_KINDS: {
  readonly [Kind in Pool['kind']]: RoutedKind<Extract<Pool, { kind: Kind }>> | undefined;
} = {
  UNISWAP_V2: ROUTED_V2,
  UNISWAP_V3: ROUTED_V3,
};

/** The kinds of pools of which an exact output has no minimum in the swap itself. */
export const UNCHECKED_KINDS: ReadonlySet<Pool['kind']> = new Set(
  (Object.keys(ROUTED_KINDS) as Pool['kind'][]).filter(
    (kind) => ROUTED_KINDS[kind]?.isExactOutputChecked === false,
  ),
);

/** How the router trades a pool; undefined where it does not. */
export function routedKindOf(pool: Pool): RoutedKind<Pool> | undefined {
  return ROUTED_KINDS[pool.kind];
}

/** Why a SwapRouter02 does not trade with factories of exactly these kinds; undefined where it can. */
export function factoriesFault(kinds: readonly Factory['kind'][]): string | undefined {
  const traded = kinds.filter((kind) => ROUTED_KINDS[kind] !== undefined);
  return traded.filter((kind) => kind === 'UNISWAP_V3').length !== 1 || traded.length > 2
    ? 'a SWAP_ROUTER_02 trades the factories it was built with: list one UNISWAP_V3 and at most one UNISWAP_V2.'
    : undefined;
}

/** Addresses by all that they are derived from. Each takes two hashes, and a swap asks for each of its pools twice. */
const derived = new Map<string, Address | undefined>();
const MOST_DERIVED = 20_000;

/**
 * The address the router would trade at for a pool's tokens and fee, or undefined where it trades none such.
 * The router is told tokens and fees, never addresses: a pool of another factory would be silently replaced.
 */
export function routedPoolAddress(deployment: RouterDeployment, pool: Pool): Address | undefined {
  const { v2Factory, v3Factory } = deployment;
  const { kind, tokens, feePips } = pool;
  const origin = `${v2Factory} ${v3Factory} ${kind} ${tokens.join(' ')} ${feePips}`;
  if (derived.has(origin)) return derived.get(origin);
  if (derived.size >= MOST_DERIVED) derived.clear();
  const address = routedKindOf(pool)?.poolAddress(deployment, pool);
  derived.set(origin, address);
  return address;
}
