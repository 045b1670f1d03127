import type { EndpointNewsOf } from '@fairway/store';
import { endpointBody } from '../http/endpointBody.ts';

/** What others are told of a webhook endpoint: as the API shows it, without its secret. */
export const endpointNews: EndpointNewsOf = (type, endpoint) => [
  {
    type,
    subject: { type: 'webhook_endpoint', id: endpoint.endpointId },
    data: { data: { object: endpointBody(endpoint) } },
  },
];
