import type { KeptDelivery } from '@fairway/outbox';
import { defined } from '@fairway/values';
import { DELIVERY_STATUSES, LIMITS } from '@fairway/wire';
import {
  addError,
  type Answer,
  type Call,
  cursorField,
  type Fields,
  integerField,
  type ListPartAsk,
  optional,
  type Outcome,
  pageAnswer,
  refuse,
  type Registrar,
  sealOf,
  textField,
  timestampOf,
  wordField,
} from '@fairway/api';
import type { NotificationOperationId } from './catalogue.ts';
import type { EndpointChangeName, EndpointParts } from './endpointParts.ts';
import { endpointRefused, NO_SUCH_ENDPOINT } from './endpointProblems.ts';
import { readEndpointEdit, readEndpointRequest, readOverlap, readRecovery } from './endpointRequests.ts';
import {
  changeEndpoint,
  deliveryIdOf,
  ENDPOINT_ID,
  findEndpoint,
  listEndpoints,
  makeEndpoint,
  recoverEvents,
  resendDelivery,
  resendEvent,
  rotateSecret,
  type ShownEndpoint,
  testEndpoint,
} from './endpoints.ts';
import { deliveryBody, endpointBody, shownEndpointBody } from './endpointBody.ts';

/** Registers the operations on webhook endpoints. */
export function registerWebhooks(registrar: Door, parts: EndpointParts): void {
  registerEndpoints(registrar, parts);
  registerChanges(registrar, parts);
  registerSending(registrar, parts);
}

type Door = Registrar<NotificationOperationId>;

function endpointIdOf({ params }: Call): string {
  return params['endpointId'] ?? '';
}

function answerOf(shown: Outcome<ShownEndpoint>): Answer<unknown> {
  return shown.ok ? { ok: true, body: shownEndpointBody(shown.value) } : shown;
}

function registerEndpoints(registrar: Door, parts: EndpointParts): void {
  const { catalogue } = parts;
  registrar.submit('createWebhookEndpoint', {
    input: (fields) => readEndpointRequest(fields, parts),
    async answer(request, call) {
      const made = await makeEndpoint(parts, catalogue.scopeOf(call), request);
      if (!made.ok) return made;
      const { endpoint, isReplayed } = made.value;
      if (!isReplayed) parts.onChanged(call.caller, 'CREATED', endpoint.endpointId);
      const headers = {
        location: `${catalogue.root}/webhook_endpoints/${endpoint.endpointId}`,
        ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
      };
      return { ok: true, body: shownEndpointBody(made.value), headers };
    },
  });
  registrar.find('listWebhookEndpoints', {
    async answer(_, call) {
      const listed = await listEndpoints(parts, catalogue.scopeOf(call));
      return listed.ok ? { ok: true, body: { data: listed.value.map(endpointBody) } } : listed;
    },
  });
  registrar.find('getWebhookEndpoint', {
    answer: async (_, call) =>
      answerOf(await findEndpoint(parts, catalogue.scopeOf(call), endpointIdOf(call))),
  });
}

/** The operations that change an endpoint. Each that was carried out is recorded. */
function registerChanges(registrar: Door, parts: EndpointParts): void {
  const { catalogue } = parts;
  const recorded = (
    call: Call,
    change: EndpointChangeName,
    shown: Outcome<ShownEndpoint>,
  ): Answer<unknown> => {
    if (shown.ok) parts.onChanged(call.caller, change, endpointIdOf(call));
    return answerOf(shown);
  };
  registrar.submit('changeWebhookEndpoint', {
    input: (fields) => readEndpointEdit(fields, parts),
    async answer(edit, call) {
      const change = { type: 'EDITED', ...edit } as const;
      const changed = await changeEndpoint(parts, catalogue.scopeOf(call), endpointIdOf(call), change);
      return recorded(call, 'EDITED', changed);
    },
  });
  registrar.submit('deleteWebhookEndpoint', {
    async answer(_, call) {
      const change = { type: 'DELETED' } as const;
      const changed = await changeEndpoint(parts, catalogue.scopeOf(call), endpointIdOf(call), change);
      return recorded(call, 'DELETED', changed);
    },
  });
  registrar.submit('enableWebhookEndpoint', {
    async answer(_, call) {
      const change = { type: 'ENABLED' } as const;
      const changed = await changeEndpoint(parts, catalogue.scopeOf(call), endpointIdOf(call), change);
      return recorded(call, 'ENABLED', changed);
    },
  });
  registrar.submit('rotateWebhookSecret', {
    input: (fields) => readOverlap(fields, parts.nowMs()),
    async answer(overlapSeconds, call) {
      const rotated = await rotateSecret(parts, catalogue.scopeOf(call), endpointIdOf(call), overlapSeconds);
      return recorded(call, 'SECRET_ROTATED', rotated);
    },
  });
}

/** The operations on what is sent. */
function registerSending(registrar: Door, parts: EndpointParts): void {
  const { catalogue } = parts;
  registrar.submit('testWebhookEndpoint', {
    async answer(_, call) {
      const tested = await testEndpoint(parts, catalogue.scopeOf(call), endpointIdOf(call));
      if (!tested.ok) return tested;
      return { ok: true, body: { eventId: tested.value, deliveryId: deliveryIdOf(tested.value) } };
    },
  });
  registrar.submit('recoverWebhookEndpoint', {
    input: (fields) => readRecovery(fields, { nowMs: parts.nowMs(), catalogue }),
    async answer(ask, call) {
      const outcome = await recoverEvents(parts, catalogue.scopeOf(call), endpointIdOf(call), ask);
      if (!outcome.ok) return outcome;
      const { recovered, nextMs } = outcome.value;
      const nextSince = nextMs === undefined ? undefined : timestampOf(nextMs);
      return { ok: true, body: { recovered, ...defined({ nextSince }) } };
    },
  });
  registrar.page('listWebhookDeliveries', {
    input: readDeliveryList,
    answer({ status, page, seal }, call) {
      const endpointId = endpointIdOf(call);
      return pageAnswer<KeptDelivery>(page, {
        seal,
        async read({ limit, after }) {
          if (!ENDPOINT_ID.test(endpointId)) return refuse(NO_SUCH_ENDPOINT);
          const before = after === undefined ? undefined : BigInt(after);
          const ask = { limit, status, before };
          const listed = await parts.webhooks.listDeliveries(catalogue.scopeOf(call), endpointId, ask);
          if (!listed.ok) return refuse(endpointRefused(listed));
          return { ok: true, value: { items: listed.deliveries, next: listed.next?.toString() } };
        },
        bodyOf: deliveryBody,
        placeOf: ({ position }) => String(position),
      });
    },
  });
  registrar.submit('resendWebhookDelivery', {
    async answer(_, call) {
      const scope = catalogue.scopeOf(call);
      const { deliveryId = '' } = call.params;
      const resent = await resendDelivery(parts, scope, endpointIdOf(call), deliveryId);
      return resent.ok ? { ok: true, body: deliveryBody(resent.value) } : resent;
    },
  });
  registrar.submit('resendEvent', {
    input: (fields) => ({ endpointId: optional(fields, 'endpointId', textField(64)) }),
    async answer({ endpointId }, call) {
      const { eventId = '' } = call.params;
      const resent = await resendEvent(parts, catalogue.scopeOf(call), eventId, endpointId);
      return resent.ok ? { ok: true, body: { data: resent.value.map(deliveryBody) } } : resent;
    },
  });
}

function readDeliveryList(fields: Fields, call: Call) {
  const status = optional(fields, 'status', wordField(DELIVERY_STATUSES));
  const seal = sealOf('deliveries', { endpointId: endpointIdOf(call), status });
  const limit = optional(fields, 'limit', integerField(LIMITS.pageSize)) ?? LIMITS.pageSize.default;
  const after = optional(fields, 'cursor', cursorField(seal));
  if (after !== undefined && !/^\d{1,18}$/.test(after))
    addError(fields, 'cursor', 'cursor must be the nextCursor of the page before.');
  const page: ListPartAsk = { limit, after };
  return { status, page, seal };
}
