import { acknowledgementOf } from '../book/acknowledgement.ts';
import { closingsOf } from '../book/closings.ts';
import { isLinkLive } from '../collect/collectRules.ts';
import { defined } from '../terms/defined.ts';
import type { Decision, PlanEvent } from '../plan/events.ts';
import { lostPartsOf } from '../payout/lostParts.ts';
import { pendingTransactionsOf, withoutPendingTransactions } from '../swap/pendingTransactions.ts';
import { pendingPayoutsOf } from '../payout/pendingPayouts.ts';
import { payer } from '../payout/payoutReview.ts';
import { lastStep } from '../book/payoutTurn.ts';
import {
  changed,
  collectStep,
  evidenceOf,
  notReady,
  refused,
  unchanged,
  withStep,
} from '../plan/planSteps.ts';
import { planStatus } from '../next/planStatus.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Closing, Plan, PlanEnd } from '../plan/types.ts';
import { swapTransactions } from '../next/work.ts';

type Closed = Extract<PlanEvent, { type: 'PLAN_CLOSED' }>;

/**
 * A sentence about a payment or a transaction that may still change where the money is; undefined when there is none.
 *
 * @example
 * ```ts
 * import { type Plan, underWay } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isSafeToClose = underWay(plan) === undefined;
 * ```
 */
export function underWay(plan: Plan): string | undefined {
  const last = plan.steps.at(-1);
  const pending = [...pendingTransactionsOf(plan), ...pendingPayoutsOf(plan)].at(-1);
  if (pending !== undefined) return `The transaction ${pending.txHash} was submitted and may still be mined.`;
  const swap = swapTransactions(plan).filter((txHash) => !isFinal(plan, txHash));
  const payout = last === undefined || last.type === 'EXECUTE_SWAP' ? undefined : evidenceOf(last);
  const paid = payout === undefined || payout.status === 'FINAL' ? [] : [payout.txHash];
  const [txHash] = [...swap, ...paid, ...lostPartsOf(plan).map((part) => part.txHash)];
  if (txHash !== undefined)
    return `The transaction ${txHash} is not final: it may still be mined or taken back.`;
  if (lastStep(plan)?.hold !== undefined)
    return `The payment is held by ${payer(plan)} and may still be made: report FAILED when the custodian gives it up.`;
  const delivery = collectStep(plan)?.delivery;
  return delivery?.status === 'SENT' ? 'The custodian has sent the money to the recipient.' : undefined;
}

function isFinal({ steps }: Plan, txHash: string): boolean {
  return steps.some((step) => {
    const evidence = evidenceOf(step);
    return evidence?.txHash === txHash && evidence.status === 'FINAL';
  });
}

/**
 * Ends a plan for the integrator, who has seen the money that is left: it is recorded as acknowledged. A plan that has
 * ended in another way keeps its status.
 */
export function onPlanClosed(plan: Plan, event: Closed, atMs: TimeMs): Decision {
  const acknowledged = acknowledgementOf(plan);
  if (acknowledged.length === 0 && isClosedForGood(plan))
    return closingsOf(plan).some((closing) => isSameClosing(closing, event))
      ? unchanged(plan)
      : notReady(plan, `The plan was ended already (${plan.closed?.reason}), and no money is left.`);
  const detail = underWay(plan);
  if (detail !== undefined && !event.force)
    return refused({
      reason: 'EXECUTION_PENDING',
      detail: `${detail} End the plan when that has come to its end, or send force: true if you know that it never will.`,
    });
  const closed: Closing = {
    reason: event.reason,
    ...defined({ note: event.note }),
    acknowledged,
    movements: plan.ledger?.length ?? 0,
    atMs,
    forced: detail !== undefined,
  };
  const keepsStatus = KEPT.has(planStatus(plan));
  const ended = withoutPendingTransactions(
    keepsStatus ? plan : { ...withoutLiveLink(plan), ended: endOf(event, atMs) },
  );
  const earlier = closingsOf(plan);
  return changed({ ...ended, closed: { ...closed, ...(earlier.length === 0 ? {} : { earlier }) } });
}

function endOf({ reason, note }: Closed, atMs: TimeMs): PlanEnd {
  return { reason, atMs, ...defined({ note }) };
}

/**
 * Whether a plan was closed and has no other status to be closed from. A payment that comes back makes such a plan
 * RETURNED.
 */
function isClosedForGood(plan: Plan): boolean {
  return plan.closed !== undefined && KEPT.has(planStatus(plan));
}

/** The statuses of plans that have ended: ending them once more only records what was there. */
const KEPT: ReadonlySet<string> = new Set(['COMPLETED', 'ENDED']);

/**
 * Whether the plan has ended and no money of it is left to be paid. A payment that came back counts as left while its
 * money is there.
 *
 * @example
 * ```ts
 * import { isSettled, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const mayForget = isSettled(plan); // its recipient's details are not needed any more
 * ```
 */
export function isSettled(plan: Plan): boolean {
  const status = planStatus(plan);
  return KEPT.has(status) || (status === 'RETURNED' && acknowledgementOf(plan).length === 0);
}

/** The recipient of a plan that is closed has nothing to choose any more. */
function withoutLiveLink(plan: Plan): Plan {
  const step = collectStep(plan);
  const { link } = step ?? {};
  if (step === undefined || link === undefined || !isLinkLive(link)) return plan;
  return withStep(plan, { ...step, link: { ...link, state: 'CANCELLED' } });
}

function isSameClosing(closed: Closing, { reason, note }: Closed): boolean {
  return closed.reason === reason && closed.note === note;
}
