export { sendEndpointMail } from './endpoints/endpointMail.ts';
export type { EndpointParts } from './endpoints/endpointParts.ts';
export { eventOf } from './events.ts';
export { publishedEventsOfEndpoint } from './publishedEvents.ts';
export { registerNotifications } from './register.ts';
