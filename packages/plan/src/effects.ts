import { blockAwaitedBy } from './ending/chainAwaited.ts';
import { isLinkLive } from './collect/rules.ts';
import { noticeOf, reminderDueAtMs } from './collect/notices.ts';
import { collectStep } from './plan/steps.ts';
import type { StepId, TimeMs } from './terms/scalars.ts';
import type { CollectLink, Notice, Plan, SendDigitalCollectStep } from './plan/types.ts';
import { type WatchEffect, watchEffects } from './ending/watchedAddresses.ts';
import { type Work, workOf } from './next/work.ts';

/** A link of a step, by its version. */
type LinkPlace = { readonly stepId: StepId; readonly version: number };

/**
 * What a change of a plan leads to.
 *
 * - WORK_DUE, NO_WORK_DUE: what the service has to do for the plan from now on. Every change has one of the two, also
 *   when the work is the same as before. The job of the work is then set anew, so that it does not wait for a time
 *   that was set earlier.
 * - LINK_ENDED: a link that the recipient could use ends. SUPERSEDED: a newer link takes its place.
 * - LINK_MADE: a new link.
 * - REMINDER_WANTED: the recipient of a new link is to be reminded of it.
 * - NOTICE_WANTED: the recipient is to be told something at once.
 * - CHAIN_AWAITED: the plan is to be compared with its chain once that is read up to a block.
 * - Those of WatchEffect: other addresses are watched for the plan, or for another time.
 */
export type Effect =
  | { readonly kind: 'WORK_DUE'; readonly work: Work }
  | { readonly kind: 'NO_WORK_DUE' }
  | ({ readonly kind: 'LINK_ENDED'; readonly end: LinkEnd } & LinkPlace)
  | ({ readonly kind: 'LINK_MADE'; readonly expiresAtMs: TimeMs } & LinkPlace)
  | ({
      readonly kind: 'REMINDER_WANTED';
      readonly dueAtMs: TimeMs;
      readonly expiresAtMs: TimeMs;
    } & LinkPlace)
  | ({ readonly kind: 'NOTICE_WANTED'; readonly notice: Exclude<Notice, 'REMINDER'> } & LinkPlace)
  | { readonly kind: 'CHAIN_AWAITED'; readonly chainId: number; readonly dueBlock: number }
  | WatchEffect;

/** Why a link can no longer be used. */
export type LinkEnd = 'USED' | 'SUPERSEDED' | 'CANCELLED' | 'EXPIRED';

/**
 * Derives what the change from one plan to the next leads to, in the order in which it is to be done. `before` is
 * undefined when the plan is new. The same two plans always lead to the same effects, and there are none when the
 * plan did not change. So effects need not be stored.
 *
 * @example
 * ```ts
 * import { decide, effectsOf, type Plan } from '@fairway/plan';
 *
 * declare const before: Plan;
 * const decision = decide(before, { type: 'PLAN_ENDED', force: false }, 1_700_000_000_000);
 * const effects = decision.ok ? effectsOf(before, decision.plan) : []; // [{ kind: 'NO_WORK_DUE' }]
 * ```
 */
export function effectsOf(before: Plan | undefined, after: Plan): readonly Effect[] {
  if (before?.revision === after.revision) return [];
  return [
    workEffect(after),
    ...linkEffects(before, after),
    ...noticeEffects(before, after),
    ...watchEffects(before, after),
    ...chainEffects(before, after),
  ];
}

function chainEffects(before: Plan | undefined, after: Plan): Effect[] {
  const dueBlock = before && blockAwaitedBy(before, after);
  if (dueBlock === undefined) return [];
  return [{ kind: 'CHAIN_AWAITED', chainId: after.corridor.source.chainId, dueBlock }];
}

function workEffect(plan: Plan): Effect {
  const work = workOf(plan);
  return work === undefined ? { kind: 'NO_WORK_DUE' } : { kind: 'WORK_DUE', work };
}

function linkEffects(before: Plan | undefined, after: Plan): Effect[] {
  const [oldStep, step] = [before && collectStep(before), collectStep(after)];
  const [old, next] = [oldStep?.link, step?.link];
  const effects: Effect[] = [];
  const end = old && isLinkLive(old) ? endOf(old, next) : undefined;
  if (oldStep !== undefined && old !== undefined && end !== undefined)
    effects.push({ kind: 'LINK_ENDED', ...placeOf(oldStep, old), end });
  if (step === undefined || next === undefined || next.version === old?.version) return effects;
  const place = placeOf(step, next);
  const { expiresAtMs } = next;
  effects.push({ kind: 'LINK_MADE', ...place, expiresAtMs });
  const dueAtMs = reminderDueAtMs(after);
  if (dueAtMs !== undefined) effects.push({ kind: 'REMINDER_WANTED', ...place, dueAtMs, expiresAtMs });
  return effects;
}

function placeOf({ stepId }: SendDigitalCollectStep, { version }: CollectLink): LinkPlace {
  return { stepId, version };
}

/** How a link ends that could be used; undefined while it can still be used. */
function endOf(old: CollectLink, next: CollectLink | undefined): LinkEnd | undefined {
  // A plan without a link any more: the swap was undone, and there is nothing to collect.
  if (next === undefined) return 'CANCELLED';
  return next.version === old.version ? ENDS[next.state] : 'SUPERSEDED';
}

const ENDS: Readonly<Record<CollectLink['state'], LinkEnd | undefined>> = {
  WAITING: undefined,
  SENT: undefined,
  OPENED: undefined,
  SUBMITTED: 'USED',
  EXPIRED: 'EXPIRED',
  CANCELLED: 'CANCELLED',
};

function noticeEffects(before: Plan | undefined, after: Plan): Effect[] {
  const notice = noticeOf(before, after);
  const step = collectStep(after);
  if (notice === undefined || step?.link === undefined) return [];
  return [{ kind: 'NOTICE_WANTED', notice, ...placeOf(step, step.link) }];
}
