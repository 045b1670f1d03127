/**
 * Whether a text is the code of an error, such as "ECONNECTION" or "550 5.1.1": too short a form to hold an address.
 */
export function isErrorCode(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Z0-9][A-Z0-9_. ]{0,39}$/.test(text);
}

/** The part of an error that may be kept and logged: a mail server's words may hold an address, a code cannot. */
export function errorCodeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  return [(cause as NodeJS.ErrnoException).code, cause.message].find(isErrorCode) ?? cause.name;
}
