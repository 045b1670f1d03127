export { publishedEventsOfCredential } from './publishedEvents.ts';
