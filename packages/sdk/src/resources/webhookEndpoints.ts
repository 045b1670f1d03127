import { bodyOf, type CallOptions, type Connection } from '../connection/connection.ts';
import { from, type List, listOf } from '../connection/lists.ts';
import type { QueryOf } from '../connection/parameters.ts';
import type { components } from '../generated/schema.ts';

type Schemas = components['schemas'];
/** An endpoint that events are sent to. Its `secret` is in the answer alone that has made it. */
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
/** An endpoint to make. */
export type WebhookEndpointRequest = Schemas['WebhookEndpointRequest'];
/** What was sent of an event. */
export type WebhookDelivery = Schemas['WebhookDelivery'];

/** Endpoints that events are sent to. */
export type WebhookEndpoints = {
  create(request: WebhookEndpointRequest, options?: CallOptions): Promise<WebhookEndpoint>;
  get(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint>;
  list(options?: CallOptions): List<WebhookEndpoint>;
  update(
    endpointId: string,
    edit: Schemas['WebhookEndpointEdit'],
    options?: CallOptions,
  ): Promise<WebhookEndpoint>;
  delete(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint>;
  enable(endpointId: string, options?: CallOptions): Promise<WebhookEndpoint>;
  test(endpointId: string, options?: CallOptions): Promise<Schemas['TestedWebhookEndpoint']>;
  rotateSecret(
    endpointId: string,
    request?: Schemas['WebhookSecretRotation'],
    options?: CallOptions,
  ): Promise<WebhookEndpoint>;
  recover(
    endpointId: string,
    request: Schemas['WebhookRecovery'],
    options?: CallOptions,
  ): Promise<Schemas['RecoveredEvents']>;
  deliveries(
    endpointId: string,
    query?: QueryOf<'listWebhookDeliveries'>,
    options?: CallOptions,
  ): List<WebhookDelivery>;
  resend(endpointId: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
};

/** The webhook endpoints of a service. */
export function createWebhookEndpoints(connection: Connection): WebhookEndpoints {
  const { api, sending } = connection;
  const sent = (endpointId: string, options?: CallOptions) => ({
    params: { path: { endpointId } },
    ...sending(options),
  });
  return {
    create: (body, options) =>
      bodyOf(api.POST('/v1/webhook_endpoints', { body, ...sending(options, body.clientReference) })),
    get: (endpointId, options) =>
      bodyOf(api.GET('/v1/webhook_endpoints/{endpointId}', sent(endpointId, options))),
    list: (options) => listOf(() => bodyOf(api.GET('/v1/webhook_endpoints', sending(options)))),
    update: (endpointId, body, options) =>
      bodyOf(api.PATCH('/v1/webhook_endpoints/{endpointId}', { body, ...sent(endpointId, options) })),
    delete: (endpointId, options) =>
      bodyOf(api.DELETE('/v1/webhook_endpoints/{endpointId}', sent(endpointId, options))),
    enable: (endpointId, options) =>
      bodyOf(api.POST('/v1/webhook_endpoints/{endpointId}/enable', sent(endpointId, options))),
    test: (endpointId, options) =>
      bodyOf(api.POST('/v1/webhook_endpoints/{endpointId}/test', sent(endpointId, options))),
    rotateSecret: (endpointId, body = {}, options) =>
      bodyOf(
        api.POST('/v1/webhook_endpoints/{endpointId}/rotate-secret', { body, ...sent(endpointId, options) }),
      ),
    recover: (endpointId, body, options) =>
      bodyOf(api.POST('/v1/webhook_endpoints/{endpointId}/recover', { body, ...sent(endpointId, options) })),
    ...createDeliveries(connection),
  };
}

function createDeliveries({ api, sending }: Connection): Pick<WebhookEndpoints, 'deliveries' | 'resend'> {
  return {
    deliveries: (endpointId, query = {}, options) =>
      listOf((cursor) => {
        const params = { path: { endpointId }, query: from(query, cursor) };
        return bodyOf(
          api.GET('/v1/webhook_endpoints/{endpointId}/deliveries', { params, ...sending(options) }),
        );
      }),
    resend(endpointId, deliveryId, options) {
      const path = '/v1/webhook_endpoints/{endpointId}/deliveries/{deliveryId}/resend';
      return bodyOf(api.POST(path, { params: { path: { endpointId, deliveryId } }, ...sending(options) }));
    },
  };
}
