import type { Decision, PlanEvent } from './events.ts';
import {
  changed,
  collectStep,
  dueSentence,
  notOfThisStep,
  notReady,
  refused,
  unchanged,
  without,
  withStep,
} from './planSteps.ts';
import type { TimeMs } from './scalars.ts';
import type { CollectLink, Plan, SendDigitalCollectStep } from './types.ts';

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

/** How long after a link the next one can be sent, for whatever reason the integrator asks for it. */
export const RESEND_AFTER_MS = 60_000;
/** How often a link can be sent anew before it is made, reissued or reopened again. */
export const MOST_RESENDS = 5;
/** After so many links of all kinds none is reissued: a recipient is not to be e-mailed without end. */
const MOST_LINKS = 100;

/** Whether the recipient can still use a link, as far as is recorded: its time may have come all the same. */
export function isLinkLive(link: CollectLink | undefined): boolean {
  return link !== undefined && ['WAITING', 'SENT', 'OPENED'].includes(link.state);
}

/** The version that the step's next link has: no version is used twice, whatever becomes of the swap. */
export function nextLinkVersion({ link, rounds }: SendDigitalCollectStep): number {
  const ofRounds = rounds.at(-1)?.version ?? 0;
  const ofLink = link?.version ?? 0;
  return (ofLink > ofRounds ? ofLink : ofRounds) + 1;
}

/** The link that the service is to make by itself: the first one, or another after a failed delivery. */
export function owedLink(plan: Plan): { version: number; reason: 'FIRST' | 'REOPENED' } | undefined {
  const step = collectStep(plan);
  if (step === undefined) return undefined;
  const version = nextLinkVersion(step);
  if (step.status === 'READY' && step.link === undefined) return { version, reason: 'FIRST' };
  const isAskedAgain = step.delivery?.status === 'FAILED' && step.link?.state === 'SUBMITTED';
  return isAskedAgain ? { version, reason: 'REOPENED' } : undefined;
}

/** A link takes the place of the one before it, if any. */
export function onLinkMade(plan: Plan, event: Event<'LINK_MADE'>, atMs: TimeMs): Decision {
  const step = collectStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  return refuseLink(plan, step, event, atMs) ?? changed(withLink(plan, step, event, atMs));
}

function refuseLink(
  plan: Plan,
  step: SendDigitalCollectStep,
  event: Event<'LINK_MADE'>,
  atMs: TimeMs,
): Decision | undefined {
  const { reason, version, expiresAtMs, recipient } = event;
  const refusal = isResend(event) ? refuseResend(plan, step, atMs) : refuseLife(plan, step, reason, atMs);
  if (refusal !== undefined) return refusal;
  const next = nextLinkVersion(step);
  if (version !== next) return notReady(plan, `The next link has the version ${next}, not ${version}.`);
  if (reason === 'READDRESSED' && recipient === undefined)
    return notReady(plan, 'A link is readdressed to somebody.');
  const isOver = !isResend(event) && expiresAtMs <= atMs;
  return isOver ? notReady(plan, 'A link ends after it was made.') : undefined;
}

/** A link that is sent anew, at times to another address, lives no longer for it. */
function isResend({ reason }: Event<'LINK_MADE'>): boolean {
  return reason === 'RESENT' || reason === 'READDRESSED';
}

function refuseResend(plan: Plan, { link }: SendDigitalCollectStep, atMs: TimeMs): Decision | undefined {
  if (link === undefined || !isUsable(link, atMs))
    return notReady(plan, `There is no link that the recipient could still use. ${dueSentence(plan)}`);
  if (link.resends >= MOST_RESENDS) {
    const detail = `The link was sent anew ${MOST_RESENDS} times; cancel it and reissue it to go on.`;
    return refused({ reason: 'TOO_MANY', detail });
  }
  return refuseHaste(link, atMs);
}

function refuseHaste(link: CollectLink, atMs: TimeMs): Decision | undefined {
  const retryAfterMs = link.madeAtMs + RESEND_AFTER_MS - atMs;
  if (retryAfterMs <= 0) return undefined;
  const detail = `The last link was sent less than ${RESEND_AFTER_MS / 1_000} seconds ago.`;
  return refused({ reason: 'TOO_SOON', retryAfterMs, detail });
}

function refuseLife(
  plan: Plan,
  step: SendDigitalCollectStep,
  reason: Event<'LINK_MADE'>['reason'],
  atMs: TimeMs,
): Decision | undefined {
  const { link, status } = step;
  if (reason !== 'REISSUED')
    return owedLink(plan)?.reason === reason
      ? undefined
      : notReady(plan, `No link of this kind (${reason}) is due. ${dueSentence(plan)}`);
  const isPast = link !== undefined && isLinkLive(link) && !isUsable(link, atMs);
  if (status !== 'FAILED' && link?.state !== 'EXPIRED' && !isPast)
    return notReady(plan, `Only a link that expired or was cancelled is reissued. ${dueSentence(plan)}`);
  if (canReissue(step)) return link === undefined ? undefined : refuseHaste(link, atMs);
  const detail = `The recipient was sent ${MOST_LINKS} links of this plan; no other is reissued.`;
  return refused({ reason: 'TOO_MANY', detail });
}

/** Whether there may be another link of this step. */
export function canReissue(step: SendDigitalCollectStep): boolean {
  return nextLinkVersion(step) <= MOST_LINKS;
}

function isUsable(link: CollectLink, atMs: TimeMs): boolean {
  return isLinkLive(link) && atMs < link.expiresAtMs;
}

function withLink(plan: Plan, step: SendDigitalCollectStep, event: Event<'LINK_MADE'>, atMs: TimeMs): Plan {
  const { version, expiresAtMs, recipient } = event;
  const before = isResend(event) ? step.link : undefined;
  const link: CollectLink = {
    version,
    state: 'WAITING',
    mail: 'QUEUED',
    madeAtMs: atMs,
    expiresAtMs: before?.expiresAtMs ?? expiresAtMs,
    resends: before === undefined ? 0 : before.resends + 1,
  };
  const status = step.status === 'FAILED' ? 'READY' : step.status;
  const next = withStep(plan, { ...without(step, 'failure'), status, link });
  return recipient === undefined ? next : { ...next, recipient };
}

/** What the mail server said. A bounce is the last word on an e-mail: it can come after the acceptance. */
export function onLinkMailed(plan: Plan, event: Event<'LINK_MAILED'>): Decision {
  const told = linkTold(plan, event);
  if ('ok' in told) return told;
  const { step, link } = told;
  const { outcome } = event;
  if (link.mail === outcome || link.mail === 'BOUNCED') return unchanged(plan);
  const state = outcome === 'ACCEPTED' && link.state === 'WAITING' ? 'SENT' : link.state;
  return changed(withStep(plan, { ...step, link: { ...link, state, mail: outcome } }));
}

/** The recipient looked at the page. */
export function onLinkOpened(plan: Plan, event: Event<'LINK_OPENED'>, atMs: TimeMs): Decision {
  const told = linkTold(plan, event);
  if ('ok' in told) return told;
  const { step, link } = told;
  if (link.state === 'OPENED' || !isUsable(link, atMs)) return unchanged(plan);
  return changed(withStep(plan, { ...step, link: { ...link, state: 'OPENED', openedAtMs: atMs } }));
}

/** The step and its link when the event is about it; of an older link nothing is news. */
function linkTold(
  plan: Plan,
  { stepId, version }: { readonly stepId: SendDigitalCollectStep['stepId']; readonly version: number },
): Decision | { readonly step: SendDigitalCollectStep; readonly link: CollectLink } {
  const step = collectStep(plan);
  if (step?.stepId !== stepId) return notOfThisStep(plan, stepId);
  if (version >= nextLinkVersion(step)) return notReady(plan, noSuchLink(plan, version));
  const { link } = step;
  return link?.version === version ? { step, link } : unchanged(plan);
}

function noSuchLink(plan: Plan, version: number): string {
  return `No link of the version ${version} was made. ${dueSentence(plan)}`;
}

/** The recipient chose. What an earlier round left stays in `rounds`. */
export function onCollectSubmitted(plan: Plan, event: Event<'COLLECT_SUBMITTED'>, atMs: TimeMs): Decision {
  const step = collectStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { version, destination } = event;
  const { link } = step;
  if (version >= nextLinkVersion(step)) return notReady(plan, noSuchLink(plan, version));
  if (link?.version !== version) return notReady(plan, `A newer link replaced the version ${version}.`);
  const isSame = step.destination?.fingerprint === destination.fingerprint;
  if (link.state === 'SUBMITTED' && isSame) return unchanged(plan);
  if (!isUsable(link, atMs)) {
    const state = isLinkLive(link) ? 'EXPIRED' : link.state;
    return notReady(plan, `The link is ${state}; nothing more is submitted with it.`);
  }
  return changed(
    withStep(plan, {
      ...step,
      status: 'DONE',
      link: { ...link, state: 'SUBMITTED' },
      destination,
      submittedAtMs: atMs,
      delivery: { status: 'PENDING' },
    }),
  );
}

/** The integrator takes the link back, sent or not. */
export function onCollectCancelled(plan: Plan, event: Event<'COLLECT_CANCELLED'>): Decision {
  const step = collectStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  if (step.failure?.code === 'COLLECT_CANCELLED') return unchanged(plan);
  if (step.status !== 'READY')
    return notReady(plan, `There is no collecting to cancel at the moment. ${dueSentence(plan)}`);
  const failed = { ...step, status: 'FAILED' as const, failure: { code: 'COLLECT_CANCELLED' } };
  const { link } = step;
  return changed(
    withStep(plan, link === undefined ? failed : { ...failed, link: { ...link, state: 'CANCELLED' } }),
  );
}

/** When the link ends by itself; undefined while there is none that the recipient could use. */
export function linkEndsAtMs(plan: Plan): TimeMs | undefined {
  const link = collectStep(plan)?.link;
  return isLinkLive(link) ? link?.expiresAtMs : undefined;
}

/** The end of a link that was not used in time. After a first submission the step itself has not failed. */
export function expireLink(plan: Plan, step: SendDigitalCollectStep, link: CollectLink): Plan {
  const ended = { ...step, link: { ...link, state: 'EXPIRED' as const } };
  if (step.status === 'DONE') return withStep(plan, ended);
  return withStep(plan, { ...ended, status: 'FAILED', failure: { code: 'COLLECT_EXPIRED' } });
}

/** A step whose turn has gone by again, the swap being undone: its link is no more, and its version stays used. */
export function withoutLink(step: SendDigitalCollectStep): SendDigitalCollectStep {
  const { link, rounds } = step;
  const bare = without(step, 'link', 'readyAtMs');
  return link === undefined ? bare : { ...bare, rounds: [...rounds, { version: link.version }] };
}
