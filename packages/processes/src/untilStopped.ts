/** How often it is looked whether the parent process still runs. */
const PARENT_CHECK_MS = 500;
/** How long an orderly end may take before the process exits anyway. */
const CLOSE_TIMEOUT_MS = 3500;

/**
 * A signal that aborts when this process shall end: at SIGINT and SIGTERM. `withParent`: also when the process that
 * started this one has ended. A process that does not end then is ended soon after.
 *
 * @example
 * ```ts
 * import { untilStopped } from '@fairway/processes';
 *
 * untilStopped(false).addEventListener('abort', () => console.log('ending'));
 * ```
 */
export function untilStopped(withParent: boolean): AbortSignal {
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
}
