import type { PlanScope, Store } from '@fairway/store';
import { type ProblemFacts, tryLater } from '@fairway/api';

/** How many plans of an organisation may wait for their first money. Each has an address that is watched on the chain. */
const MOST_WAITING = 100_000;

/** Refuses a plan of an organisation that has too many without money; undefined when it may be made. */
export type RefuseWaiting = (scope: PlanScope) => Promise<ProblemFacts | undefined>;

/**
 * Makes the limit of plans that wait for their first money. The plans are counted again only after half of those that may
 * still be made: far below the limit, most plans cost no query. Several processes together may exceed the limit by as
 * much.
 */
export function createWaitingLimit(
  store: { readonly payments: Pick<Store['payments'], 'countWaiting'> },
  most: number = MOST_WAITING,
): RefuseWaiting {
  const uncounted = new Map<string, number>();
  return async (scope) => {
    const name = JSON.stringify([scope.organisationId, scope.environment]);
    const left = uncounted.get(name) ?? 0;
    if (left > 0) {
      uncounted.set(name, left - 1);
      return undefined;
    }
    const counted = await store.payments.countWaiting(scope, most);
    if (counted.count >= most) return tooMany(most);
    uncounted.set(name, Math.floor((most - counted.count - 1) / 2));
    return undefined;
  };
}

function tooMany(most: number): ProblemFacts {
  return tryLater(
    'rate-limited',
    `This organisation has ${most} plans that wait for their first money: end what is not needed, or wait until some have expired.`,
    60,
  );
}
