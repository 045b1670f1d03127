import type { EndpointNewsOf } from '@fairway/store';
import { endpointBody } from '../http/endpointBody.ts';

/** What others are told of a webhook endpoint: as the API shows it, with its URL up to the query, which can hold a secret. */
export const endpointNews: EndpointNewsOf = (type, endpoint) => [
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
