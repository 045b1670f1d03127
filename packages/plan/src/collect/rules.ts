import { defined } from '@fairway/values';
import type { MaskedRecipient } from '@fairway/recipients';
import { awaitedRefunds } from '../deposit/lostTransactions.ts';
import { withoutApproval } from '../plan/approvalRules.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, dueSentence, nothingLeft, notReady, refused, unchanged } from '../plan/rulings.ts';
import { isNothingDue } from '../book/payout.ts';
import { refuseAnotherPayment } from '../returns/payAgain.ts';
import { endToEndIdOf, withTurn } from '../book/payoutTurn.ts';
import { collectStep, stepAs, swapStep, without, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { CollectLink, CollectRound, Delivery, Plan, SendDigitalCollectStep } from '../plan/types.ts';

/** How long the integrator has to wait after a link before the next one can be sent, whatever the reason. */
export const RESEND_AFTER_MS = 60_000;
/** How often a link can be sent again; a link that is reissued or reopened starts the count anew. */
export const MOST_RESENDS = 5;
/** How long after a recipient's request for a new link the next request is recorded. */
const REQUESTS_APART_MS = 86_400_000;
/** After so many links of all kinds none is reissued, so that a recipient is not e-mailed without end. */
const MOST_LINKS = 100;

/**
 * Whether the recipient can still use a link by its recorded state; its time may be over all the same.
 *
 * @example
 * ```ts
 * import { collectStep, isLinkLive, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const canChoose = isLinkLive(collectStep(plan)?.link);
 * ```
 */
export function isLinkLive(link: CollectLink | undefined): boolean {
  return link !== undefined && ['WAITING', 'SENT', 'OPENED'].includes(link.state);
}

/**
 * The version of the step's next link. No version is used twice, even when the swap is taken back.
 *
 * @example
 * ```ts
 * import { collectStep, nextLinkVersion, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const step = collectStep(plan);
 * const version = step && nextLinkVersion(step); // 1 for the first link
 * ```
 */
export function nextLinkVersion({ link, rounds }: SendDigitalCollectStep): number {
  const ofRounds = rounds.at(-1)?.version ?? 0;
  const ofLink = link?.version ?? 0;
  return (ofLink > ofRounds ? ofLink : ofRounds) + 1;
}

/**
 * The link that the service has to make by itself: the first link, or another one after a failed delivery.
 *
 * @example
 * ```ts
 * import { owedLink, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const owed = owedLink(plan); // { version: 1, reason: 'FIRST' } when the swap is done
 * ```
 */
export function owedLink(plan: Plan): { version: number; reason: 'FIRST' | 'REOPENED' } | undefined {
  const step = collectStep(plan);
  if (step === undefined || plan.ended !== undefined || isNothingDue(plan)) return undefined;
  if (awaitedRefunds(plan) !== undefined) return undefined;
  const version = nextLinkVersion(step);
  if (step.status === 'READY' && step.link === undefined) return { version, reason: 'FIRST' };
  // No recipient is asked about money that the chain took back.
  const isLost = swapStep(plan).evidence?.status === 'LOST';
  const isAskedAgain = step.delivery?.status === 'FAILED' && step.link?.state === 'SUBMITTED';
  return isAskedAgain && !isLost ? { version, reason: 'REOPENED' } : undefined;
}

/** Makes a link, which takes the place of the link before it. */
export function onLinkMade(plan: Plan, command: CommandOf<'LINK_MADE'>, atMs: TimeMs): Ruling {
  const step = stepAs(plan, 'SEND_DIGITAL_COLLECT');
  return refuseLink(plan, step, command, atMs) ?? changed(withLink(plan, command, atMs));
}

function refuseLink(
  plan: Plan,
  step: SendDigitalCollectStep,
  command: CommandOf<'LINK_MADE'>,
  atMs: TimeMs,
): Ruling | undefined {
  const { version, expiresAtMs, recipient, reason } = command;
  if (plan.ended !== undefined) return notReady(plan, dueSentence(plan));
  const isAgain = isResend(plan, command);
  const refusal = isAgain ? refuseResend(plan, step, atMs) : refuseLife(plan, step, command, atMs);
  if (refusal !== undefined) return refusal;
  const next = nextLinkVersion(step);
  if (version !== next) return notReady(plan, `The next link has the version ${next}, not ${version}.`);
  if (reason === 'READDRESSED' && recipient === undefined)
    return notReady(plan, 'Name the recipient that the link is for.');
  const isOver = !isAgain && expiresAtMs <= atMs;
  return isOver ? notReady(plan, 'The link would have ended already: give it a later end.') : undefined;
}

/**
 * Whether a link is sent again, perhaps to another address: it keeps the end of the link before it. A link that is
 * owed can be readdressed, too, because the service may be unable to open the address. In that case it is the owed
 * link, not one sent again.
 */
function isResend(plan: Plan, { reason }: CommandOf<'LINK_MADE'>): boolean {
  return reason === 'RESENT' || (reason === 'READDRESSED' && owedLink(plan) === undefined);
}

function refuseResend(plan: Plan, { link }: SendDigitalCollectStep, atMs: TimeMs): Ruling | undefined {
  if (link === undefined || !isUsable(link, atMs))
    return notReady(plan, `There is no link that the recipient could still use. ${dueSentence(plan)}`);
  if (!canResend(link)) {
    const detail = `The link was sent anew ${MOST_RESENDS} times: wait until it ends, or end the plan.`;
    return refused({ reason: 'TOO_MANY', detail });
  }
  return refuseHaste(link, atMs);
}

function refuseHaste(link: CollectLink, atMs: TimeMs): Ruling | undefined {
  const retryAfterMs = link.madeAtMs + RESEND_AFTER_MS - atMs;
  if (retryAfterMs <= 0) return undefined;
  const detail = `The last link was sent less than ${RESEND_AFTER_MS / 1_000} seconds ago.`;
  return refused({ reason: 'TOO_SOON', retryAfterMs, detail });
}

function refuseLife(
  plan: Plan,
  step: SendDigitalCollectStep,
  { reason, endToEndId }: CommandOf<'LINK_MADE'>,
  atMs: TimeMs,
): Ruling | undefined {
  const { link, status } = step;
  if (isNothingDue(plan)) return nothingLeft(plan);
  if (reason !== 'REISSUED')
    return reason === 'READDRESSED' || owedLink(plan)?.reason === reason
      ? undefined
      : notReady(plan, `No link is due now. ${dueSentence(plan)}`);
  const isPast = link !== undefined && isLinkLive(link) && !isUsable(link, atMs);
  if (isAfterReturn(step, endToEndId)) return refuseAnotherPayment(plan) ?? refuseMany(step);
  if (status !== 'FAILED' && link?.state !== 'EXPIRED' && !isPast)
    return notReady(plan, `Only a link that expired is followed by another. ${dueSentence(plan)}`);
  return refuseMany(step) ?? (link === undefined ? undefined : refuseHaste(link, atMs));
}

function refuseMany(step: SendDigitalCollectStep): Ruling | undefined {
  if (canReissue(step)) return undefined;
  const detail = `The recipient was sent ${MOST_LINKS} links of this plan; no other is sent. Settle with the recipient directly and end the plan.`;
  return refused({ reason: 'TOO_MANY', detail });
}

/** Whether a link asks the recipient again because the delivery came back; the next payment has an id of its own. */
function isAfterReturn(
  { delivery }: SendDigitalCollectStep,
  endToEndId: string | undefined,
): endToEndId is string {
  return delivery?.status === 'RETURNED' && endToEndId !== undefined;
}

/** Whether a link may be sent again, to the same address or another. */
export function canResend({ resends }: CollectLink): boolean {
  return resends < MOST_RESENDS;
}

/** Whether another link of this step may be reissued. */
export function canReissue(step: SendDigitalCollectStep): boolean {
  return nextLinkVersion(step) <= MOST_LINKS;
}

function isUsable(link: CollectLink, atMs: TimeMs): boolean {
  return isLinkLive(link) && atMs < link.expiresAtMs;
}

function withLink(before: Plan, command: CommandOf<'LINK_MADE'>, atMs: TimeMs): Plan {
  const { version, expiresAtMs, recipient, by, endToEndId } = command;
  const plan = withReturnedRound(before, endToEndId);
  const step = collectStep(plan);
  if (step === undefined) return plan;
  const old = isResend(plan, command) ? step.link : undefined;
  const link: CollectLink = {
    version,
    state: 'WAITING',
    mail: 'QUEUED',
    madeAtMs: atMs,
    expiresAtMs: old?.expiresAtMs ?? expiresAtMs,
    resends: old === undefined ? 0 : old.resends + 1,
  };
  const status = step.status === 'FAILED' ? 'READY' : step.status;
  const next = withStep(plan, { ...without(step, 'failure'), status, link });
  return recipient === undefined ? next : { ...withoutApproval(next, by), recipient };
}

/**
 * The plan after a delivery came back: its round has ended, and the rest is to be paid. The delivery counts as FAILED
 * from then on, so that the recipient is asked again.
 */
function withReturnedRound(plan: Plan, endToEndId: string | undefined): Plan {
  const step = collectStep(plan);
  if (step?.delivery === undefined || !isAfterReturn(step, endToEndId)) return plan;
  const { link, destination, submittedAtMs, delivery, rounds } = step;
  const { earlierIds } = step.payout ?? {};
  const version = link?.version ?? 0;
  const round: CollectRound = defined({ version, destination, submittedAtMs, delivery, earlierIds });
  const { providerReference } = delivery;
  const failed: Delivery = {
    status: 'FAILED',
    verification: 'REPORTED',
    failure: plan.returns.at(-1)?.failure ?? { code: 'RETURNED' },
    ...defined({ providerReference }),
  };
  const next = withStep(plan, { ...step, delivery: failed, rounds: [...rounds, round] });
  return withTurn(next, { endToEndId });
}

/** Records what the mail server said. A bounce is final, and can come after the acceptance. */
export function onLinkMailed(plan: Plan, command: CommandOf<'LINK_MAILED'>): Ruling {
  const told = linkReported(plan, command);
  if ('ok' in told) return told;
  const { step, link } = told;
  const { outcome } = command;
  if (link.mail === outcome || link.mail === 'BOUNCED') return unchanged(plan);
  const state = outcome === 'ACCEPTED' && link.state === 'WAITING' ? 'SENT' : link.state;
  return changed(withStep(plan, { ...step, link: { ...link, state, mail: outcome } }));
}

/** Records that the recipient opened the page. */
export function onLinkOpened(plan: Plan, command: CommandOf<'LINK_OPENED'>, atMs: TimeMs): Ruling {
  const told = linkReported(plan, command);
  if ('ok' in told) return told;
  const { step, link } = told;
  if (link.state === 'OPENED' || !isUsable(link, atMs)) return unchanged(plan);
  return changed(withStep(plan, { ...step, link: { ...link, state: 'OPENED', openedAtMs: atMs } }));
}

/**
 * Whether it may help the recipient to ask for another link when the newest has ended or has no more codes. This
 * holds when there is a newest link and nothing was chosen with it.
 *
 * @example
 * ```ts
 * import { canAskForLink, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * if (canAskForLink(plan)) console.log('offer to ask for a new link');
 * ```
 */
export function canAskForLink(plan: Plan): boolean {
  const link = collectStep(plan)?.link;
  return plan.ended === undefined && link !== undefined && link.state !== 'SUBMITTED';
}

/**
 * Notes that the recipient asks for another link, on the newest one; once a day is enough. The newest link itself can
 * be used to ask: it may have no more codes, which the plan does not know.
 */
export function onLinkRequested(plan: Plan, command: CommandOf<'LINK_REQUESTED'>, atMs: TimeMs): Ruling {
  const step = stepAs(plan, 'SEND_DIGITAL_COLLECT');
  const { version } = command;
  if (version >= nextLinkVersion(step)) return notReady(plan, noSuchLink(plan, version));
  const { link } = step;
  if (link === undefined || !canAskForLink(plan)) return unchanged(plan);
  const isKnown = link.requestedAtMs !== undefined && atMs < link.requestedAtMs + REQUESTS_APART_MS;
  if (isKnown) return unchanged(plan);
  return changed(withStep(plan, { ...step, link: { ...link, requestedAtMs: atMs } }));
}

/** The step and its link when the command is about the newest link. Commands about an older link change nothing. */
function linkReported(
  plan: Plan,
  { version }: { readonly version: number },
): Ruling | { readonly step: SendDigitalCollectStep; readonly link: CollectLink } {
  const step = stepAs(plan, 'SEND_DIGITAL_COLLECT');
  if (version >= nextLinkVersion(step)) return notReady(plan, noSuchLink(plan, version));
  const { link } = step;
  return link?.version === version ? { step, link } : unchanged(plan);
}

function noSuchLink(plan: Plan, version: number): string {
  return `No link of the version ${version} was made. ${dueSentence(plan)}`;
}

/** Records the choice of the recipient. Earlier rounds stay in `rounds`. */
export function onCollectSubmitted(
  plan: Plan,
  command: CommandOf<'COLLECT_SUBMITTED'>,
  atMs: TimeMs,
): Ruling {
  const step = stepAs(plan, 'SEND_DIGITAL_COLLECT');
  const { version, destination, endToEndId } = command;
  const { link } = step;
  if (version >= nextLinkVersion(step)) return notReady(plan, noSuchLink(plan, version));
  if (link?.version !== version) return notReady(plan, `A newer link replaced the version ${version}.`);
  const isSame = step.destination?.fingerprint === destination.fingerprint;
  if (link.state === 'SUBMITTED' && isSame) return unchanged(plan);
  if (!isUsable(link, atMs)) {
    const state = isLinkLive(link) ? 'EXPIRED' : link.state;
    return notReady(plan, `The link is ${state}; nothing more is submitted with it.`);
  }
  const id = idFor(plan, step, destination, endToEndId);
  const { earlierIds } = failedBefore(step, destination) ?? {};
  const chosen = withStep(plan, {
    ...step,
    status: 'DONE',
    link: { ...link, state: 'SUBMITTED' },
    destination,
    submittedAtMs: atMs,
    delivery: { status: 'PENDING', ...(id === plan.endToEndId ? {} : { endToEndId: id }) },
  });
  return changed(id === endToEndIdOf(plan) ? chosen : withTurn(chosen, { endToEndId: id, earlierIds }));
}

/**
 * The id of the payment to an account that the recipient chose. An account whose last payment failed keeps its id, which is
 * the custodian's guard against paying it twice. Any other account has an id that no payment had: else the custodian would take
 * the payment for a repetition.
 */
function idFor(
  plan: Plan,
  step: SendDigitalCollectStep,
  destination: MaskedRecipient,
  fresh: string,
): string {
  const before = failedBefore(step, destination);
  if (before !== undefined) return before.delivery?.endToEndId ?? plan.endToEndId;
  // A link that is reissued after a return brings an id that is fresh already.
  return paidRounds(step).at(-1)?.delivery?.status === 'FAILED' ? fresh : endToEndIdOf(plan);
}

/** The last round with a payment to an account, if that failed. */
function failedBefore(
  step: SendDigitalCollectStep,
  { fingerprint }: MaskedRecipient,
): CollectRound | undefined {
  const last = paidRounds(step).findLast(({ destination }) => destination?.fingerprint === fingerprint);
  return last?.delivery?.status === 'FAILED' ? last : undefined;
}

function paidRounds({ rounds }: SendDigitalCollectStep): readonly CollectRound[] {
  return rounds.filter(({ delivery }) => delivery !== undefined);
}

/** When the link expires; undefined while there is no link that the recipient could use. */
export function linkEndsAtMs(plan: Plan): TimeMs | undefined {
  const link = collectStep(plan)?.link;
  return isLinkLive(link) ? link?.expiresAtMs : undefined;
}

/** Expires a link that was not used in time. The step fails, unless an earlier round had a submission. */
export function expireLink(plan: Plan, step: SendDigitalCollectStep, link: CollectLink): Plan {
  const ended = { ...step, link: { ...link, state: 'EXPIRED' as const } };
  if (step.status === 'DONE') return withStep(plan, ended);
  return withStep(plan, { ...ended, status: 'FAILED', failure: { code: 'COLLECT_EXPIRED' } });
}

/** The step without its link, because its swap was undone and it is no longer due. The link's version stays used. */
export function withoutLink(step: SendDigitalCollectStep): SendDigitalCollectStep {
  const { link, rounds } = step;
  const bare = without(step, 'link', 'readyAtMs');
  return link === undefined ? bare : { ...bare, rounds: [...rounds, { version: link.version }] };
}
