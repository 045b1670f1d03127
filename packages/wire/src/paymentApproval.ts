import { Type } from 'typebox';
import { LIMITS, Timestamp, wordOf } from './fields.ts';

/** The approval of a second person that a payment needs. */
export const PaymentApproval = Type.Object(
  {
    status: wordOf(['PENDING', 'APPROVED'], {
      description: 'PENDING: no instructions are given out, and nothing is to be paid.',
    }),
    version: Type.Integer({
      minimum: 1,
      description:
        'What is approved. It rises when another recipient is named, and the approval is PENDING again.',
      examples: [1],
    }),
    madeBy: Type.String({
      description:
        'The credential that made the plan, or that named its present recipient. It cannot approve.',
    }),
    approvedBy: Type.Optional(Type.String({ description: 'The credential that has approved.' })),
    approvedAt: Type.Optional(Timestamp),
  },
  { description: 'The approval of a payment by a second person; absent where none is needed.' },
);

/** Body of POST /v1/payments/{planId}/approve. */
export const ApprovalRequest = Type.Object(
  {
    version: Type.Integer({
      minimum: 1,
      maximum: LIMITS.recipientVersion,
      description:
        'approval.version of the plan that was looked at: a recipient that was named meanwhile is not approved.',
      examples: [1],
    }),
  },
  { additionalProperties: false, description: 'The payment that is approved.' },
);
