export type { Catalogue, NotificationOperationId } from './catalogue.ts';
export type { EndpointChangeName, EndpointParts } from './endpointParts.ts';
export { eventCursor, eventOf, readableEvent } from './events.ts';
export { publishedEventsOfEndpoint } from './publishedEvents.ts';
export { type NotificationParts, registerNotifications } from './register.ts';
