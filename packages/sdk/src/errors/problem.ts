import type { components } from '../generated/schema.ts';
import { PROBLEM_CODES } from '../generated/problemCodes.ts';

/** The body of a refusal (RFC 9457), as it came. */
export type Problem = components['schemas']['Problem'];
/** One thing that is wrong with a request. */
export type FieldError = components['schemas']['FieldError'];
/** A code of a problem that this version knows. */
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** The problems that name the fields which are wrong. */
type FieldCode = 'validation-failed' | 'recipient-invalid' | 'amount-out-of-range' | 'insufficient-liquidity';

/** What an answer says beside its body. */
export type AnswerFacts = { readonly status: number; readonly retryAfterSeconds?: number };

/** The service has refused a request, for a reason that this version knows. */
export class ProblemError<Code extends ProblemCode = ProblemCode> extends Error {
  override readonly name = 'ProblemError';
  readonly code: Code;
  readonly status: number;
  readonly problem: Problem;
  /** What is wrong with the request, field by field; empty where the problem is not about fields. */
  readonly errors: Code extends FieldCode ? readonly FieldError[] : readonly FieldError[] | undefined;
  /** The revision that the plan or the recipient has now. */
  readonly revision: Code extends 'revision-mismatch' ? number : number | undefined;
  /** Name it when you ask for help. */
  readonly requestId: string | undefined;
  /** After how many seconds the same request may succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, problem: Problem, { status, retryAfterSeconds }: AnswerFacts) {
    super(messageOf(problem));
    this.code = code;
    this.status = status;
    this.problem = problem;
    this.errors = (problem.errors ?? []) as this['errors'];
    this.revision = problem.revision as this['revision'];
    this.requestId = problem.requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The service has refused a request, for a reason that this version does not know: `problem.code` has it. */
export class UnknownProblemError extends Error {
  override readonly name = 'UnknownProblemError';
  readonly code = 'unknown-problem';
  readonly status: number;
  readonly problem: Problem;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, { status, retryAfterSeconds }: AnswerFacts) {
    super(messageOf(problem));
    this.status = status;
    this.problem = problem;
    this.requestId = problem.requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

function messageOf({ title, detail, errors = [] }: Problem): string {
  const fields = errors.map((error) => `\n  ${error.pointer}: ${error.detail}`);
  return `${title}${detail === undefined ? '' : `: ${detail}`}${fields.join('')}`;
}

/** The error of a refusal. */
export function problemError(problem: Problem, facts: AnswerFacts): ProblemError | UnknownProblemError {
  const code = PROBLEM_CODES.find((known) => known === problem.code);
  return code === undefined
    ? new UnknownProblemError(problem, facts)
    : new ProblemError(code, problem, facts);
}
