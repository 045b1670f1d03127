import { done, type Outcome, type ProblemFacts } from '../problems/problem.ts';
import type { PaymentParts } from './paymentParts.ts';

/**
 * Whether details of this type need a second person's approval before they are paid. E-mailed recipients do not: they answer for their
 * details themselves.
 */
export async function needsApproval(
  { organisationOf }: Pick<PaymentParts, 'organisationOf'>,
  organisationId: string,
  type: unknown,
): Promise<Outcome<boolean>> {
  if (type === 'email') return done(false);
  const organisation = await organisationOf(organisationId);
  return done(organisation.recipientApproval === 'REQUIRED');
}

/** The problem of details, or of a registered recipient, that nobody else has approved. */
export function notApproved(pointer: string, detail: string): ProblemFacts {
  return { code: 'recipient-not-approved', detail, errors: [{ pointer, detail }] };
}
