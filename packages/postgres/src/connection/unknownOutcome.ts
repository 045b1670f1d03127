/** Failures after which nobody knows whether the database carried the statement out. */
const UNKNOWN = new WeakSet<object>();

/**
 * Whether a statement may have been carried out although it failed. A COMMIT was sent, or a single statement that
 * writes. Then the connection was lost, or nothing came back in time.
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
export function isOutcomeUnknown(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && UNKNOWN.has(cause);
}

/**
 * The error, whose outcome is known from now on: the statement was not carried out. For callers that found out.
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
export function withKnownOutcome<Cause>(cause: Cause): Cause {
  UNKNOWN.delete(cause as object);
  return cause;
}

/** What one connection knows of the failures of its statements. */
export type OutcomeWatch = {
  /** Notes that a statement was carried out. */
  done(text: string): void;
  /** Notes that a statement failed. Answers the error to throw. */
  failed(text: string, cause: unknown): unknown;
};

/** Watches the statements of one connection and marks the failures whose outcome is unknown. */
export function watchOutcomes(): OutcomeWatch {
  let isInTransaction = false;
  let lostCommit: unknown;
  return {
    done(text) {
      if (BEGIN.test(text)) {
        isInTransaction = true;
        lostCommit = undefined;
      }
      if (END.test(text)) isInTransaction = false;
    },
    failed(text, cause) {
      // After a lost COMMIT a rollback is tried, and its failure would hide that of the COMMIT.
      if (ROLLBACK.test(text) && lostCommit !== undefined) return lostCommit;
      const isCommit = COMMIT.test(text);
      const mayHaveWritten = isCommit || (!isInTransaction && WRITES.test(text));
      if (!mayHaveWritten || !(cause instanceof Error) || wasRefused(cause)) return cause;
      UNKNOWN.add(cause);
      if (isCommit) lostCommit = cause;
      return cause;
    },
  };
}

const BEGIN = /^\s*(?:begin|start transaction)\b/i;
const COMMIT = /^\s*commit\b/i;
const ROLLBACK = /^\s*rollback\b/i;
const END = /^\s*(?:commit|rollback)\b/i;
/** Statements that change rows, and the functions of the job queue that do. */
const WRITES = /\b(?:insert|update|delete|merge|add_job|remove_job|reschedule_jobs)\b/i;

/**
 * Whether the server answered that it did not carry the statement out, or the statement was never sent. A server that
 * ends the connection (57P…), and a pooler that lost the server (08…), may do so after the commit.
 */
function wasRefused(cause: Error): boolean {
  const code = 'code' in cause ? String(cause.code) : '';
  if (SQL_STATE.test(code)) return !code.startsWith('08') && !code.startsWith('57P');
  return NEVER_SENT.some((message) => cause.message.startsWith(message));
}

/** A code of the server. Its first letter is not one with which codes of the system begin, such as EPIPE. */
const SQL_STATE = /^[0-9FHPX][0-9A-Z]{4}$/;

// Messages of pg for a statement that it has not sent.
const NEVER_SENT = [
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];
