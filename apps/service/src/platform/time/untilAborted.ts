/**
 * Waits for the work. If the signal comes first, rejects with the signal's reason; a later result of the work is
 * given to `discard`.
 */
export async function untilAborted<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
  discard: (late: Result) => unknown = () => undefined,
): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const stopWaiting = () => aborted.reject(signal.reason);
  if (signal.aborted) stopWaiting();
  signal.addEventListener('abort', stopWaiting, { once: true });
  let isLate = true;
  try {
    const result = await Promise.race([aborted.promise, work]);
    isLate = false;
    return result;
  } finally {
    signal.removeEventListener('abort', stopWaiting);
    if (isLate) work.then(discard).catch(() => undefined);
  }
}
