import type { EnvironmentVariables } from '../config/environmentVariables.ts';

/** What a command line has around it: the variables, where it prints, and the signal that ends it. */
export type Terminal = {
  readonly environment: EnvironmentVariables;
  /** What was asked for: results, in text or JSON. */
  readonly output: TextStream;
  /** What else there is to say: progress, warnings, errors and the log. */
  readonly notes: TextStream & {
    /** Whether somebody watches, so that a line may be written over. */
    readonly isTTY?: boolean;
  };
  /** Aborts when the command shall end. `withParent`: also when the process that started this one has ended. */
  untilStopped(withParent: boolean): AbortSignal;
};

/** Where text is written to. */
export type TextStream = { write(text: string): unknown };

/** How often it is looked whether the parent process still runs. */
const PARENT_CHECK_MS = 500;
/** How long an orderly end may take before the process exits anyway. */
const CLOSE_TIMEOUT_MS = 3500;

/** The terminal of this process: its variables, its streams, SIGINT and SIGTERM. */
export function processTerminal(): Terminal {
  // The service goes on when the reader of its log, such as a collector, has ended.
  process.stderr.on('error', () => {});
  return {
    environment: process.env,
    output: process.stdout,
    notes: process.stderr,
    untilStopped(withParent) {
      const stopping = new AbortController();
      // Under npm a signal to the process group arrives twice, because npm passes it on as well: both are handled.
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort());
      if (withParent) {
        const parent = process.ppid;
        setInterval(() => {
          if (process.ppid !== parent) stopping.abort();
        }, PARENT_CHECK_MS).unref();
      }
      // Exits even when the start or the end hangs: the guardian ends the processes that this one started.
      stopping.signal.addEventListener('abort', () => {
        setTimeout(() => process.exit(1), CLOSE_TIMEOUT_MS).unref();
      });
      return stopping.signal;
    },
  };
}
