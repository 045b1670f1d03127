import type { Door } from '@fairway/api';
import { type EndpointParts, type NotificationParts, registerNotifications } from '@fairway/notifications';
import type { AuditPort } from '../../platform/audit/facts.ts';
import { CATALOGUE } from './catalogue.ts';

/** What webhook endpoints work with, beside what the service says itself. */
export type ServiceEndpointParts = Omit<EndpointParts, 'catalogue' | 'onChanged'>;

type Parts = Omit<NotificationParts, 'webhooks'> & {
  readonly webhooks: ServiceEndpointParts;
  readonly audit: AuditPort;
};

/** Registers events, their stream and webhook endpoints. The audit log has what is done to endpoints. */
export function registerServiceNotifications(door: Door, { webhooks, audit, ...parts }: Parts): void {
  const onChanged: EndpointParts['onChanged'] = ({ credentialId, organisationId }, change, endpointId) =>
    audit.record({ event: 'WEBHOOK_CHANGED', change, endpointId, credentialId, organisationId });
  registerNotifications(door, { ...parts, webhooks: { ...webhooks, catalogue: CATALOGUE, onChanged } });
}
