/** The embedded PostgreSQL cannot start; the message names the folder or file, the reason and the remedy. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The text of anything thrown, for use as the reason inside a longer message. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
