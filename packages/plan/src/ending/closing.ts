import { defined } from '@fairway/values';
import { depositOf } from '../book/deposit.ts';
import { acknowledgementOf } from '../book/acknowledgement.ts';
import { closingsOf } from '../book/equations.ts';
import { isLinkLive } from '../collect/rules.ts';
import { ZERO } from '../terms/amount.ts';
import { assetsOf } from '../terms/money.ts';
import { PLAIN_WORDS } from '../terms/words.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, dueSentence, notReady, refused, unchanged } from '../plan/rulings.ts';
import { awaitedRefunds, withoutLost } from '../deposit/lostTransactions.ts';
import { lostPartsOf } from '../payout/lostParts.ts';
import { pendingTransactionsOf, withoutPendingTransactions } from '../swap/pendingTransactions.ts';
import { pendingPayoutsOf } from '../payout/pendingPayouts.ts';
import { payer } from '../payout/review.ts';
import { collectStep, evidenceOf, lastStep, swapStep, withStep } from '../plan/steps.ts';
import { isCancelable, planStatus } from '../next/next.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Closing, Plan } from '../plan/types.ts';
import { swapTransactions } from '../next/work.ts';

type Ended = CommandOf<'PLAN_ENDED'>;

/**
 * A sentence about a payment or a transaction that may still change where the money is; undefined when there is none.
 */
export function underWay(plan: Plan): string | undefined {
  const pending = [...pendingTransactionsOf(plan), ...pendingPayoutsOf(plan)].at(-1);
  if (pending !== undefined) return `The transaction ${pending.txHash} was submitted and may still be mined.`;
  const swap = swapStep(plan).evidence?.status === 'FINAL' ? [] : swapTransactions(plan);
  const payout = evidenceOf(lastStep(plan));
  const paid = payout === undefined || payout.status === 'FINAL' ? [] : [payout.txHash];
  const [txHash] = [
    ...swap,
    ...paid,
    ...lostPartsOf(plan).map((part) => part.txHash),
    ...(awaitedRefunds(plan)?.txHashes ?? []),
  ];
  if (txHash !== undefined)
    return `The transaction ${txHash} is not final: it may still be mined or taken back.`;
  if (lastStep(plan).hold !== undefined)
    return `The payment is held by ${payer(plan)} and may still be made: report FAILED when the custodian gives it up.`;
  const delivery = collectStep(plan)?.delivery;
  return delivery?.status === 'SENT' ? 'The custodian has sent the money to the recipient.' : undefined;
}

/** Ends a plan for the integrator, who has seen the money that is left. */
export function onPlanEnded(plan: Plan, { reason, note, force }: Ended, atMs: TimeMs): Ruling {
  if (reason === undefined) return cancelled(plan, atMs);
  return closed(plan, { reason, atMs, ...defined({ note }) }, force);
}

function cancelled(plan: Plan, atMs: TimeMs): Ruling {
  if (isCancelable(plan)) return changed({ ...plan, ended: { reason: 'CANCELLED', atMs } });
  const isOpen = plan.ended === undefined && planStatus(plan) !== 'COMPLETED';
  if (!isOpen && acknowledgementOf(plan).length > 0)
    return refused({ reason: 'REASON_MISSING', detail: 'Money is left: say in reason why the plan ends.' });
  if (plan.ended?.reason === 'CANCELLED') return unchanged(plan);
  if (!isOpen) return notReady(plan, dueSentence(plan));
  const { received } = depositOf(plan);
  const arrived = PLAIN_WORDS.amount(received, assetsOf(plan).source);
  const moved = received === ZERO ? 'Money has been paid out' : `${arrived} of the deposit has arrived`;
  return refused({ reason: 'REASON_MISSING', detail: `${moved}: say in reason why the plan ends.` });
}

/** Closes a plan: what is left is recorded as acknowledged. A plan that has ended in another way keeps its status. */
function closed(plan: Plan, end: Pick<Closing, 'reason' | 'note' | 'atMs'>, force: boolean): Ruling {
  const acknowledged = acknowledgementOf(plan);
  const earlier = closingsOf(plan);
  const waiting = [...pendingTransactionsOf(plan), ...pendingPayoutsOf(plan), ...lostPartsOf(plan)];
  if (acknowledged.length === 0 && waiting.length === 0 && isClosedForGood(plan))
    return earlier.some(({ reason, note }) => reason === end.reason && note === end.note)
      ? unchanged(plan)
      : notReady(plan, `The plan was ended already (${plan.closed?.reason}), and no money is left.`);
  const detail = underWay(plan);
  if (detail !== undefined && !force)
    return refused({
      reason: 'EXECUTION_PENDING',
      detail: `${detail} End the plan when that has come to its end, or send force: true if you know that it never will.`,
    });
  const closing: Closing = {
    ...end,
    acknowledged,
    movements: plan.ledger?.length ?? 0,
    forced: detail !== undefined,
  };
  const keepsStatus = KEPT.has(planStatus(plan));
  const ended = keepsStatus ? plan : { ...withoutLiveLink(plan), ended: end };
  const settled = withoutLost(withoutPendingTransactions(ended), 'lostRefunds');
  return changed({ ...settled, closed: { ...closing, ...(earlier.length === 0 ? {} : { earlier }) } });
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
