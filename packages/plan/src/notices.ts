import { isLinkLive } from './collectRules.ts';
import { collectStep } from './planSteps.ts';
import type { TimeMs } from './scalars.ts';
import type { Notice, Plan } from './types.ts';

/** When the recipient is reminded of the link that was just made; undefined when not at all. */
export function reminderDueAtMs(plan: Plan): TimeMs | undefined {
  const link = collectStep(plan)?.link;
  const beforeMs = plan.options.notices?.reminderBeforeMs;
  if (link === undefined || beforeMs === undefined) return undefined;
  const dueAtMs = link.expiresAtMs - beforeMs;
  return dueAtMs > link.madeAtMs ? dueAtMs : undefined;
}

/** What the recipient is told at once of a change of the plan, as the organisation wants it. */
export function noticeOf(before: Plan | undefined, after: Plan): Exclude<Notice, 'REMINDER'> | undefined {
  const { confirmation = false, delivery = false } = after.options.notices ?? {};
  const [old, next] = [before && collectStep(before), collectStep(after)];
  const isSubmitted = next?.link?.state === 'SUBMITTED' && old?.link?.state !== 'SUBMITTED';
  if (confirmation && isSubmitted) return 'CONFIRMATION';
  const isDelivered = next?.delivery?.status === 'DELIVERED' && old?.delivery?.status !== 'DELIVERED';
  return delivery && isDelivered ? 'DELIVERED' : undefined;
}

/**
 * Whether a notice about the link of this version is true: between its making and its sending things go on. NOT_YET: it
 * may become so.
 */
export function noticeTruth(plan: Plan, notice: Notice, version: number): 'TRUE' | 'NOT_YET' | 'OVER' {
  const { link, delivery } = collectStep(plan) ?? {};
  if (link?.version !== version) return 'OVER';
  switch (notice) {
    case 'REMINDER':
      // It speaks of the e-mail with the link.
      if (!isLinkLive(link) || link.mail === 'BOUNCED') return 'OVER';
      return link.mail === 'ACCEPTED' ? 'TRUE' : 'NOT_YET';
    case 'CONFIRMATION': {
      // The notice of the delivery says as much and more.
      const isTold = delivery?.status === 'DELIVERED' && plan.options.notices?.delivery === true;
      const isUndone = delivery?.status === 'FAILED' || delivery?.status === 'RETURNED';
      return delivery === undefined || isUndone || isTold ? 'OVER' : 'TRUE';
    }
    case 'DELIVERED':
      return delivery?.status === 'DELIVERED' ? 'TRUE' : 'OVER';
  }
}
