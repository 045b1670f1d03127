import { type CollectRequest, collectRequestIdOf, defined, type Plan } from '@fairway/plan';
import { recipientBody } from '../http/recipientBody.ts';
import { timestampOf } from '../time/timestamp.ts';

/** How a round of asking a recipient stands. */
type CollectStatus =
  | 'WAITING'
  | 'SENT'
  | 'OPENED'
  | 'SUBMITTED'
  | 'DELIVERED'
  | 'FAILED'
  | 'RETURNED'
  | 'EXPIRED'
  | 'CANCELLED';

/** A round of asking the recipient of a plan, in the form of the API. */
export function collectRequestBody(plan: Plan, request: CollectRequest): object {
  const { round, version, link, destination, submittedAtMs, delivery } = request;
  return {
    collectRequestId: collectRequestIdOf(plan.planId, round),
    planId: plan.planId,
    clientReference: plan.clientReference,
    round,
    status: statusOf(request),
    linkVersion: version,
    ...defined({
      mail: link?.mail,
      expiresAt: link && timestampOf(link.expiresAtMs),
      openedAt: link?.openedAtMs === undefined ? undefined : timestampOf(link.openedAtMs),
      // Of an earlier round the plan does not know any more who was asked.
      recipient:
        link !== undefined && plan.recipient.type === 'email' ? recipientBody(plan.recipient) : undefined,
      destination: destination && recipientBody(destination),
      submittedAt: submittedAtMs === undefined ? undefined : timestampOf(submittedAtMs),
      delivery: delivery && {
        status: delivery.status,
        ...defined({
          providerReference: delivery.providerReference,
          txHash: delivery.evidence?.txHash,
          failure: delivery.failure,
        }),
      },
    }),
  };
}

function statusOf({ link, delivery, submittedAtMs }: CollectRequest): CollectStatus {
  const status = delivery?.status;
  if (status === 'DELIVERED' || status === 'FAILED' || status === 'RETURNED') return status;
  // A link goes without a choice when the swap is taken back.
  return link?.state ?? (submittedAtMs === undefined ? 'CANCELLED' : 'SUBMITTED');
}
