import { untilStopped } from '@fairway/processes';
import type { EnvironmentVariables } from '../platform/config/variables.ts';

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

/** The terminal of this process: its variables, its streams, SIGINT and SIGTERM. */
export function processTerminal(): Terminal {
  // The service goes on when the reader of its log, such as a collector, has ended.
  process.stderr.on('error', () => {});
  return {
    environment: process.env,
    output: process.stdout,
    notes: process.stderr,
    untilStopped,
  };
}
