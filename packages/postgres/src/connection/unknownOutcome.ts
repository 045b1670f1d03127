import { DatabaseUnavailableError, thrownOf } from './unavailable.ts';

/** What one connection knows of the failures of its queries. */
export type OutcomeWatch = {
  /** Notes that a query was carried out. */
  done(text: string): void;
  /** Notes that a query failed. Answers the error to throw. */
  failed(text: string, cause: unknown): unknown;
};

/** Watches the queries of one connection and says of its failures whether their outcome is unknown. */
export function watchOutcomes(): OutcomeWatch {
  let isInTransaction = false;
  let lostCommit: DatabaseUnavailableError | undefined;
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
      const isUnknown = mayHaveWritten && cause instanceof Error && !wasRefused(cause);
      if (!isCommit || !isUnknown) return thrownOf(cause, isUnknown);
      // A commit has no values that could be wrong: whatever failed, nobody knows whether it was carried out.
      lostCommit = new DatabaseUnavailableError(cause, true);
      return lostCommit;
    },
  };
}

const BEGIN = /^\s*(?:begin|start transaction)\b/i;
const COMMIT = /^\s*commit\b/i;
const ROLLBACK = /^\s*rollback\b/i;
const END = /^\s*(?:commit|rollback)\b/i;
/** Queries that change rows, and the functions of the job queue that do. */
const WRITES = /\b(?:insert|update|delete|merge|add_job|remove_job|reschedule_jobs)\b/i;

/**
 * Whether the server answered that it did not carry the query out, or the query was never sent. A server that
 * ends the connection (57P…), and a pooler that lost the server (08…), may do so after the commit.
 */
function wasRefused(cause: Error): boolean {
  const code = 'code' in cause ? String(cause.code) : '';
  if (SQL_STATE.test(code)) return !code.startsWith('08') && !code.startsWith('57P');
  return NEVER_SENT.some((message) => cause.message.startsWith(message));
}

/** A code of the server. Its first letter is none of those that codes of the system begin with, such as EPIPE. */
const SQL_STATE = /^[0-9FHPX][0-9A-Z]{4}$/;

// Messages of pg for a query that it has not sent.
const NEVER_SENT = [
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];
