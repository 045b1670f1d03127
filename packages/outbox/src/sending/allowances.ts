import type { DueEndpoint } from '../endpoints/claim.ts';

/** How many attempts a process makes at once. Each takes a socket, and less than 100 kB. */
export const MOST_UNDER_WAY = 128;
/** How many of them are kept for the first attempt of an endpoint that has none under way. */
const KEPT_FOR_FIRST = 32;
/** How many are for one endpoint. */
const MOST_OF_ONE = 16;
/** How many for one whose last attempt failed, and for all such together: dead receivers take 15 s for each. */
const [MOST_OF_FAILING, MOST_FOR_FAILING] = [2, 32];

/** The attempts under way in a process, by endpoint and organisation. */
export type Allowances = {
  /** How many more an endpoint may begin. */
  more(endpoint: DueEndpoint): number;
  /** How many are under way for an endpoint. */
  of(endpoint: DueEndpoint): number;
  /** How many are under way for the organisation of an endpoint. */
  ofOrganisation(endpoint: DueEndpoint): number;
  /** Notes that an attempt begins; the answer notes that it has ended. */
  begin(endpoint: DueEndpoint): () => void;
};

/**
 * Shares the attempts of a process among organisations and their endpoints. No organisation gets more than it leaves to others,
 * however many endpoints it has. A part is kept for endpoints that have nothing under way. So a few endpoints that hang at once
 * do not hold up the rest; with a fixed share for each endpoint they would.
 */
export function createAllowances(): Allowances {
  const [endpoints, organisations] = [createCounts(), createCounts()];
  let [all, failing] = [0, 0];
  const of = ({ endpointId }: DueEndpoint) => endpoints.of(endpointId);
  const ofOrganisation = ({ scope }: DueEndpoint) => organisations.of(scope.organisationId);
  return {
    of,
    ofOrganisation,
    more(endpoint) {
      const free = MOST_UNDER_WAY - all;
      const own = of(endpoint);
      if (!endpoint.isFailing) {
        const first = own === 0 && free > 0 ? 1 : 0;
        const share = Math.floor((free - KEPT_FOR_FIRST - ofOrganisation(endpoint)) / 2);
        return Math.max(first, Math.min(MOST_OF_ONE - own, share));
      }
      return Math.max(0, Math.min(MOST_OF_FAILING - own, MOST_FOR_FAILING - failing, free));
    },
    begin({ endpointId, scope, isFailing }) {
      const changeBy = (count: 1 | -1) => {
        endpoints.change(endpointId, count);
        organisations.change(scope.organisationId, count);
        all += count;
        if (isFailing) failing += count;
      };
      changeBy(1);
      return () => changeBy(-1);
    },
  };
}

/** How often each name was counted; those at 0 take no memory. */
function createCounts() {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    change(name: string, by: 1 | -1) {
      const count = of(name) + by;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}
