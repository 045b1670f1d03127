/** Work that is looked at again and again. */
export type Rounds = {
  /** Says that there is something to do. */
  wake(): void;
  /** What the latest round failed with; undefined where it went well, and before the first. */
  failure(): unknown;
  /** Ends after the round under way. */
  stop(): Promise<void>;
};

/** What is done in each round. `stopping`: no more is to be begun. */
export type RoundsOptions = {
  round(stopping: AbortSignal): Promise<void>;
  /** How long to wait for the next round where nobody wakes it. */
  readonly pauseMs: number;
  /** A round that failed is tried again after the pause. */
  readonly onFailed: (error: unknown) => void;
};

/** Does a round at every wake and after every pause, one after the other. */
export function startRounds({ round, pauseMs, onFailed }: RoundsOptions): Rounds {
  const stopping = new AbortController();
  let isDue = true;
  let failure: unknown;
  let wakeUp = () => {};

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isDue = false;
      failure = await round(stopping.signal).then(
        () => undefined,
        (error: unknown) => error ?? new Error('A round failed'),
      );
      // While it is stopped, what it works with may go away.
      if (failure !== undefined && !stopping.signal.aborted) onFailed(failure);
      if (isDue || stopping.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const wake = () => {
    isDue = true;
    wakeUp();
  };
  const running = run();
  return {
    wake,
    failure: () => failure,
    stop() {
      stopping.abort();
      wake();
      return running;
    },
  };
}
