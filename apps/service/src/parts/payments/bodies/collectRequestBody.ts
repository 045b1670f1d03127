import { type CollectRequest, collectRequestIdOf, collectStatusOf, type Plan } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { CollectRequest as CollectRequestView, PublishedCollectRequest } from '@fairway/wire';
import type { FoundRound } from '../links/rounds.ts';
import { holdBody } from '../holds.ts';
import { type Answer, type Outcome, revisionTag, timestampOf } from '@fairway/api';
import { recipientBody } from './recipientBody.ts';

/** The answer with a round and the entity tag of its plan, or with the problem of the outcome. */
export function roundAnswer(outcome: Outcome<FoundRound>): Answer<CollectRequestView> {
  if (!outcome.ok) return outcome;
  const { plan } = outcome.value;
  const headers = { etag: revisionTag(plan.revision) };
  return { ok: true, body: roundBody(outcome.value), headers, place: plan.corridor.id };
}

/** A round in the form of the API. */
export function roundBody({ plan, request, createdAtMs }: FoundRound): CollectRequestView {
  return { ...collectRequestBody(plan, request), createdAt: timestampOf(createdAtMs) };
}

/** A round of asking the recipient of a plan, as published events show it. */
export function collectRequestBody(plan: Plan, request: CollectRequest): PublishedCollectRequest {
  const { round, version, link, destination, submittedAtMs, delivery, hold } = request;
  return {
    collectRequestId: collectRequestIdOf(plan.planId, round),
    planId: plan.planId,
    clientReference: plan.clientReference,
    round,
    status: collectStatusOf(request),
    linkVersion: version,
    ...defined({
      mail: link?.mail,
      expiresAt: link && timestampOf(link.expiresAtMs),
      openedAt: link?.openedAtMs === undefined ? undefined : timestampOf(link.openedAtMs),
      requestedAt: link?.requestedAtMs === undefined ? undefined : timestampOf(link.requestedAtMs),
      // The plan no longer knows who was asked in an earlier round.
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
          hold: hold && holdBody(hold),
        }),
      },
    }),
  };
}
