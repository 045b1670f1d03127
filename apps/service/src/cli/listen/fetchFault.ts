/** What was wrong with a request that got no answer, in the words of the cause: fetch itself only says that it failed. */
export function fetchFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return (cause instanceof Error && cause.message) || error.message;
}
