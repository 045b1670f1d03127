import type { Address } from '@fairway/engine';

/** What routes keep away from for now. */
export type AvoidedNow = { readonly tokens: ReadonlySet<Address>; readonly pools: ReadonlySet<Address> };

/** What was found to be at fault. */
type Faults = { readonly tokens: readonly Address[]; readonly pools: readonly Address[] };

/** A token or a pool that is kept away from, for how long. */
export type AvoidedPart = {
  readonly kind: 'TOKEN' | 'POOL';
  readonly address: Address;
  readonly periodMs: number;
};

/** The tokens and pools of a chain over which swaps failed, as this process remembers them. */
export type Avoided = {
  /** The same value until something is added or its time is over. */
  now(): AvoidedNow;
  /** Remembers faults. They must have been found in a simulation that no caller can influence. */
  add(faults: Faults): void;
};

/** Nothing is kept away from. */
export const NOTHING_AVOIDED: AvoidedNow = { tokens: new Set(), pools: new Set() };

/** Joins two sets of avoided parts. If one of them is NOTHING_AVOIDED, the result is the other value itself, no copy. */
export function joined(a: AvoidedNow, b: AvoidedNow): AvoidedNow {
  if (b === NOTHING_AVOIDED) return a;
  if (a === NOTHING_AVOIDED) return b;
  return { tokens: a.tokens.union(b.tokens), pools: a.pools.union(b.pools) };
}

/** How long a part is kept away from at first. It doubles each time that the part fails again soon after. */
const FIRST_PERIOD_MS = 30_000;
const LONGEST_PERIOD_MS = 15 * 60_000;

/**
 * How many parts are remembered: no more than a request may exclude. So a caller can exclude the same parts and get the same
 * route again. When there are too many, the part that may be tried again soonest is forgotten. A part that fails again and
 * again stays longest.
 */
const MOST_PARTS = 32;

type Remembered = AvoidedPart & { readonly untilMs: number };

/** Makes an empty memory. `onAdded` gets each part when it is avoided, and for how long. */
export function createAvoided(
  nowMs: () => number,
  onAdded: (part: AvoidedPart) => void = () => undefined,
): Avoided {
  const remembered = new Map<Address, Remembered>();
  let current = NOTHING_AVOIDED;
  let changesAtMs = Number.POSITIVE_INFINITY;

  function readAgain(atMs: number): void {
    const tokens = new Set<Address>();
    const pools = new Set<Address>();
    changesAtMs = Number.POSITIVE_INFINITY;
    for (const { kind, address, untilMs } of remembered.values()) {
      if (untilMs + LONGEST_PERIOD_MS <= atMs) remembered.delete(address);
      if (untilMs <= atMs) continue;
      (kind === 'TOKEN' ? tokens : pools).add(address);
      changesAtMs = Math.min(changesAtMs, untilMs);
    }
    current = tokens.size + pools.size === 0 ? NOTHING_AVOIDED : { tokens, pools };
  }

  function addPart(kind: AvoidedPart['kind'], address: Address, atMs: number): void {
    const known = remembered.get(address);
    // Several requests can find the same at once.
    if (known !== undefined && known.untilMs > atMs) return;
    const periodMs = known === undefined ? FIRST_PERIOD_MS : Math.min(2 * known.periodMs, LONGEST_PERIOD_MS);
    const part = { kind, address, periodMs };
    remembered.set(address, { ...part, untilMs: atMs + periodMs });
    if (remembered.size > MOST_PARTS) forgetSoonest();
    if (remembered.has(address)) onAdded(part);
  }

  function forgetSoonest(): void {
    const parts = [...remembered.values()];
    const { address } = parts.reduce((soonest, part) => (part.untilMs < soonest.untilMs ? part : soonest));
    remembered.delete(address);
  }

  return {
    now() {
      if (current === NOTHING_AVOIDED) return current;
      const atMs = nowMs();
      if (atMs >= changesAtMs) readAgain(atMs);
      return current;
    },
    add({ tokens, pools }) {
      const atMs = nowMs();
      readAgain(atMs);
      for (const token of tokens) addPart('TOKEN', token, atMs);
      for (const pool of pools) addPart('POOL', pool, atMs);
      readAgain(atMs);
    },
  };
}
