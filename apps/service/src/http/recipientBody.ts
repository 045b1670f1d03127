import type { MaskedRecipient } from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import { eip55 } from '../text/eip55.ts';

/** A masked recipient in the form of the API. */
export function recipientBody(recipient: MaskedRecipient): PaymentPlan['recipient'] {
  return recipient.type === 'wallet' ? { ...recipient, address: eip55(recipient.address) } : { ...recipient };
}
