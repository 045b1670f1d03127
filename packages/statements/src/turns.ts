import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets others have the thread, after every so much work. */
export type Turns = {
  /** Counts work that was done, in steps of some microseconds. The caller awaits the result when it is a promise. */
  step(count?: number): Promise<void> | undefined;
};

/** How many steps are done in one turn of the thread: some milliseconds. */
const TURN_STEPS = 1_000;

/**
 * Makes turns of the thread. `next` begins the next one.
 *
 * @example
 * ```ts
 * import { createTurns } from '@fairway/statements';
 *
 * declare const amounts: readonly bigint[];
 * const turns = createTurns();
 * let sum = 0n;
 * for (const amount of amounts) {
 *   sum += amount;
 *   await turns.step();
 * }
 * ```
 */
export function createTurns(next: () => Promise<unknown> = nextTurn): Turns {
  let done = 0;
  return {
    step(count = 1) {
      done += count;
      if (done < TURN_STEPS) return undefined;
      done = 0;
      return next().then(() => undefined);
    },
  };
}
