import { isLinkLive } from './collectRules.ts';
import { collectStep } from './planSteps.ts';
import type { Notice, Plan, TimeMs } from './types.ts';

/** When the recipient is reminded of the link that was just made; undefined when not at all. */
export function reminderDueAtMs(plan: Plan): TimeMs | undefined {
  const link = collectStep(plan)?.link;
  const beforeMs = plan.options.notices?.reminderBeforeMs;
  if (link === undefined || beforeMs === undefined) return undefined;
  const dueAtMs = link.expiresAtMs - beforeMs;
  return dueAtMs > link.madeAtMs ? dueAtMs : undefined;
}

/** What the recipient is told at once of a change of the plan, as the organisation wants it. */
export function noticeOf(before: Plan, after: Plan): Exclude<Notice, 'REMINDER'> | undefined {
  const { confirmation = false, delivery = false } = after.options.notices ?? {};
  const [old, next] = [collectStep(before), collectStep(after)];
  const isSubmitted = next?.link?.state === 'SUBMITTED' && old?.link?.state !== 'SUBMITTED';
  if (confirmation && isSubmitted) return 'CONFIRMATION';
  const isDelivered = next?.delivery?.status === 'DELIVERED' && old?.delivery?.status !== 'DELIVERED';
  return delivery && isDelivered ? 'DELIVERED' : undefined;
}

/** Whether a notice about the link of this version is still true: between its making and its sending things go on. */
export function isNoticeTrue(plan: Plan, notice: Notice, version: number): boolean {
  const step = collectStep(plan);
  const { link, delivery } = step ?? {};
  if (link?.version !== version) return false;
  switch (notice) {
    case 'REMINDER':
      // It speaks of the e-mail with the link.
      return isLinkLive(link) && link.mail === 'ACCEPTED';
    case 'CONFIRMATION':
      return delivery !== undefined && delivery.status !== 'FAILED' && delivery.status !== 'RETURNED';
    case 'DELIVERED':
      return delivery?.status === 'DELIVERED';
  }
}
