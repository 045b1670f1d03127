export { registerRecipients } from './operations.ts';
export { publishedEventsOfRecipient } from './publishedEvents.ts';
