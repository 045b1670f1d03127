import type { PlannedRecipient } from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import { eip55 } from '@fairway/api';

/**
 * A masked recipient in the form of the API, without the registered recipient that it was taken from: the plan says that in
 * another field.
 */
export function recipientBody({
  registeredAs: _registeredAs,
  ...recipient
}: PlannedRecipient): PaymentPlan['recipient'] {
  return recipient.type === 'wallet' ? { ...recipient, address: eip55(recipient.address) } : { ...recipient };
}
