import { type Static, Type } from 'typebox';
import { Timestamp } from './fields.ts';
import { pageOf } from './pages.ts';

/** One event of a plan's history. */
export const PaymentEvent = Type.Object(
  {
    revision: Type.Integer({ minimum: 1, description: "The plan's revision after it." }),
    at: Timestamp,
    type: Type.String({ examples: ['EXECUTION_FOUND'] }),
    actor: Type.String({
      description: 'The credential, or the part of the service, that it came from; operator for a command.',
    }),
    stepId: Type.Optional(Type.String()),
    data: Type.Object({}, { additionalProperties: true, description: 'What the event says beside that.' }),
  },
  { description: 'Something that happened to a plan.' },
);
export type PaymentEvent = Static<typeof PaymentEvent>;

/** Response of GET /v1/payments/{planId}/events. */
export const PaymentEventList = pageOf(PaymentEvent, 'Oldest first.', "A page of a plan's history.");
export type PaymentEventList = Static<typeof PaymentEventList>;
