import type { PublishedEvent } from '@fairway/outbox';
import type { Plan } from '@fairway/plan';
import type { EndToEndId } from '../keys/endToEndIds.ts';

/**
 * The published events about the change from one plan to the next, in their order; `before` is undefined when the
 * plan is new. AGAIN: the state of the plan, without a change.
 */
export type PublishedEventsOfPlan = (
  before: Plan | 'AGAIN' | undefined,
  after: Plan,
) => readonly PublishedEvent[];

/** What every change of a plan works with: the service's clock, and the makers of published events and of ids. */
export type ChangeParts = {
  readonly now: () => Date;
  readonly publishedEventsOfPlan: PublishedEventsOfPlan;
  readonly endToEndId: EndToEndId;
};
