import { cutText, defined } from '@fairway/values';
import { canonicalRecipient, maskRecipient, type Recipient } from '@fairway/plan';
import type { WaitingSubmission } from '@fairway/store';
import type { RecipientSchema } from '@fairway/wire';
import { newCode, nextEndToEndId } from '../payments/index.ts';
import type { CollectParts } from './parts.ts';
import { choicePage, onChosen, onLive, readDestination } from './choices.ts';
import {
  askingOf,
  factsFor,
  type FormHandler,
  type FoundLink,
  lookUp,
  type Page,
  spentPage,
} from './linkFacts.ts';
import { type Form, keepPage } from './pageState.ts';
import { codePage, readCode } from './pages/index.ts';
import { receipt } from './receipt.ts';
import { maskedEmail, reviewed } from './review.ts';
import { shownDetails } from './shownDestination.ts';

/** How long a code is valid. */
const CODE_LIFE_MS = 10 * 60_000;
/** How long after its last code a submission is shown to somebody who opens the link again. */
const SHOWN_AGAIN_MS = 60 * 60_000;

/** More than a code with the spaces that people write. */
const MOST_ENTERED = 32;

type CodeView = Parameters<typeof codePage>[0];
type CodeProblem = NonNullable<CodeView['problem']>;

/**
 * Which submission a page is about. HERE: the page has its details, because they were entered on the page before. KEPT:
 * the service alone has them; `submission` is its id, as the page posted it.
 */
type Subject = HereSubject | KeptSubject;

type HereSubject = {
  readonly kind: 'HERE';
  readonly form: Form;
  readonly schema: RecipientSchema;
  readonly recipient: Recipient;
};

type KeptSubject = { readonly kind: 'KEPT'; readonly submission?: string };

type Told = { readonly problem?: CodeProblem; readonly resent?: boolean };

/** The page of a link that can be used: the code of a submission that waits for it, or else the choice. */
export async function livePage(parts: CollectParts, link: FoundLink): Promise<Page> {
  return codeAsked(parts, link, { kind: 'KEPT' }, {});
}

/** Posted by the state of a code page: shows it again as it stands. */
export const code: FormHandler = async (parts, visit) => {
  const isHere = visit.form.has('type');
  const show = isHere ? codeHere : onLive((_parts, link) => livePage(parts, link));
  return show(parts, visit);
};

const codeHere: FormHandler = onChosen((parts, link, form, choice) => {
  const read = readDestination(parts, link, form, choice);
  if (!read.ok) return read.page;
  const { recipient } = read;
  return codeAsked(parts, link, { kind: 'HERE', form, schema: choice.schema, recipient }, {});
});

/** POST /collect/submit: keeps the sealed details, and mails a code to the recipient. */
export const submit: FormHandler = onChosen(async (parts, link, form, choice) => {
  const read = readDestination(parts, link, form, choice);
  if (!read.ok) return read.page;
  const { recipient } = read;
  if (choice.type === 'wallet' && form.get('confirmed') !== 'yes')
    return reviewed(parts, link, form, choice.schema, recipient, { kind: 'NOT_CONFIRMED' });
  const sent = await sendCode(parts, link, recipient);
  if (sent.outcome === 'PAGE') return sent.page;
  const isResend = form.get('resend') === 'yes';
  const isSent = sent.outcome === 'SENT';
  const posted = isSent ? proved(form, proofOf(parts, link, recipient)) : form;
  const subject = { kind: 'HERE', form: posted, schema: choice.schema, recipient } as const;
  // A recipient who went back and sends the same details once more has a code that is still good. Other details get
  // the same answer: else details could be guessed.
  if (isSent || isResend || (await isCodeGood(parts, link)))
    return codeAsked(parts, link, subject, toldOf(sent, isResend));
  return reviewed(parts, link, form, choice.schema, recipient, problemOf(sent));
});

/** POST /collect/resend: mails another code for the details that the service has. */
export const resend: FormHandler = onLive(async (parts, link, form) => {
  const subject = { kind: 'KEPT', submission: form.get('submission') ?? '' } as const;
  const found = await waitingAt(parts, link);
  if (!found.ok) return link.unavailable;
  const { submission: kept } = found;
  if (kept === undefined || !isShowable(parts, link, kept, subject.submission))
    return codeAsked(parts, link, subject, {});
  const sent = await sendCode(parts, link, kept.destination);
  return sent.outcome === 'PAGE' ? sent.page : codeAsked(parts, link, subject, toldOf(sent, true));
});

type SentCode =
  | { readonly outcome: 'SENT' }
  | { readonly outcome: 'TOO_MANY' }
  | { readonly outcome: 'TOO_SOON'; readonly retryAfterSeconds: number }
  | { readonly outcome: 'PAGE'; readonly page: Page };

type NotSent = Exclude<SentCode, { outcome: 'PAGE' | 'SENT' }>;

function problemOf(sent: NotSent) {
  return sent.outcome === 'TOO_SOON'
    ? ({ kind: 'TOO_SOON', retryAfterSeconds: sent.retryAfterSeconds } as const)
    : ({ kind: 'TOO_MANY' } as const);
}

function toldOf(sent: Exclude<SentCode, { outcome: 'PAGE' }>, isResend: boolean): Told {
  return sent.outcome === 'SENT' ? { resent: isResend } : { problem: problemOf(sent) };
}

/** Keeps a submission and queues the e-mail with its code. */
async function sendCode(
  parts: CollectParts,
  link: FoundLink,
  submission: Recipient,
  digits: string = newCode(),
): Promise<SentCode> {
  const { scope, plan, facts, chainName } = link;
  const addressed = await parts.store.payments.readRecipient(scope, plan.planId);
  if (!addressed.ok || addressed.recipient?.type !== 'email')
    return { outcome: 'PAGE', page: link.unavailable };
  const { email: to, name } = addressed.recipient;
  const { locale, pages } = facts.catalogue;
  const destination = shownDetails(pages, submission, masked(parts, link, submission), chainName);
  const kept = await parts.store.collect.keepSubmission(parts.environment, link.tokenHash, {
    destination: submission,
    codeHash: codeHash(parts, link, submissionId(parts, link, submission), digits),
    codeLifeMs: CODE_LIFE_MS,
    mail: {
      kind: 'CODE',
      to,
      locale,
      code: digits,
      destination,
      paidTo: submission.type,
      ...defined({ name }),
    },
  });
  if (kept.ok) return { outcome: 'SENT' };
  switch (kept.reason) {
    case 'TOO_SOON':
      return { outcome: 'TOO_SOON', retryAfterSeconds: Math.ceil(kept.retryAfterMs / 1000) };
    case 'TOO_MANY':
      return { outcome: 'TOO_MANY' };
    case 'LINK_GONE':
      return { outcome: 'PAGE', page: await pageNow(parts, link) };
    default:
      return { outcome: 'PAGE', page: link.unavailable };
  }
}

/** A text that identifies a submission by its link and its details. A code is valid only with the same submission. */
function submissionId({ store }: CollectParts, { scope, token }: FoundLink, submission: Recipient): string {
  const text = `${token}\0${canonicalRecipient(submission)}`;
  return store.fingerprint('submission', scope.organisationId, text).toString('base64url');
}

/**
 * What a page is given when its details are submitted. Only a page with it is told that other details replaced them.
 * Otherwise a stranger with the link could guess the details that wait. It differs from the id, which every page of
 * the link shows.
 */
function proofOf({ store }: CollectParts, { scope, token }: FoundLink, submission: Recipient): string {
  const text = `${token}\0submitted\0${canonicalRecipient(submission)}`;
  return store.fingerprint('submission', scope.organisationId, text).toString('base64url');
}

function proved(form: Form, proof: string): Form {
  const kept = new URLSearchParams(form);
  kept.set('proof', proof);
  return kept;
}

/**
 * The hash of a code together with its link and its submission. Somebody else who has the link can submit a destination
 * of their own, and its code is mailed to the recipient. When the recipient enters that code on the page of their own
 * submission, it is wrong, because the submissions differ.
 */
function codeHash(
  { store }: CollectParts,
  { scope, token }: FoundLink,
  submission: string,
  digits: string,
): Buffer {
  return store.fingerprint('code', scope.organisationId, `${token}\0${submission}\0${digits}`);
}

function masked({ store }: CollectParts, { scope }: FoundLink, recipient: Recipient) {
  const fingerprint = store.fingerprint('recipient', scope.organisationId, canonicalRecipient(recipient));
  return maskRecipient(recipient, fingerprint.toString('base64url'));
}

/** The submission that waits at a link. One that no key opens is none: the recipient can enter another. */
async function waitingAt(
  { store, environment }: CollectParts,
  { tokenHash }: FoundLink,
): Promise<{ ok: true; submission: WaitingSubmission | undefined } | { ok: false }> {
  const found = await store.collect.findSubmission(environment, tokenHash);
  if (found.ok) return found;
  const isClosed = found.reason === 'KEY_UNKNOWN' || found.reason === 'SEAL_BROKEN';
  return isClosed ? { ok: true, submission: undefined } : { ok: false };
}

/** Whether a code was sent that can still be entered, for any details. */
async function isCodeGood(parts: CollectParts, link: FoundLink): Promise<boolean> {
  const found = await waitingAt(parts, link);
  return found.ok && found.submission !== undefined && deathOf(found.submission, parts.nowMs()) === undefined;
}

/** Whether no other code can be sent for a link. */
export async function hasNoMoreCodes(parts: CollectParts, link: FoundLink): Promise<boolean> {
  const found = await waitingAt(parts, link);
  return found.ok && found.submission !== undefined && found.submission.nextCodeAtMs === undefined;
}

type Death = NonNullable<CodeView['dead']>;

/** Why a code can no longer be entered; undefined for one that can. */
function deathOf({ attemptsLeft, expiresAtMs }: WaitingSubmission, nowMs: number): Death | undefined {
  if (attemptsLeft <= 0) return 'TOO_MANY_WRONG';
  return expiresAtMs <= nowMs ? 'EXPIRED' : undefined;
}

/** The page that asks for the code, as it stands now. */
function codeAsked(parts: CollectParts, link: FoundLink, subject: Subject, told: Told): Promise<Page> {
  return subject.kind === 'HERE'
    ? askedHere(parts, link, subject, told)
    : askedKept(parts, link, subject, told);
}

async function askedHere(
  parts: CollectParts,
  link: FoundLink,
  { form, schema, recipient }: HereSubject,
  told: Told,
): Promise<Page> {
  const found = await waitingAt(parts, link);
  if (!found.ok) return link.unavailable;
  const { submission: kept } = found;
  const proof = proofOf(parts, link, recipient);
  const isProved = form.get('proof') === proof;
  const isSame =
    kept === undefined ||
    submissionId(parts, link, kept.destination) === submissionId(parts, link, recipient);
  return asked(parts, link, recipient, told, {
    pageState: keepPage(parts, 'code', form),
    subject: { kind: 'HERE', schema, given: recipient, ...defined({ proof: isProved ? proof : undefined }) },
    ...codeFacts(kept, isProved && !isSame, parts.nowMs()),
  });
}

/**
 * The page that was reached by the link alone. It shows as much of a submission as a stranger with the link may see.
 * It does so only while it is the one submission of the link: a later one may be a stranger's, and look the same.
 * Otherwise it is the page of choices.
 */
async function askedKept(
  parts: CollectParts,
  link: FoundLink,
  { submission }: KeptSubject,
  told: Told,
): Promise<Page> {
  const found = await waitingAt(parts, link);
  if (!found.ok) return link.unavailable;
  const { submission: kept } = found;
  if (kept === undefined) return choicePage(parts, link, new URLSearchParams());
  const isOther = !isShowable(parts, link, kept, submission);
  if (isOther || !isRecent(kept, parts.nowMs())) {
    if (kept.nextCodeAtMs === undefined) return spentPage(parts, link);
    const page = choicePage(parts, link, new URLSearchParams(), undefined, isOther);
    return isOther && submission !== undefined ? { ...page, status: 409 } : page;
  }
  return asked(parts, link, kept.destination, told, {
    pageState: keepPage(parts, 'open', new URLSearchParams({ token: link.token })),
    subject: { kind: 'KEPT', submission: submissionId(parts, link, kept.destination) },
    ...codeFacts(kept, false, parts.nowMs()),
  });
}

/** Whether a page that was reached by the link alone may show a submission; `shown`: the id of the one that it has shown. */
function isShowable(
  parts: CollectParts,
  link: FoundLink,
  { destination, isOneOfSeveral }: WaitingSubmission,
  shown: string | undefined,
): boolean {
  if (isOneOfSeveral === true) return false;
  return shown === undefined || shown === submissionId(parts, link, destination);
}

/** Whether a submission is still shown. When the link has no more codes, it is shown while its code is good. */
function isRecent(kept: WaitingSubmission, nowMs: number): boolean {
  return kept.nextCodeAtMs === undefined
    ? deathOf(kept, nowMs) === undefined
    : nowMs - kept.sentAtMs < SHOWN_AGAIN_MS;
}

function asked(
  parts: CollectParts,
  link: FoundLink,
  recipient: Recipient,
  { problem, resent }: Told,
  view: Pick<CodeView, 'pageState' | 'subject' | 'sentAt' | 'attemptsLeft' | 'nextCodeInSeconds' | 'dead'>,
): Page {
  const { pages } = link.facts.catalogue;
  const isSpent = view.nextCodeInSeconds === undefined;
  const html = codePage({
    ...factsFor(link, recipient.type),
    ...view,
    email: maskedEmail(link),
    destination: shownDetails(pages, recipient, masked(parts, link, recipient), link.chainName),
    ...defined({ problem, resent, asking: isSpent ? askingOf(link) : undefined }),
  });
  return { ...statusOf(problem), html };
}

function codeFacts(kept: WaitingSubmission | undefined, isOthers: boolean, nowMs: number) {
  if (kept === undefined) return { dead: 'EXPIRED', nextCodeInSeconds: 0 } as const;
  const { sentAtMs, attemptsLeft, nextCodeAtMs } = kept;
  const nextCodeInSeconds =
    nextCodeAtMs === undefined ? undefined : Math.max(0, Math.ceil((nextCodeAtMs - nowMs) / 1000));
  const dead = isOthers ? 'REPLACED' : deathOf(kept, nowMs);
  return { sentAt: new Date(sentAtMs), attemptsLeft, ...defined({ nextCodeInSeconds, dead }) };
}

/** The status of a page with a problem: 429 when it helps to wait, and 409 when no further code is sent for the link. */
function statusOf(problem: CodeProblem | undefined): Omit<Page, 'html'> {
  if (problem === undefined) return { status: 200 };
  if (problem.kind === 'TOO_SOON') return { status: 429, retryAfterSeconds: problem.retryAfterSeconds };
  return { status: problem.kind === 'TOO_MANY' ? 409 : 400 };
}

/** POST /collect/confirm: with the right code the submission becomes final. */
export const confirm: FormHandler = async (parts, visit) =>
  (visit.form.has('submission') ? confirmKept : confirmHere)(parts, visit);

const confirmHere: FormHandler = onChosen(async (parts, link, form, choice) => {
  const read = readDestination(parts, link, form, choice);
  if (!read.ok) return read.page;
  const { recipient } = read;
  const subject = { kind: 'HERE', form, schema: choice.schema, recipient } as const;
  return enterCode(parts, link, form, subject, submissionId(parts, link, recipient));
});

const confirmKept: FormHandler = onLive(async (parts, link, form) => {
  const submission = form.get('submission') ?? '';
  const subject = { kind: 'KEPT', submission } as const;
  // The step confirms only what the page has shown, and only while nothing else was submitted.
  const found = await waitingAt(parts, link);
  if (!found.ok) return link.unavailable;
  const { submission: kept } = found;
  if (kept === undefined || !isShowable(parts, link, kept, submission))
    return codeAsked(parts, link, subject, {});
  if (form.get('own') !== 'yes')
    return codeAsked(parts, link, subject, { problem: { kind: 'NOT_OWN', entered: enteredIn(form) } });
  return enterCode(parts, link, form, subject, submission);
});

/** The entry in place of a code, to be shown again when it was not tried. */
function enteredIn(form: Form): string {
  return cutText(form.get('code') ?? '', MOST_ENTERED);
}

async function enterCode(
  parts: CollectParts,
  link: FoundLink,
  form: Form,
  subject: Subject,
  submission: string,
): Promise<Page> {
  const digits = readCode(form.get('code') ?? '');
  if (digits === undefined)
    return codeAsked(parts, link, subject, { problem: { kind: 'MALFORMED', entered: enteredIn(form) } });
  const confirmed = await confirmWith(parts, link, submission, digits);
  if (confirmed.ok) return pageNow(parts, link);
  switch (confirmed.reason) {
    case 'CODE_WRONG':
    case 'CODE_EXPIRED':
    case 'TOO_MANY':
    case 'NO_SUBMISSION':
      return codeAsked(parts, link, subject, { problem: { kind: 'WRONG' } });
    case 'LINK_GONE':
    case 'REFUSED':
      // Another request changed the link first, perhaps from another tab, so its new state is shown.
      return pageNow(parts, link);
    default:
      return link.unavailable;
  }
}

function confirmWith(parts: CollectParts, link: FoundLink, submission: string, digits: string) {
  return parts.store.collect.confirmSubmission(
    parts.environment,
    link.tokenHash,
    codeHash(parts, link, submission, digits),
    (plan, submitted) => {
      const destination = masked(parts, link, submitted);
      const endToEndId = nextEndToEndId(parts, link.scope, plan, destination.fingerprint);
      const { step, version } = link;
      return { type: 'COLLECT_SUBMITTED', stepId: step.stepId, version, destination, endToEndId };
    },
    { actor: 'recipient', atMs: parts.nowMs() },
  );
}

/**
 * Submits details and confirms them at once with the code that is mailed, as the sandbox's recipient does. The outcome says
 * what kept it from that.
 */
export async function submitAndConfirm(
  parts: CollectParts,
  link: FoundLink,
  recipient: Recipient,
): Promise<'SUBMITTED' | 'TOO_SOON' | 'TOO_MANY' | 'NOT_USABLE'> {
  const digits = newCode();
  const sent = await sendCode(parts, link, recipient, digits);
  if (sent.outcome !== 'SENT') return sent.outcome === 'PAGE' ? 'NOT_USABLE' : sent.outcome;
  const confirmed = await confirmWith(parts, link, submissionId(parts, link, recipient), digits);
  return confirmed.ok ? 'SUBMITTED' : 'NOT_USABLE';
}

/** The page for the present state of the link. */
async function pageNow(parts: CollectParts, link: FoundLink): Promise<Page> {
  const form = new URLSearchParams({ token: link.token });
  const retryState = () => keepPage(parts, 'open', form);
  const found = await lookUp(parts, { form, catalogue: link.facts.catalogue, retryState });
  if (found.outcome === 'GONE') return found.page;
  return found.outcome === 'USED' ? receipt(parts, found.link) : livePage(parts, found.link);
}
