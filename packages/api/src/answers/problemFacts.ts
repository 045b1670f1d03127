import type { FieldError, ProblemCode, RetriedCode } from '@fairway/wire';

/**
 * Why something is refused. `code`: one of the problem registry of @fairway/wire. `detail`: a sentence for the caller
 * that says what was given and what to do. `retryAfterSeconds`: given when the same request may succeed later.
 * `revision`: the revision that the plan has now, where that is the reason.
 */
export type ProblemFacts = {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly revision?: number;
  readonly retryAfterSeconds?: number;
};

/** The result of a use case: a value, or the problem that prevented it. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: ProblemFacts };

/** The most errors that one problem names, so that a short request cannot cause a very long answer. */
const MOST_ERRORS = 50;

/**
 * A successful outcome.
 *
 * @example
 * ```ts
 * import { done } from '@fairway/api';
 *
 * const outcome = done(3);
 * ```
 */
export function done<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

/**
 * A refused outcome.
 *
 * @example
 * ```ts
 * import { refuse } from '@fairway/api';
 *
 * const outcome = refuse({ code: 'not-found', detail: 'There is no such plan.' });
 * ```
 */
export function refuse<Facts extends ProblemFacts>(
  problem: Facts,
): { readonly ok: false; readonly problem: Facts } {
  return { ok: false, problem };
}

/**
 * The problem of a request with wrong fields. It names all of them, up to `MOST_ERRORS`.
 *
 * @example
 * ```ts
 * import { invalidFields } from '@fairway/api';
 *
 * const problem = invalidFields([{ pointer: '/amount', detail: 'amount must be digits.' }]);
 * ```
 */
export function invalidFields(errors: readonly FieldError[]): ProblemFacts {
  const [first] = errors;
  if (errors.length === 1 && first !== undefined) {
    return { code: 'validation-failed', detail: first.detail, errors };
  }
  const named = errors.length > MOST_ERRORS ? `the first ${MOST_ERRORS}` : 'each';
  const detail = `The request has ${errors.length} invalid fields; "errors" names ${named}.`;
  return { code: 'validation-failed', detail, errors: errors.slice(0, MOST_ERRORS) };
}

/**
 * The refusal of a request whose reference another request has used.
 *
 * @example
 * ```ts
 * import { referenceReused } from '@fairway/api';
 *
 * const outcome = referenceReused('This clientReference was used for another payment.');
 * ```
 */
export function referenceReused(detail: string) {
  return refuse({
    code: 'client-reference-reused',
    detail,
    errors: [{ pointer: '/clientReference', detail }],
  });
}

/**
 * A problem after which the same request may succeed later. The time is rounded up to whole seconds, at least one.
 *
 * @example
 * ```ts
 * import { tryLater } from '@fairway/api';
 *
 * const problem = tryLater('rate-limited', 'Too many requests.', 1);
 * ```
 */
export function tryLater(code: RetriedCode, detail: string, retryAfterSeconds: number): ProblemFacts {
  return { code, detail, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) };
}
