import type { PublishedEventsOfPlan } from '../events/publishedEvents.ts';

/** What every change of a plan works with: the service's clock, and the maker of published events. */
export type ChangeParts = { readonly now: () => Date; readonly publishedEventsOfPlan: PublishedEventsOfPlan };
