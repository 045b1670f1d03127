import { type Static, Type } from 'typebox';

/** One thing that is wrong with a request. */
export const FieldError = Type.Object(
  {
    pointer: Type.String({
      description:
        'JSON Pointer (RFC 6901) to the field: /amount in a body, /query/amount for a query parameter; empty for the whole body.',
    }),
    detail: Type.String({ description: 'What was given, and what to send instead.' }),
    suggestions: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Values that were probably meant, the likeliest first, such as an amount in the token's own decimals. Show them to a person; never send one without asking.",
      }),
    ),
  },
  { description: 'One thing that is wrong with the request.' },
);
export type FieldError = Static<typeof FieldError>;

/** The body of every error (RFC 9457, application/problem+json). */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Address of a page that explains the problem and its remedy.' }),
    title: Type.String({ description: 'The kind of problem in a few words; the same for every occurrence.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.Optional(Type.String({ description: 'What happened this time, and what to do.' })),
    code: Type.Optional(Type.String({ description: 'The last part of type: what programs compare.' })),
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
