/** Does pieces of work, at most so many at the same time; the others wait in the order of their calls. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes the turns of a kind of work. */
export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the turn, so that nobody else comes before.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
