import { Type } from 'typebox';
import { wordOf } from './fields.ts';

const EXAMPLE = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '12345678' },
};

/** A recipient with its details. */
export const GivenRecipient = Type.Object(
  { type: wordOf(['bank', 'wallet', 'emoney', 'email'], { description: 'The kind of recipient.' }) },
  {
    additionalProperties: true,
    description:
      'The other members depend on type and country: GET /v1/markets/corridors/{corridorId}/requirements gives their JSON Schema.',
    examples: [EXAMPLE],
  },
);

/** The recipient of a payment: its details, or the id of one that is saved. */
export const PaymentRecipient = Type.Object(
  {
    type: wordOf(['bank', 'wallet', 'emoney', 'email', 'saved'], {
      description: 'The kind of recipient; saved: one of POST /v1/recipients, by its recipientId.',
    }),
  },
  {
    additionalProperties: true,
    description:
      'The other members depend on type and country: GET /v1/markets/corridors/{corridorId}/requirements gives their JSON Schema. With saved there is recipientId alone: the plan takes the version that the recipient has now, and keeps it.',
    examples: [EXAMPLE, { type: 'saved', recipientId: 'rcp_0199a6f200007abc8def0123456789ab' }],
  },
);
