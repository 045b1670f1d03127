import type { Door } from '@fairway/api';
import { createEventFeeds, type Events } from '@fairway/outbox';
import type { Environment } from '@fairway/values';
import type { Logger } from 'pino';
import type { NotificationOperationId } from './catalogue.ts';
import type { EndpointParts } from './endpointParts.ts';
import { registerEvents } from './events.ts';
import { registerEventStream } from './eventStream.ts';
import { registerWebhooks } from './webhooks.ts';

/** What notifications work with. `environment`: whose events are read here. */
export type NotificationParts = {
  readonly environment: Environment;
  readonly events: Pick<Events, 'list' | 'heard' | 'resends'>;
  readonly webhooks: EndpointParts;
  readonly log: Logger;
};

/**
 * Registers events, their stream and webhook endpoints.
 *
 * @example
 * ```ts
 * import type { Door } from '@fairway/api';
 * import { type NotificationParts, registerNotifications } from '@fairway/notifications';
 *
 * declare const door: Door;
 * declare const parts: NotificationParts;
 * registerNotifications(door, parts);
 * ```
 */
export function registerNotifications(
  { registrar, server }: Pick<Door<NotificationOperationId>, 'registrar' | 'server'>,
  { environment, events, webhooks, log }: NotificationParts,
): void {
  const { catalogue } = webhooks;
  const feeds = createEventFeeds(environment, events, log);
  server.addHook('preClose', async () => feeds.close());
  registerEvents(registrar, events, catalogue);
  registerEventStream(registrar, { events, feeds, catalogue });
  registerWebhooks(registrar, webhooks);
}
