/**
 * Runs a task at once, and again an interval after each run has ended. The function returned stops it and resolves
 * when no run is under way.
 */
export function repeat(
  intervalMs: number,
  task: () => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running = Promise.resolve();
  async function run(): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (!stopped) onFailure(error);
    }
    if (!stopped) timer = setTimeout(start, intervalMs);
  }
  function start(): void {
    running = run();
  }
  start();
  return () => {
    stopped = true;
    clearTimeout(timer);
    return running;
  };
}
