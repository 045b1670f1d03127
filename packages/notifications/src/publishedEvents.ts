import type { PublishedEventsOfEndpoint } from '@fairway/outbox';
import { endpointBody } from './endpointBody.ts';

/**
 * The published events of a webhook endpoint. They show it as the API does, but its URL without the query, which can hold a
 * secret.
 *
 * @example
 * ```ts
 * import { publishedEventsOfEndpoint } from '@fairway/notifications';
 * import type { KeptEndpoint } from '@fairway/outbox';
 *
 * declare const endpoint: KeptEndpoint;
 * const [event] = publishedEventsOfEndpoint('webhook_endpoint.updated', endpoint);
 * ```
 */
export const publishedEventsOfEndpoint: PublishedEventsOfEndpoint = (type, endpoint) => [
  {
    type,
    subject: { type: 'webhook_endpoint', id: endpoint.endpointId },
    data: { data: { object: { ...endpointBody(endpoint), url: withoutQuery(endpoint.url) } } },
  },
];

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
