/**
 * The database cannot serve at the moment. This is neither a bug nor the caller's fault, and a later attempt may
 * succeed. The message is for logs, never for a response. Queries and transactions throw this for each such failure.
 *
 * @example
 * ```ts
 * import { DatabaseUnavailableError } from '@fairway/postgres';
 *
 * declare const insert: () => Promise<void>;
 * await insert().catch((cause: unknown) => {
 *   if (!(cause instanceof DatabaseUnavailableError)) throw cause;
 *   console.error(cause.isOutcomeUnknown ? 'Look whether the row is there.' : 'Try again.');
 * });
 * ```
 */
export class DatabaseUnavailableError extends Error {
  /** The server answered, and it refuses this login or has no such database. */
  readonly isRefused: boolean;
  /**
   * The change may have been written: a COMMIT, or a single query that writes, was sent, and no answer came.
   * Without it, nothing was written.
   */
  readonly isOutcomeUnknown: boolean;
  constructor(cause: unknown, isOutcomeUnknown = false) {
    super(describe(cause), { cause });
    this.name = 'DatabaseUnavailableError';
    this.isRefused = isRefused(cause);
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

/** The error as callers get it: what says that the database is unavailable becomes the one error for that. */
export function thrownOf(cause: unknown, isOutcomeUnknown = false): unknown {
  if (cause instanceof DatabaseUnavailableError || !isUnavailable(cause)) return cause;
  return new DatabaseUnavailableError(cause, isOutcomeUnknown);
}

/**
 * Whether a query may have been carried out although it failed.
 *
 * @example
 * ```ts
 * import { isOutcomeUnknown } from '@fairway/postgres';
 *
 * declare const insert: () => Promise<void>;
 * await insert().catch((cause: unknown) => {
 *   if (!isOutcomeUnknown(cause)) throw cause;
 *   console.error('Look whether the row is there.');
 * });
 * ```
 */
export function isOutcomeUnknown(cause: unknown): cause is DatabaseUnavailableError {
  return cause instanceof DatabaseUnavailableError && cause.isOutcomeUnknown;
}

/**
 * The error, whose outcome is known now: the query was not carried out. For callers that found out.
 *
 * @example
 * ```ts
 * import { isOutcomeUnknown, withKnownOutcome } from '@fairway/postgres';
 *
 * declare const insert: () => Promise<void>;
 * declare const isThere: () => Promise<boolean>;
 * await insert().catch(async (cause: unknown) => {
 *   if (!isOutcomeUnknown(cause)) throw cause;
 *   if (!(await isThere())) throw withKnownOutcome(cause);
 * });
 * ```
 */
export function withKnownOutcome({ cause }: DatabaseUnavailableError): DatabaseUnavailableError {
  return new DatabaseUnavailableError(cause);
}

/**
 * The answer of some work, or that the database is away. For work that goes on by itself when the database is back, and for
 * answers that a caller can do without.
 *
 * @example
 * ```ts
 * import { unlessAway } from '@fairway/postgres';
 *
 * declare const countPayments: () => Promise<bigint>;
 * const counted = await unlessAway(countPayments());
 * const text = counted === 'AWAY' ? 'not known now' : String(counted);
 * ```
 */
export async function unlessAway<Answer>(work: Promise<Answer>): Promise<Answer | 'AWAY'> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return 'AWAY';
    throw error;
  }
}

/**
 * Whether an error says that the database is unavailable; every other error is a bug.
 *
 * @example
 * ```ts
 * import { isUnavailable } from '@fairway/postgres';
 *
 * declare const cause: unknown;
 * const isWorthRepeating = isUnavailable(cause);
 * ```
 */
export function isUnavailable(cause: unknown): boolean {
  if (cause instanceof DatabaseUnavailableError) return true;
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isUnavailable);
  if (!(cause instanceof Error)) return false;
  const code = 'code' in cause ? String(cause.code) : '';
  if (SYSTEM_CODES.has(code) || SQL_STATES.has(code) || SQL_STATE_CLASSES.has(code.slice(0, 2))) return true;
  return DRIVER_MESSAGES.some((message) => cause.message.startsWith(message));
}

function isRefused(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isRefused);
  if (!(cause instanceof Error)) return false;
  const code = 'code' in cause ? String(cause.code) : '';
  return code.startsWith('28') || code === '3D000' || cause.message.startsWith(NO_LOGIN);
}

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT', // the socket of a server that is down
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAGAIN', // a UNIX socket whose queue is full
]);

// Appendix A of the PostgreSQL manual.
const SQL_STATES = new Set([
  '25006', // read_only_sql_transaction: the server became a standby while we were connected
  '25P03', // idle_in_transaction_session_timeout
  '3D000', // invalid_catalog_name: the database is being restored
  '40P01', // deadlock_detected: the other transaction went on, so a second attempt succeeds
  '55P03', // lock_not_available
  '57014', // query_canceled, by the statement timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting, recovering, shutting down
  '57P05', // idle_session_timeout
]);

const SQL_STATE_CLASSES = new Set([
  '08', // connection exceptions
  '28', // invalid authorization: the operator may be changing the database's password
  '53', // insufficient resources: disk, memory, connections
  '58', // system error: input and output
]);

/** How pg's message begins when the server asks for a password and pg has none, or a wrong one. */
const NO_LOGIN = 'SASL: ';

// pg and pg-pool throw errors with these messages and without a code.
const DRIVER_MESSAGES = [
  NO_LOGIN,
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'The server does not support SSL connections',
];

function describe(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(describe).join('; ');
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? `${String(cause.code)}: ${cause.message}` : cause.message;
}
