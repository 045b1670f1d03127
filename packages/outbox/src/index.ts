export { type Crossing, OUTBOX_GUARD } from './database/outboxGuard.ts';
export type { OutboxTables } from './database/schema.ts';
export type { ChangedEndpoint, EndpointChange, EndpointEdit, OfHost } from './endpoints/changeEndpoint.ts';
export type { ClaimedDelivery, DueEndpoint } from './endpoints/claim.ts';
export type { ConcludedAttempt, HeldDelivery } from './endpoints/conclude.ts';
export { type CreatedEndpoint, type EndpointCreation, MOST_ENDPOINTS } from './endpoints/createEndpoint.ts';
export type { DeliveryStatus, KeptAttempt, KeptDelivery, RecoverAsk } from './endpoints/deliveries.ts';
export {
  type EndpointNotice,
  type EndpointParts,
  endpointPlace,
  type EndpointSecrets,
  type KeptEndpoint,
  type PublishedEventsOfEndpoint,
} from './endpoints/endpoint.ts';
export { republishEndpoint } from './endpoints/republishEndpoint.ts';
export { type WebhookFigures, webhookFigures } from './endpoints/webhookFigures.ts';
export { createWebhooks, type Webhooks } from './endpoints/webhooks.ts';
export { type MarkedRestore, markRestore, type Restored } from './events/epochs.ts';
export { createEvents, type Events } from './events/events.ts';
export type { HeardPlace } from './events/heard.ts';
export type { EventAsk, EventPlace, KeptEvent, ListedEvents } from './events/listEvents.ts';
export {
  type EventSubject,
  type PublishedEvent,
  withPublishedEvents,
  writePublishedEvents,
} from './events/publishedEvents.ts';
export { startPublishing } from './events/publishing.ts';
export { createEventFeeds, type EventFeeds, type FeedPart } from './feeds/eventFeeds.ts';
export { outboxSchema } from './migrations/outboxSchema.ts';
export { startSending } from './sending/sending.ts';
