import { acknowledgementOf } from './acknowledgement.ts';
import { closingsOf } from './closings.ts';
import { isLinkLive } from './collectRules.ts';
import { defined } from './defined.ts';
import type { Decision, PlanEvent } from './events.ts';
import { lostPartsOf } from './lostParts.ts';
import { pendingTransactionsOf, withoutPendingTransactions } from './pendingTransactions.ts';
import { pendingPayoutsOf } from './pendingPayouts.ts';
import { isSameAsset } from './money.ts';
import { payer } from './payoutReview.ts';
import { lastStep } from './payoutTurn.ts';
import { changed, collectStep, evidenceOf, notReady, refused, unchanged, withStep } from './planSteps.ts';
import { planStatus } from './planStatus.ts';
import type { TimeMs } from './scalars.ts';
import type { Acknowledged, Closing, Plan } from './types.ts';
import { swapTransactions } from './work.ts';

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
 * Closes a plan for the integrator, who names all money that is left. A plan that has ended in another way keeps its
 * status, and what was named is recorded.
 */
export function onPlanClosed(plan: Plan, event: Closed, atMs: TimeMs): Decision {
  const acknowledge = acknowledgementOf(plan);
  const isRepeated = closingsOf(plan).some((closing) => isSameClosing(closing, event));
  if (acknowledge.length === 0 && isClosedForGood(plan))
    return isRepeated
      ? unchanged(plan)
      : notReady(
          plan,
          `The plan was closed already (${plan.closed?.reason}). Leave it closed: no money is left to name.`,
        );
  // Money that came since then has to be named, even if the same request was accepted before. Otherwise nobody would
  // notice that money.
  if (!isSameMoney(acknowledge, event.acknowledge))
    return refused({ reason: 'ACKNOWLEDGEMENT_MISMATCH', acknowledge });
  if (isRepeated && acknowledge.length > 0)
    return notReady(
      plan,
      'The plan was closed with these very words already, and money came since then. If this is a repetition, leave it; to name the new money, give another note.',
    );
  const detail = underWay(plan);
  if (detail !== undefined && !event.force)
    return refused({
      reason: 'EXECUTION_PENDING',
      detail: `${detail} Close the plan when that has come to its end, or send force: true if you know that it never will.`,
    });
  const closed: Closing = {
    reason: event.reason,
    ...defined({ note: event.note }),
    acknowledged: event.acknowledge,
    movements: plan.ledger?.length ?? 0,
    atMs,
    forced: detail !== undefined,
  };
  const keepsStatus = KEPT.has(planStatus(plan));
  const ended = withoutPendingTransactions(
    keepsStatus ? plan : { ...withoutLiveLink(plan), ended: 'CLOSED' },
  );
  const earlier = closingsOf(plan);
  return changed({ ...ended, closed: { ...closed, ...(earlier.length === 0 ? {} : { earlier }) } });
}

/**
 * Whether a plan was closed and has no other status to be closed from. A payment that comes back makes such a plan
 * RETURNED.
 */
function isClosedForGood(plan: Plan): boolean {
  return plan.closed !== undefined && KEPT.has(planStatus(plan));
}

/** The statuses of plans that have ended: closing them only records what was named. */
const KEPT: ReadonlySet<string> = new Set(['COMPLETED', 'EXPIRED', 'CANCELLED', 'CLOSED']);

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

function isSameClosing(closed: Closing, { reason, note, acknowledge }: Closed): boolean {
  return closed.reason === reason && closed.note === note && isSameMoney(closed.acknowledged, acknowledge);
}

/** Whether two lists name the same money, in whatever order. */
function isSameMoney(a: readonly Acknowledged[], b: readonly Acknowledged[]): boolean {
  const isNamed = (all: readonly Acknowledged[], { amount, asset, direction }: Acknowledged) =>
    all.some(
      (each) => each.amount === amount && each.direction === direction && isSameAsset(each.asset, asset),
    );
  return a.length === b.length && a.every((each) => isNamed(b, each)) && b.every((each) => isNamed(a, each));
}
