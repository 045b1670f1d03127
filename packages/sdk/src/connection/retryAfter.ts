/** The seconds of a Retry-After header, which is a number or a date; undefined where it says nothing. */
export function retryAfterSecondsOf(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
}
