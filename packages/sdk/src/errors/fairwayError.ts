import { type ProblemCode, ProblemError, UnknownProblemError } from './problem.ts';
import { ExecutionError, UnsafeAnswerError, WebhookError } from './refusals.ts';
import { AnswerError, ConnectionError, TimeoutError } from './transport.ts';

/** Everything that this package throws, told apart by `code`. An aborted call throws the reason of its signal. */
export type FairwayError =
  | { [Code in ProblemCode]: ProblemError<Code> }[ProblemCode]
  | UnknownProblemError
  | ConnectionError
  | TimeoutError
  | AnswerError
  | UnsafeAnswerError
  | ExecutionError
  | WebhookError;

const CLASSES = [
  ProblemError,
  UnknownProblemError,
  ConnectionError,
  TimeoutError,
  AnswerError,
  UnsafeAnswerError,
  ExecutionError,

  WebhookError,
] as const;

/**
 * Whether something that was caught is an error of this package, so that its `code` tells what happened.
 *
 * @example
 * ```ts
 * import { createFairway, isFairwayError } from '@fairway/sdk';
 *
 * const fairway = createFairway({ url: 'http://127.0.0.1:8080', username: 'demo', password: 'secret' });
 * try {
 *   await fairway.payments.get('plan_0');
 * } catch (error) {
 *   if (!isFairwayError(error) || error.code !== 'not-found') throw error;
 * }
 * ```
 */
export function isFairwayError(error: unknown): error is FairwayError {
  return CLASSES.some((known) => error instanceof known);
}
