import { createEventFeeds, type Events } from '@fairway/outbox';
import type { Door } from '@fairway/api';
import type { Logger } from 'pino';
import type { AuditPort } from '../../platform/audit/facts.ts';
import type { EndpointParts } from './endpoints/endpointParts.ts';
import { registerEvents } from './events.ts';
import { registerEventStream } from './eventStream.ts';
import { registerWebhooks } from './webhooks.ts';

/** What notifications work with. */
type NotificationParts = {
  readonly environment: 'sandbox' | 'production';
  readonly events: Pick<Events, 'list' | 'heard' | 'resends'>;
  readonly webhooks: EndpointParts;
  readonly audit: AuditPort;
  readonly log: Logger;
};

/** Registers events, their stream and webhook endpoints. */
export function registerNotifications({ registrar, server }: Door, parts: NotificationParts): void {
  const { environment, events, webhooks, audit, log } = parts;
  const feeds = createEventFeeds(environment, events, log);
  server.addHook('preClose', async () => feeds.close());
  registerEvents(registrar, events);
  registerEventStream(registrar, events, feeds);
  registerWebhooks(registrar, webhooks, audit);
}
