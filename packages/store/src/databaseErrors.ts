/** The constraint or unique index that a statement broke, as PostgreSQL names it. */
export function violatedConstraint(cause: unknown): string | undefined {
  if (codeOf(cause) !== '23505') return undefined;
  return String((cause as { constraint?: unknown }).constraint);
}

/** Whether a statement gave up waiting for a lock that another transaction held. */
export function isLockTimeout(cause: unknown): boolean {
  return codeOf(cause) === '55P03';
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
