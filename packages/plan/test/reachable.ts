import {
  type Decision,
  decide,
  depositStep,
  type Mode,
  type Plan,
  type PlanEvent,
  swapStep,
} from '../src/index.ts';
import {
  derived,
  evidence,
  lost,
  observed,
  paidByReference,
  paidByTransaction,
  payoutFailed,
  payoutReturned,
  reported,
  retried,
  swapFailed,
  swapped,
  withheld,
} from './planEvents.ts';
import { newPlan, STEP_IDS } from './plans.ts';

const [depositId, swapId, lastId] = STEP_IDS;
/** Longer than a plan and a link live. */
const AGES_MS = 60 * 86_400_000;

/** Something that can happen, under the name that the table knows it by. */
export type NamedEvent = { readonly name: string; readonly event: PlanEvent; readonly waitedMs?: number };

/** One event of every kind and of every outcome that its kind can have. */
export function everyEvent(plan: Plan): readonly NamedEvent[] {
  const latest = Math.max(0, swapStep(plan).attempts.length - 1);
  const events: Record<string, PlanEvent> = {
    'see nothing': observed(0n),
    'see 400': observed(400n),
    'see 1000 unconfirmed': observed(1_000n, 0n),
    'see 1000': observed(1_000n),
    'see 1300': observed(1_300n),
    'report 999': reported(999n),
    'report 1000': reported(1_000n),
    derive: derived(),
    'withhold for the price': withheld('PRICE_BELOW_FLOOR'),
    'withhold for want of a route': withheld('NOT_DERIVABLE'),
    'swap confirming': swapped(evidence('s', 'CONFIRMING'), latest),
    'swap final': swapped(evidence('s', 'FINAL'), latest),
    'first swap confirming': swapped(evidence('s', 'CONFIRMING'), 0),
    'swap final in another block': swapped(evidence('s', 'FINAL', 1_500n, 'y'), latest),
    'other swap final': swapped(evidence('t', 'FINAL'), latest),
    'swap of too little': swapped(evidence('s', 'FINAL', 1_489n), latest),
    'swap of no attempt': swapped(evidence('s', 'FINAL'), 99),
    'swap that is lost': swapped(evidence('s', 'LOST'), latest),
    'swap failed': swapFailed(),
    'swap failed in f': swapFailed('f'),
    'swap lost': lost(swapId, 's'),
    'unknown swap lost': lost(swapId, 'u'),
    'paid by reference': paidByReference('R1'),
    'paid by other reference': paidByReference('R2'),
    'payment confirming': paidByTransaction(evidence('p', 'CONFIRMING')),
    'payment final': paidByTransaction(evidence('p', 'FINAL')),
    'payment of too little': paidByTransaction(evidence('p', 'FINAL', 1_499n)),
    'payment lost': lost(lastId, 'p'),
    'payout failed': payoutFailed('R1'),
    'payout returned': payoutReturned('R1'),
    'deposit lost': lost(depositId, 'd'),
    'retry deposit': retried(depositId),
    'retry swap': retried(swapId),
    'retry last': retried(lastId),
    cancel: { type: 'PLAN_CANCELLED' },
    'a moment passes': { type: 'TIME_PASSED' },
    reveal: { type: 'RECIPIENT_REVEALED' },
  };
  const named = Object.entries(events).map(([name, event]) => ({ name, event }));
  return [...named, { name: 'ages pass', event: { type: 'TIME_PASSED' }, waitedMs: AGES_MS }];
}

/** A plan, and the names of the events that led there. */
export type Reached = { readonly plan: Plan; readonly way: readonly string[] };

/** What an event does to a plan a second, or as long as the event wants, after its last change. */
export function outcomeOf(plan: Plan, { event, waitedMs = 1_000 }: NamedEvent): Decision {
  return decide(plan, event, plan.updatedAtMs + waitedMs);
}

/** Every state that the events lead to from a new plan, each with a shortest way there, nearest first. */
export function reachable(mode: Mode): readonly Reached[] {
  const fresh = newPlan({ mode });
  const found = new Map<string, Reached>([[finely(fresh), { plan: fresh, way: [] }]]);
  for (const { plan, way } of found.values()) {
    for (const named of everyEvent(plan)) {
      const decision = outcomeOf(plan, named);
      if (!decision.ok || found.has(finely(decision.plan))) continue;
      found.set(finely(decision.plan), { plan: decision.plan, way: [...way, named.name] });
    }
  }
  return [...found.values()];
}

/** Where a plan stands, as one line: its steps, what they rest on, and what became of the swap so far. */
export function standing(plan: Plan): string {
  const { attempts } = swapStep(plan);
  const steps = plan.steps.map((step) => {
    const proof = 'evidence' in step && step.evidence !== undefined ? ` ${step.evidence.status}` : '';
    return `${step.type} ${step.status}${proof}`;
  });
  const tried = attempts.findLast(({ outcome }) => outcome !== 'SUPERSEDED')?.outcome ?? 'NONE';
  const ends = [plan.ended, plan.returns.length > 0 ? 'RETURNED' : undefined].filter(
    (end) => end !== undefined,
  );
  return [...ends, ...steps, `the last attempt that counts ${tried}`].join(', ');
}

/** The same with all else that can make a difference to what happens next. */
function finely(plan: Plan): string {
  const { attempts, withheld: why } = swapStep(plan);
  const outcomes = attempts.map(({ outcome, failure }) => `${outcome}${failure === undefined ? '' : '!'}`);
  const last = plan.steps.at(-1);
  const isFailedOnce = last?.type === 'CUSTODIAN_PAYOUT' && last.attempts.length > 0;
  // What matters of older attempts is whether they were lost or failed, not how many there were.
  const older = [...new Set(outcomes.slice(0, -1))].sort();
  const { outcome, transfers } = depositStep(plan);
  return JSON.stringify([
    standing(plan),
    [outcome, transfers.length, why?.reason, older, outcomes.at(-1), isFailedOnce],
  ]);
}
