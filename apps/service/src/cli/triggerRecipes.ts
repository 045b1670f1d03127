import type { Event } from '@fairway/wire';

/** What is done with a new plan: an event of one of its steps is simulated, or it is ended. */
export type Act = { readonly step: number; readonly simulated: string } | { readonly end: object };

/** How an event of a type comes about: the plan that is made, and what is done with it. */
export type Recipe = { readonly plan: 'BANK' | 'EMAIL'; readonly acts: readonly Act[] };

const simulated = (...events: readonly string[]): Act[] =>
  events.map((event) => ({ step: STEP_OF[event.split('.')[0] ?? ''] ?? 0, simulated: event }));
const STEP_OF: Readonly<Record<string, number>> = { deposit: 0, swap: 1, payout: 2 };
const ended = (request: object = {}): Act => ({ end: request });
const PAID = simulated('deposit.exact', 'swap.done');

/** How each type comes about that `fairway trigger` makes. */
export const RECIPES = {
  'payment_plan.created': { plan: 'BANK', acts: [] },
  'payment_plan.updated': { plan: 'BANK', acts: simulated('deposit.exact') },
  'payment_plan.step.done': { plan: 'BANK', acts: simulated('deposit.exact') },
  'payment_plan.step.ready': { plan: 'BANK', acts: simulated('deposit.exact') },
  'payment_plan.step.failed': { plan: 'BANK', acts: simulated('deposit.exact', 'swap.reverted') },
  'payment_plan.step.held': { plan: 'BANK', acts: [...PAID, ...simulated('payout.held')] },
  'payment_plan.failed': { plan: 'BANK', acts: simulated('deposit.exact', 'swap.reverted') },
  'payment_plan.completed': { plan: 'BANK', acts: [...PAID, ...simulated('payout.done')] },
  'payment_plan.returned': { plan: 'BANK', acts: [...PAID, ...simulated('payout.done', 'payout.returned')] },
  'payment_plan.unallocated': { plan: 'BANK', acts: simulated('deposit.exact', 'swap.done', 'swap.again') },
  'payment_plan.cancelled': { plan: 'BANK', acts: [ended()] },
  'payment_plan.closed': {
    plan: 'BANK',
    acts: [ended({ reason: 'ABANDONED' })],
  },
  'collect_request.created': { plan: 'EMAIL', acts: PAID },
  'collect_request.sent': { plan: 'EMAIL', acts: PAID },
  'collect_request.cancelled': { plan: 'EMAIL', acts: [...PAID, ended({ reason: 'ABANDONED' })] },
} as const satisfies Partial<Record<Event['type'], Recipe>>;

/** The types of events that the command makes. */
export type TriggeredType = keyof typeof RECIPES;
