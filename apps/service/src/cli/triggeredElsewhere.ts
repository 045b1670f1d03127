import type { Event } from '@fairway/wire';
import type { TriggeredType } from './triggerRecipes.ts';

/** The cause of events that `fairway trigger` does not make. A sentence goes on with it after "is told when". */
export const BROUGHT_ABOUT: Readonly<Record<Exclude<Event['type'], TriggeredType>, string>> = {
  'payment_plan.expired': 'no money comes in time: POST /v1/sandbox/clock moves the time',
  'collect_request.updated': 'you use POST /v1/payments/{planId}/again while a link can be used',
  'collect_request.bounced': 'the mail server refuses the e-mail with the link',
  'collect_request.opened': 'the recipient opens the link, which /sandbox/mailbox shows',
  'collect_request.link_requested': 'the recipient asks for a new one on the page of a link that has ended',
  'collect_request.submitted':
    'the recipient has chosen on the page of the link, which /sandbox/mailbox shows',
  'collect_request.delivered':
    'what the recipient has chosen on their page is paid: simulate payout.done of that step',
  'collect_request.failed':
    'what the recipient has chosen on their page cannot be paid: simulate payout.failed of that step',
  'collect_request.expired': 'a link ends unused: POST /v1/sandbox/clock moves the time',
  'collect_request.reissued': 'you use POST /v1/payments/{planId}/again after a link has ended',
  'recipient.created': 'you use POST /v1/recipients',
  'recipient.updated': 'you use PATCH /v1/recipients/{recipientId} or PUT …/verification',
  'recipient.approved': 'another credential uses POST /v1/recipients/{recipientId}/approve',
  'recipient.rejected': 'another credential uses POST /v1/recipients/{recipientId}/reject',
  'recipient.deactivated': 'you use DELETE /v1/recipients/{recipientId}',
  'recipient.erased': 'you use POST /v1/recipients/{recipientId}/erase',
  'webhook_endpoint.updated':
    'you make or change an endpoint: POST /v1/webhook_endpoints, PATCH …/{endpointId}',
  'webhook_endpoint.failing': 'a receiver has had no success for an hour',
  'webhook_endpoint.recovered': 'a receiver that was failing takes an event again',
  'webhook_endpoint.disabled': 'a receiver answers 410, or has failed for five days',
  'webhook_endpoint.test': 'you use POST /v1/webhook_endpoints/{endpointId}/test',
  'report.updated': 'you use POST /v1/reports',
  'report.completed': 'a report of POST /v1/reports is ready',
  'report.failed': 'a report of POST /v1/reports cannot be made',
  'statement.imported': 'you use POST /v1/reconciliation/statements',
  'statement_entry.updated':
    'another file of POST /v1/reconciliation/statements, or a movement, tells more of an entry',
  'statement_entry.matched':
    'an entry is found among the movements, or you use POST /v1/reconciliation/entries/{entryId}/match',
  'statement_entry.unmatched': 'you use POST /v1/reconciliation/entries/{entryId}/unmatch',
  'statement_entry.ignored': 'you use POST /v1/reconciliation/entries/{entryId}/ignore',
  'credential.created': 'the operator uses fairway credentials create',
  'credential.rotated': 'the operator uses fairway credentials rotate',
  'credential.revoked': 'the operator uses fairway credentials revoke',
  'service.recovered': 'the operator has put the database back and uses fairway recover',
};
