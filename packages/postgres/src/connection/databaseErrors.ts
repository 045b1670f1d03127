import { DatabaseUnavailableError } from './unavailable.ts';

/**
 * The name of the constraint or unique index that a query violated; undefined for any other error.
 *
 * @example
 * ```ts
 * import { violatedConstraint } from '@fairway/postgres';
 *
 * declare const insert: () => Promise<void>;
 * await insert().catch((cause: unknown) => {
 *   if (violatedConstraint(cause) !== 'payments_reference') throw cause;
 * });
 * ```
 */
export function violatedConstraint(cause: unknown): string | undefined {
  if (codeOf(cause) !== '23505') return undefined;
  return String((cause as { constraint?: unknown }).constraint);
}

/**
 * Whether a query gave up waiting for a lock that another transaction held.
 *
 * @example
 * ```ts
 * import { isLockTimeout } from '@fairway/postgres';
 *
 * declare const cause: unknown;
 * const reason = isLockTimeout(cause) ? 'IN_PROGRESS' : 'FAILED';
 * ```
 */
export function isLockTimeout(cause: unknown): boolean {
  return cause instanceof DatabaseUnavailableError && codeOf(cause.cause) === '55P03';
}

/**
 * Whether PostgreSQL ended a transaction because it and another one waited for each other. Nothing of it was written, the
 * other one went on, and a second try succeeds.
 *
 * @example
 * ```ts
 * import { isDeadlock } from '@fairway/postgres';
 *
 * declare const transfer: () => Promise<void>;
 * await transfer().catch((cause: unknown) => {
 *   if (!isDeadlock(cause)) throw cause;
 *   return transfer();
 * });
 * ```
 */
export function isDeadlock(cause: unknown): boolean {
  return cause instanceof DatabaseUnavailableError && codeOf(cause.cause) === '40P01';
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
