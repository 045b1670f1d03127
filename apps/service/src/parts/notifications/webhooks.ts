import type { KeptDelivery } from '@fairway/outbox';
import { defined } from '@fairway/values';
import { DELIVERY_STATUSES, LIMITS } from '@fairway/wire';
import type { AuditFact, AuditPort } from '../../platform/audit/facts.ts';
import {
  actingOf,
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
import type { EndpointParts } from './endpoints/endpointParts.ts';
import { endpointRefused, NO_SUCH_ENDPOINT } from './endpoints/endpointProblems.ts';
import {
  readEndpointEdit,
  readEndpointRequest,
  readOverlap,
  readRecovery,
} from './endpoints/endpointRequests.ts';
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
} from './endpoints/endpoints.ts';
import { deliveryBody, endpointBody, shownEndpointBody } from './endpointBody.ts';

/** Registers the operations on webhook endpoints. */
export function registerWebhooks(registrar: Registrar, parts: EndpointParts, audit: AuditPort): void {
  registerEndpoints(registrar, parts, audit);
  registerChanges(registrar, parts, audit);
  registerSending(registrar, parts);
}

type Changed = Extract<AuditFact, { event: 'WEBHOOK_CHANGED' }>['change'];

function factOf({ caller }: Call, change: Changed, endpointId: string): AuditFact {
  const { credentialId, organisationId } = caller;
  return { event: 'WEBHOOK_CHANGED', change, endpointId, credentialId, organisationId };
}

function endpointIdOf({ params }: Call): string {
  return params['endpointId'] ?? '';
}

function answerOf(shown: Outcome<ShownEndpoint>): Answer<unknown> {
  return shown.ok ? { ok: true, body: shownEndpointBody(shown.value) } : shown;
}

function registerEndpoints(registrar: Registrar, parts: EndpointParts, audit: AuditPort): void {
  registrar.submit('createWebhookEndpoint', {
    input: (fields) => readEndpointRequest(fields, parts.rule),
    async answer(request, call) {
      const made = await makeEndpoint(parts, actingOf(call).scope, request);
      if (!made.ok) return made;
      const { endpoint, isReplayed } = made.value;
      if (!isReplayed) audit.record(factOf(call, 'CREATED', endpoint.endpointId));
      const headers = {
        location: `/v1/webhook_endpoints/${endpoint.endpointId}`,
        ...(isReplayed ? { 'idempotent-replayed': 'true' } : {}),
      };
      return { ok: true, body: shownEndpointBody(made.value), headers };
    },
  });
  registrar.find('listWebhookEndpoints', {
    async answer(_, call) {
      const listed = await listEndpoints(parts, actingOf(call).scope);
      return listed.ok ? { ok: true, body: { data: listed.value.map(endpointBody) } } : listed;
    },
  });
  registrar.find('getWebhookEndpoint', {
    answer: async (_, call) => answerOf(await findEndpoint(parts, actingOf(call).scope, endpointIdOf(call))),
  });
}

/** The operations that change an endpoint. Each that was carried out is recorded. */
function registerChanges(registrar: Registrar, parts: EndpointParts, audit: AuditPort): void {
  const recorded = (call: Call, change: Changed, shown: Outcome<ShownEndpoint>): Answer<unknown> => {
    if (shown.ok) audit.record(factOf(call, change, endpointIdOf(call)));
    return answerOf(shown);
  };
  registrar.submit('changeWebhookEndpoint', {
    input: (fields) => readEndpointEdit(fields, parts.rule),
    async answer(edit, call) {
      const change = { type: 'EDITED', ...edit } as const;
      const changed = await changeEndpoint(parts, actingOf(call).scope, endpointIdOf(call), change);
      return recorded(call, 'EDITED', changed);
    },
  });
  registrar.submit('deleteWebhookEndpoint', {
    async answer(_, call) {
      const change = { type: 'DELETED' } as const;
      const changed = await changeEndpoint(parts, actingOf(call).scope, endpointIdOf(call), change);
      return recorded(call, 'DELETED', changed);
    },
  });
  registrar.submit('enableWebhookEndpoint', {
    async answer(_, call) {
      const change = { type: 'ENABLED' } as const;
      const changed = await changeEndpoint(parts, actingOf(call).scope, endpointIdOf(call), change);
      return recorded(call, 'ENABLED', changed);
    },
  });
  registrar.submit('rotateWebhookSecret', {
    input: (fields) => readOverlap(fields, parts.nowMs()),
    async answer(overlapSeconds, call) {
      const rotated = await rotateSecret(parts, actingOf(call).scope, endpointIdOf(call), overlapSeconds);
      return recorded(call, 'SECRET_ROTATED', rotated);
    },
  });
}

/** The operations on what is sent. */
function registerSending(registrar: Registrar, parts: EndpointParts): void {
  registrar.submit('testWebhookEndpoint', {
    async answer(_, call) {
      const tested = await testEndpoint(parts, actingOf(call).scope, endpointIdOf(call));
      if (!tested.ok) return tested;
      return { ok: true, body: { eventId: tested.value, deliveryId: deliveryIdOf(tested.value) } };
    },
  });
  registrar.submit('recoverWebhookEndpoint', {
    input: (fields) => readRecovery(fields, parts.nowMs()),
    async answer(ask, call) {
      const outcome = await recoverEvents(parts, actingOf(call).scope, endpointIdOf(call), ask);
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
          const listed = await parts.webhooks.listDeliveries(actingOf(call).scope, endpointId, ask);
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
      const { scope } = actingOf(call);
      const { deliveryId = '' } = call.params;
      const resent = await resendDelivery(parts, scope, endpointIdOf(call), deliveryId);
      return resent.ok ? { ok: true, body: deliveryBody(resent.value) } : resent;
    },
  });
  registrar.submit('resendEvent', {
    input: (fields) => ({ endpointId: optional(fields, 'endpointId', textField(64)) }),
    async answer({ endpointId }, call) {
      const { eventId = '' } = call.params;
      const resent = await resendEvent(parts, actingOf(call).scope, eventId, endpointId);
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
