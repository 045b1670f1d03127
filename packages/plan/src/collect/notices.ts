import { isLinkLive } from './rules.ts';
import { collectStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Notice, Plan } from '../plan/types.ts';

/** When the recipient is to be reminded of the link that was just made; undefined when no reminder is wanted. */
export function reminderDueAtMs(plan: Plan): TimeMs | undefined {
  const link = collectStep(plan)?.link;
  const beforeMs = plan.options.notices?.reminderBeforeMs;
  if (link === undefined || beforeMs === undefined) return undefined;
  const dueAtMs = link.expiresAtMs - beforeMs;
  return dueAtMs > link.madeAtMs ? dueAtMs : undefined;
}

/** The notice that a change of the plan calls for, if the organisation wants it; undefined when there is none. */
export function noticeOf(before: Plan | undefined, after: Plan): Exclude<Notice, 'REMINDER'> | undefined {
  const { confirmation = false, delivery = false } = after.options.notices ?? {};
  const [old, next] = [before && collectStep(before), collectStep(after)];
  const isSubmitted = next?.link?.state === 'SUBMITTED' && old?.link?.state !== 'SUBMITTED';
  if (confirmation && isSubmitted) return 'CONFIRMATION';
  const isDelivered = next?.delivery?.status === 'DELIVERED' && old?.delivery?.status !== 'DELIVERED';
  return delivery && isDelivered ? 'DELIVERED' : undefined;
}

/**
 * Whether a notice about the link of this version is true now: the plan may have changed since the notice was queued.
 * NOT_YET: the notice may become true. OVER: it cannot become true any more.
 *
 * @example
 * ```ts
 * import { noticeTruth, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * if (noticeTruth(plan, 'REMINDER', 1) === 'TRUE') console.log('send the reminder');
 * ```
 */
export function noticeTruth(plan: Plan, notice: Notice, version: number): 'TRUE' | 'NOT_YET' | 'OVER' {
  const { link, delivery } = collectStep(plan) ?? {};
  if (link?.version !== version) return 'OVER';
  switch (notice) {
    case 'REMINDER':
      // A reminder mentions the e-mail with the link, so that must have been accepted.
      if (!isLinkLive(link) || link.mail === 'BOUNCED') return 'OVER';
      return link.mail === 'ACCEPTED' ? 'TRUE' : 'NOT_YET';
    case 'CONFIRMATION': {
      // The notice of the delivery replaces the confirmation.
      const isKnown = delivery?.status === 'DELIVERED' && plan.options.notices?.delivery === true;
      const isUndone = delivery?.status === 'FAILED' || delivery?.status === 'RETURNED';
      return delivery === undefined || isUndone || isKnown ? 'OVER' : 'TRUE';
    }
    case 'DELIVERED':
      return delivery?.status === 'DELIVERED' ? 'TRUE' : 'OVER';
  }
}
