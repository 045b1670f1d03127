/**
 * Waits for the work, but no longer than the patience lasts. Resolves with the work's result, or with undefined when
 * time is over; a failure of the work after that is ignored.
 */
export async function withPatience<Result>(
  work: Promise<Result>,
  patienceMs: number,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeOver = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patienceMs, undefined);
  });
  try {
    return await Promise.race([work, timeOver]);
  } finally {
    clearTimeout(timer);
  }
}
