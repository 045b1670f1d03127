import { Type } from 'typebox';
import { LIMITS, LINE_PATTERN, Timestamp, wordOf } from './fields.ts';

/** Why a custodian holds a payment back. */
export const HOLD_REASONS = ['COMPLIANCE_REVIEW', 'INFORMATION_REQUIRED', 'BANK_DELAY', 'OTHER'] as const;

const Need = Type.String({
  minLength: 1,
  maxLength: LIMITS.holdNeedLength,
  pattern: LINE_PATTERN,
  description: 'Something that the custodian needs, as a line of text. Stored in clear: no personal data.',
  examples: ['the invoice of the payment'],
});

const REASON = wordOf(HOLD_REASONS, { description: 'Why the custodian holds the payment back.' });
const UNTIL = {
  ...Timestamp,
  description: 'Until when the custodian waits, as it said. Nothing ends then by itself.',
};

/** A hold of a payment by the custodian, in a report. */
export const HoldReport = Type.Object(
  {
    reason: REASON,
    needs: Type.Optional(
      Type.Array(Need, {
        maxItems: LIMITS.holdNeeds,
        description: 'What the custodian needs to go on. Absent or empty: the custodian decides.',
      }),
    ),
    until: Type.Optional(UNTIL),
  },
  {
    additionalProperties: false,
    description: 'With HELD: why the custodian holds the payment back, and what it needs.',
  },
);

/** A hold of a payment by the custodian, in a plan. */
export const Hold = Type.Object(
  {
    reason: REASON,
    needs: Type.Array(Need, { description: 'What the custodian needs to go on. Empty: it decides.' }),
    until: Type.Optional(UNTIL),
    heldAt: { ...Timestamp, description: 'Since when, as the report says, or when it was reported.' },
    providerReference: Type.Optional(
      Type.String({ description: "The custodian's reference, where the report named it." }),
    ),
  },
  {
    description:
      'That the custodian holds the payment back, which may still be made. Absent where it does not; the next report on the payment ends it.',
  },
);
