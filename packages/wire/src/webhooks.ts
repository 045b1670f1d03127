import { type Static, Type } from 'typebox';
import { LIMITS, LINE_PATTERN, REFERENCE_PATTERN, Timestamp, wordOf } from './fields.ts';
import { pageLimit } from './pages.ts';

/** The form of an endpoint's id. */
export const ENDPOINT_ID_PATTERN = '^whe_[0-9a-f]{32}$';
/** The form of a delivery's id. */
export const DELIVERY_ID_PATTERN = '^whd_[0-9a-f]{32}$';
/** The form of an event's id. */
export const EVENT_ID_PATTERN = '^evt_[0-9a-f]{32}$';

/** How a delivery can stand. */
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const;
/** Which events are recovered. */
export const RECOVERED = ['UNDELIVERED', 'ALL'] as const;

/** Limits of webhooks. */
export const WEBHOOK_LIMITS = {
  types: 64,
  descriptionLength: 256,
  urlLength: 2048,
  pemLength: 20_000,
  overlapDays: 7,
} as const;

const EndpointId = Type.String({
  pattern: ENDPOINT_ID_PATTERN,
  description: 'Unique identifier of a webhook endpoint.',
  examples: [`whe_${'0'.repeat(32)}`],
});
const EventId = Type.String({
  pattern: EVENT_ID_PATTERN,
  description: 'Unique identifier of an event.',
  examples: [`evt_${'0'.repeat(32)}`],
});
const Url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_LIMITS.urlLength,
  description:
    'Where events are sent: https, a public host, port 443 or from 1024 on, no credentials and no fragment. The built-in sandbox also takes http to this machine.',
  examples: ['https://hooks.example.com/fairway'],
});
const Types = Type.Array(
  Type.String({ description: 'A type of events, the beginning of types followed by .*, or * for all.' }),
  {
    minItems: 1,
    maxItems: WEBHOOK_LIMITS.types,
    description: 'Which events are sent. payment_plan.* is every type that begins so. Default: all.',
    examples: [['payment_plan.*', 'collect_request.delivered']],
  },
);
const Description = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_LIMITS.descriptionLength,
  pattern: LINE_PATTERN,
  description: 'A text of your own. Stored in clear.',
});
const Headers = Type.Record(Type.String(), Type.String(), {
  description:
    'At most 20 headers to send along, such as authorization. Their values are sealed and never shown again.',
  examples: [{}],
});
const Pem = Type.String({ minLength: 1, maxLength: WEBHOOK_LIMITS.pemLength });
const ClientCertificate = Type.Object(
  {
    cert: { ...Pem, description: 'The certificate and its chain, in PEM form.' },
    key: { ...Pem, description: 'Its private key in PEM form, without a passphrase.' },
  },
  {
    additionalProperties: false,
    description:
      'With what the service proves itself to the receiver (mutual TLS). It is sealed and never shown again.',
  },
);

/** Body of POST /v1/webhook_endpoints. */
export const EndpointRequest = Type.Object(
  {
    url: Url,
    types: Type.Optional(Types),
    description: Type.Optional(Description),
    headers: Type.Optional(Headers),
    clientCertificate: Type.Optional(ClientCertificate),
    clientReference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.clientReferenceLength,
        pattern: REFERENCE_PATTERN,
        description:
          'Your own id of the endpoint: the same request with it is carried out once. Stored in clear.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A URL that is told of events.' },
);

/** Body of PATCH /v1/webhook_endpoints/{endpointId}. */
export const EndpointEdit = Type.Object(
  {
    url: Type.Optional(Url),
    types: Type.Optional(Types),
    description: Type.Optional(Type.Union([Description, Type.Null()])),
    headers: Type.Optional({
      ...Headers,
      description:
        'All headers anew. They are needed with a URL of another host, if there were any; {} takes them away.',
    }),
    clientCertificate: Type.Optional(
      Type.Union([ClientCertificate, Type.Null()], {
        description:
          'Another one, or null for none. It is needed with a URL of another host, if there was one.',
      }),
    ),
  },
  { additionalProperties: false, description: 'What is to be changed. A member that is left out stays.' },
);

/** Body of POST /v1/webhook_endpoints/{endpointId}/rotate-secret. */
export const RotateRequest = Type.Object(
  {
    overlap: Type.Optional(
      Type.String({
        description:
          'For how long events are signed with the former secret too, as an ISO 8601 duration of at most seven days. Default: P1D. PT0S: not at all.',
        examples: ['P1D'],
      }),
    ),
  },
  { additionalProperties: false },
);

/** Body of POST /v1/webhook_endpoints/{endpointId}/recover. */
export const RecoverRequest = Type.Object(
  {
    since: { ...Timestamp, description: 'Events that happened then or later.' },
    until: Type.Optional({ ...Timestamp, description: 'Events that happened before. Default: now.' }),
    types: Type.Optional({ ...Types, description: 'Only these types of the endpoint.' }),
    only: Type.Optional(
      wordOf(RECOVERED, {
        description:
          'UNDELIVERED: events that were not delivered, also those without any delivery. ALL: everything again.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Body of POST /v1/events/{eventId}/resend. */
export const ResendRequest = Type.Object(
  {
    endpointId: Type.Optional({
      ...EndpointId,
      description: 'Only to this endpoint, whatever its types. Default: to all that want it.',
    }),
  },
  { additionalProperties: false },
);

/** Path of an endpoint. */
export const EndpointPath = Type.Object({ endpointId: EndpointId });
/** Path of a delivery. */
export const DeliveryPath = Type.Object({
  endpointId: EndpointId,
  deliveryId: Type.String({
    pattern: DELIVERY_ID_PATTERN,
    description: 'Identifier of a delivery of the endpoint.',
  }),
});
/** Path of an event. */
export const EventPath = Type.Object({ eventId: EventId });

/** Query of GET /v1/webhook_endpoints/{endpointId}/deliveries. */
export const DeliveriesQuery = Type.Object(
  {
    status: Type.Optional(wordOf(DELIVERY_STATUSES, { description: 'Only those that stand so.' })),
    limit: pageLimit('deliveries'),
    cursor: Type.Optional(
      Type.String({ description: 'nextCursor of the page before, with the same filters.' }),
    ),
  },
  { additionalProperties: false },
);

/** An endpoint as it is shown. */
export const WebhookEndpoint = Type.Object(
  {
    endpointId: EndpointId,
    url: Type.String({ description: 'Where events are sent.' }),
    types: Type.Array(Type.String(), { description: 'Which events are sent; * is all.' }),
    description: Type.Optional(Type.String()),
    clientReference: Type.Optional(Type.String()),
    headerNames: Type.Array(Type.String(), { description: 'The headers that are sent along.' }),
    hasClientCertificate: Type.Boolean({ description: 'Whether the service shows a client certificate.' }),
    status: wordOf(['ENABLED', 'DISABLED'], { description: 'DISABLED: nothing is sent.' }),
    disabledReason: Type.Optional(
      wordOf(['GONE', 'FAILING', 'DELETED'], {
        description:
          'GONE: the receiver answered 410. FAILING: no attempt had succeeded for five days. DELETED: it was deleted.',
      }),
    ),
    failingSince: Type.Optional({
      ...Timestamp,
      description: 'When the first attempt after the last success failed.',
    }),
    secret: Type.Optional(
      Type.String({
        description:
          'What events are signed with: whsec_ and 32 bytes in base64. Shown once, when it is made.',
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { description: 'A URL that is told of events.' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** Response of GET /v1/webhook_endpoints. */
export const WebhookEndpointList = Type.Object({
  data: Type.Array(WebhookEndpoint, { description: 'All of the organisation, newest first.' }),
  nextCursor: Type.Optional(Type.String({ description: 'Always absent: the endpoints are one page.' })),
});

/** An attempt to deliver an event. */
export const WebhookAttempt = Type.Object(
  {
    at: Timestamp,
    status: Type.Optional(Type.Integer({ description: 'The status that the receiver answered.' })),
    error: Type.Optional(Type.String({ description: 'Why there is no status, as a word.' })),
    durationMs: Type.Integer({ minimum: 0 }),
  },
  { description: 'An attempt. Only the status of the answer is kept.' },
);

/** An event for an endpoint. */
export const WebhookDelivery = Type.Object(
  {
    deliveryId: Type.String({ pattern: DELIVERY_ID_PATTERN, description: 'Unique within its endpoint.' }),
    endpointId: EndpointId,
    eventId: EventId,
    type: Type.String({ description: 'The type of the event.' }),
    status: wordOf(DELIVERY_STATUSES, {
      description:
        'PENDING: an attempt is due or under way. DELIVERED: the receiver answered 2xx. FAILED: the last attempt failed too. CANCELLED: the endpoint was disabled before.',
    }),
    attempts: Type.Array(WebhookAttempt, { description: 'The newest 20, oldest first.' }),
    nextAttemptAt: Type.Optional({ ...Timestamp, description: 'When the next attempt is due.' }),
    createdAt: Timestamp,
  },
  { description: 'An event for an endpoint.' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** Response of GET /v1/webhook_endpoints/{endpointId}/deliveries. */
export const WebhookDeliveryList = Type.Object({
  data: Type.Array(WebhookDelivery, { description: 'Newest event first.' }),
  nextCursor: Type.Optional(Type.String({ description: 'Present when there are more.' })),
});

/** Response of POST /v1/events/{eventId}/resend. */
export const ResentDeliveries = Type.Object({
  data: Type.Array(WebhookDelivery, { description: 'What is sent again.' }),
});

/** Response of POST /v1/webhook_endpoints/{endpointId}/test. */
export const TestedEndpoint = Type.Object({
  eventId: { ...EventId, description: 'The event that was made for this endpoint.' },
  deliveryId: Type.String({
    pattern: DELIVERY_ID_PATTERN,
    description: 'Its delivery, within a second or so.',
  }),
});

/** Response of POST /v1/webhook_endpoints/{endpointId}/recover. */
export const RecoveredEvents = Type.Object({
  recovered: Type.Integer({ minimum: 0, description: 'How many events are sent, at most 10,000.' }),
  nextSince: Type.Optional({
    ...Timestamp,
    description: 'Present when there are more: send the request again with this as since.',
  }),
});
