import type { ProblemFacts } from '@fairway/api';
import type { OrganisationRules } from './paymentParts.ts';

/**
 * Whether details of this type need a second person's approval before they are paid. E-mailed recipients do not: they answer for their
 * details themselves.
 */
export function needsApproval({ recipientApproval }: OrganisationRules, type: unknown): boolean {
  return type !== 'email' && recipientApproval === 'REQUIRED';
}

/** The problem of details, or of a registered recipient, that nobody else has approved. */
export function notApproved(pointer: string, detail: string): ProblemFacts {
  return { code: 'recipient-not-approved', detail, errors: [{ pointer, detail }] };
}
