import { type Static, Type } from 'typebox';
import { FieldError } from './problem.ts';
import { PROBLEM_CODES } from './problems.ts';

/** The last part of a problem's type. A reader takes other words, too: later versions may have more. */
export const ProblemCodeWord = Type.Unsafe<string>({
  type: 'string',
  enum: [...PROBLEM_CODES],
  description:
    'The last part of type: what programs compare. More words may come; treat one that you do not know by its status.',
});

/** The body of every error (RFC 9457, application/problem+json). */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Address of a page that explains the problem and its remedy.' }),
    title: Type.String({ description: 'The kind of problem in a few words; the same for every occurrence.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.Optional(Type.String({ description: 'What happened this time, and what to do.' })),
    code: Type.Optional(ProblemCodeWord),
    errors: Type.Optional(
      Type.Array(FieldError, { description: 'Everything that is wrong, not only the first.' }),
    ),
    revision: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'revision-mismatch: the revision that the plan or the recipient has now.',
      }),
    ),
    requestId: Type.Optional(
      Type.String({ description: 'Also in the X-Request-Id header; name it when asking for help.' }),
    ),
  },
  { description: 'The body of every error (RFC 9457).' },
);
export type Problem = Static<typeof Problem>;
