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
