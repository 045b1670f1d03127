/** How many attempts a process makes at once. Each takes a socket, and less than 100 kB. */
export const MOST_UNDER_WAY = 128;
/** How many of them are kept for the first attempt of an endpoint that has none under way. */
const KEPT_FOR_FIRST = 32;
/** How many are for one endpoint. */
const MOST_OF_ONE = 16;
/** How many for one whose last attempt failed, and for all such together: dead receivers take 15 s for each. */
const [MOST_OF_FAILING, MOST_FOR_FAILING] = [2, 32];

/** The attempts under way in a process, by endpoint. */
export type Allowances = {
  /** How many more an endpoint may begin. */
  more(endpointId: string, isFailing: boolean): number;
  /** How many are under way for an endpoint. */
  of(endpointId: string): number;
  /** Notes that attempts begin; the answer notes that one has ended. */
  begin(endpointId: string, isFailing: boolean): () => void;
};

/**
 * Shares the attempts of a process among endpoints. None gets more than it leaves to others, and a part is kept for endpoints that
 * have nothing under way: so a few that hang at once do not hold up the rest, as they would if each had a fixed share.
 */
export function createAllowances(): Allowances {
  const counts = new Map<string, number>();
  let [all, failing] = [0, 0];
  const of = (endpointId: string) => counts.get(endpointId) ?? 0;
  return {
    of,
    more(endpointId, isFailing) {
      const free = MOST_UNDER_WAY - all;
      const own = of(endpointId);
      if (!isFailing) {
        const first = own === 0 && free > 0 ? 1 : 0;
        return Math.max(first, Math.min(MOST_OF_ONE - own, Math.floor((free - KEPT_FOR_FIRST - own) / 2)));
      }
      return Math.max(0, Math.min(MOST_OF_FAILING - own, MOST_FOR_FAILING - failing, free));
    },
    begin(endpointId, isFailing) {
      counts.set(endpointId, of(endpointId) + 1);
      all += 1;
      if (isFailing) failing += 1;
      return () => {
        if (of(endpointId) === 1) counts.delete(endpointId);
        else counts.set(endpointId, of(endpointId) - 1);
        all -= 1;
        if (isFailing) failing -= 1;
      };
    },
  };
}
