/** How many places an organisation has beside others: few while the database or the nodes are slow, else many. */
export type BesidePlaces = {
  /** The number of places now; not a whole number. */
  now(): number;
  /**
   * Notes how long a request took from its start to its answer. `kind`: answers of one kind take equally long while
   * nothing delays them. `isBounded`: its organisation could use more places.
   */
  note(kind: string, tookMs: number, isBounded: boolean): void;
};

/** A request that takes this many times as long as when nothing delays it, and this much longer, is delayed. */
const DELAYED_TIMES = 2;
const DELAYED_BY_MS = 5;
/** The number of places at the start, and the fewest at any time. */
const FEWEST = 1;
/** A delayed request takes away this part of the places, and each other request adds this much. */
const LESS = 0.1;
const MORE = 0.1;
/** How fast the least time of a kind follows times that are all longer. */
const FORGETTING = 1 / 1_000;

/**
 * Makes the places of one need. A database or a node answers many requests at the same time, and in no fair order. Only
 * fewer requests of an organisation leave time for those of others. The right number depends on what answers, a local
 * node or one far away. So it is measured: when there are too many requests, more and more of them are delayed. While a
 * part `f` of the requests is delayed, the places tend to `(1 - f) / f`. Only an organisation that needs more places
 * adds some, so that there are few at the start of a flood.
 * @param most - The number of places that is reached when nothing is delayed for long.
 * @example const places = createBesidePlaces(16); places.note('planSwap 200', 12, true); places.now() // 1.1
 */
export function createBesidePlaces(most: number): BesidePlaces {
  let places = FEWEST;
  const leastMs = new Map<string, number>();
  return {
    now: () => places,
    note(kind, tookMs, isBounded) {
      const least = Math.min(leastMs.get(kind) ?? tookMs, tookMs);
      leastMs.set(kind, least + (tookMs - least) * FORGETTING);
      const isDelayed = tookMs > Math.max(DELAYED_TIMES * least, least + DELAYED_BY_MS);
      if (isDelayed) places = Math.max(FEWEST, places * (1 - LESS));
      else if (isBounded) places = Math.min(most, places + MORE);
    },
  };
}
