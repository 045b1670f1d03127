import type { FieldError, ProblemCode } from '@fairway/wire';

/**
 * Why something is refused. `code` is one of wire's registry; `detail` is a sentence for the caller: what was given, what
 * to do. With `retryAfterSeconds` the refusal passes by itself.
 */
export type ProblemFacts = {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
};

/** What a use case results in: a value, or the problem that prevented it. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: ProblemFacts };

/** Errors named in one problem: a short request must not be able to ask for a very long answer. */
const MOST_ERRORS = 50;

/** A successful outcome. */
export function done<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

/** A refused outcome. */
export function refuse<Facts extends ProblemFacts>(
  problem: Facts,
): { readonly ok: false; readonly problem: Facts } {
  return { ok: false, problem };
}

/** The problem of fields that are wrong: all of them. */
export function invalidFields(errors: readonly FieldError[]): ProblemFacts {
  const [first] = errors;
  if (errors.length === 1 && first !== undefined) {
    return { code: 'validation-failed', detail: first.detail, errors };
  }
  const named = errors.length > MOST_ERRORS ? `the first ${MOST_ERRORS}` : 'each';
  const detail = `The request has ${errors.length} invalid fields; "errors" names ${named}.`;
  return { code: 'validation-failed', detail, errors: errors.slice(0, MOST_ERRORS) };
}

/** A problem that passes by itself. The time is rounded up to whole seconds, at least one. */
export function tryLater(
  code: 'market-stale' | 'upstream-unavailable' | 'overloaded' | 'rate-limited',
  detail: string,
  retryAfterSeconds: number,
): ProblemFacts {
  return { code, detail, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) };
}
