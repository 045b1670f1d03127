/**
 * Does somebody's work, at most this many pieces at the same time. Those who wait take turns, each with one piece.
 */
export type Turns = <Result>(whose: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes the turns of a kind of work.
 *
 * @example
 * ```ts
 * import { createTurns } from '@fairway/values';
 *
 * declare function read(organisationId: string): Promise<number>;
 * const turn = createTurns(2);
 * // Others come between these two, however many others wait.
 * await Promise.all([turn('org_a', () => read('org_a')), turn('org_a', () => read('org_a'))]);
 * ```
 */
export function createTurns(most: number): Turns {
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  function wait(whose: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(whose, [...(waiting.get(whose) ?? []), resolve]);
    return promise;
  }

  /** Starts the work of who has waited longest, and has them wait behind the others with their next. */
  function startNext(): boolean {
    const [first] = waiting;
    if (first === undefined) return false;
    const [whose, [start, ...rest]] = first;
    waiting.delete(whose);
    if (rest.length > 0) waiting.set(whose, rest);
    start?.();
    return true;
  }

  return async (whose, work) => {
    if (running === most) await wait(whose);
    else running += 1;
    try {
      return await work();
    } finally {
      // The next waiting one takes over the place, so that nobody else comes before.
      if (!startNext()) running -= 1;
    }
  };
}
