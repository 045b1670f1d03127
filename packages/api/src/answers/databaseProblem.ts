import type { DatabaseUnavailableError } from '@fairway/postgres';
import { type ProblemFacts, tryLater } from './problemFacts.ts';

const DATABASE_AWAY: ProblemFacts = tryLater(
  'upstream-unavailable',
  'The database does not answer at the moment; the request was not carried out. Send it again in 2 s.',
  2,
);
const OUTCOME_UNKNOWN: ProblemFacts = tryLater(
  'outcome-unknown',
  'The database stopped answering while it carried the request out, so it is not known whether it did. Send the same request ' +
    'again, a new payment with the same clientReference, or read the plan first.',
  2,
);

/** The problem of a request during which the database was unavailable. */
export function databaseProblem({
  isOutcomeUnknown,
}: Pick<DatabaseUnavailableError, 'isOutcomeUnknown'>): ProblemFacts {
  return isOutcomeUnknown ? OUTCOME_UNKNOWN : DATABASE_AWAY;
}
