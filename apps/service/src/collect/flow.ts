import {
  canonicalRecipient,
  maskRecipient,
  type Plan,
  type Recipient,
  type RecipientType,
  defined,
} from '@fairway/plan';
import { LIMITS, type RecipientSchema } from '@fairway/wire';
import { eip55 } from '../text/eip55.ts';
import type { Catalogue } from '../locales/catalogue.ts';
import { plainLine } from '../text/plainLine.ts';
import { destinationSchema } from '../payments/corridors.ts';
import { newEndToEndId } from '../payments/endToEndId.ts';
import { offeredTypes } from '../payments/offeredTypes.ts';
import { refuseDepositAddress } from '../recipients/recipientReader.ts';
import type { CollectParts } from './collectParts.ts';
import { factsFor, type FoundLink, gone, lookUp, type Page } from './linkFacts.ts';
import { shownAmount } from './shownMoney.ts';
import {
  codePage,
  type DestinationChoice,
  destinationPage,
  detailsPage,
  readCode,
  readForm,
  readLink,
  receiptPage,
  reviewPage,
  shellPage,
} from './pages/index.ts';
import { newCode } from './token.ts';

/** The posted fields of a form. */
export type Form = URLSearchParams;
/** Answers a posted form with a page. `fallback`: the language while the link's own is not known. */
export type FormHandler = (parts: CollectParts, form: Form, fallback: Catalogue) => Promise<Page>;

/** How long a code is valid. */
const CODE_LIFE_MS = 10 * 60_000;

/** POST /collect/open: shows the payment and the destinations to choose from. Records the first opening of the link. */
export const open: FormHandler = async (parts, form, fallback) => {
  const token = readLink(form.get('token') ?? '');
  if (token === undefined)
    return { status: 400, html: shellPage({ catalogue: fallback, problem: 'NO_LINK' }) };
  const found = await lookUp(parts, token, fallback);
  if (found.outcome === 'GONE') return found.page;
  if (found.outcome === 'USED') return receipt(found.link);
  const { link } = found;
  const event = { type: 'LINK_OPENED', stepId: link.step.stepId, version: link.version } as const;
  const deed = { actor: 'recipient', atMs: parts.nowMs() };
  // The answer is not checked: the page is shown even when the event cannot be recorded.
  await parts.store.payments.changePlan(link.scope, link.plan.planId, event, deed);
  return destination(link, form);
};

function destination(link: FoundLink, form: Form, problem?: 'NO_TYPE' | 'NO_COUNTRY'): Page {
  const { message } = link.plan.options.collect ?? {};
  const [type, country] = [form.get('type'), form.get('country')];
  return {
    status: problem === undefined ? 200 : 400,
    html: destinationPage({
      ...link.facts,
      ...defined({
        message: message === undefined ? undefined : plainLine(message, LIMITS.collectMessageLength),
      }),
      choices: choicesOf(link),
      given: { ...(type === null ? {} : { type }), ...(country === null ? {} : { country }) },
      ...defined({ problem }),
    }),
  };
}

/** The destinations that can be chosen, with what their fields need. */
function choicesOf(link: FoundLink): readonly DestinationChoice[] {
  const { plan, chainName } = link;
  const { destinations, target } = plan.corridor;
  return offeredTypes(plan).map((type): DestinationChoice => {
    switch (type) {
      case 'wallet':
        return { type, chainName, amountText: factsFor(link, type).amount.text };
      case 'bank':
        return { type, countries: destinations?.bankCountries ?? [] };
      case 'emoney':
        return { type, currency: target.currency };
    }
  });
}

/** The type of the chosen destination and its schema, or the page that asks for the choice again. */
type Chosen =
  | {
      readonly ok: true;
      readonly type: RecipientType;
      readonly country: string | undefined;
      readonly schema: RecipientSchema;
    }
  | { readonly ok: false; readonly page: Page };

function chosen(link: FoundLink, form: Form): Chosen {
  const choice = choicesOf(link).find(({ type }) => type === form.get('type'));
  if (choice === undefined) return { ok: false, page: destination(link, form, 'NO_TYPE') };
  const country = form.get('country') ?? undefined;
  if (choice.type === 'bank' && (country === undefined || !choice.countries.includes(country)))
    return { ok: false, page: destination(link, form, 'NO_COUNTRY') };
  const schema = destinationSchema(link.plan.corridor, choice.type, country);
  return { ok: true, type: choice.type, country, schema };
}

/**
 * Makes a handler that runs a step for a link that can still be used. For any other link it answers the link's page.
 */
function onLive(
  step: (parts: CollectParts, link: FoundLink, form: Form) => Promise<Page> | Page,
): FormHandler {
  return async (parts, form, fallback) => {
    const found = await lookUp(parts, form.get('token') ?? '', fallback);
    if (found.outcome === 'GONE') return found.page;
    if (found.outcome === 'USED') return receipt(found.link);
    return step(parts, found.link, form);
  };
}

/** Makes a handler that runs a step once a destination was chosen. Until then it answers the page of choices. */
function onChosen(
  step: (
    parts: CollectParts,
    link: FoundLink,
    form: Form,
    choice: Extract<Chosen, { ok: true }>,
  ) => Promise<Page> | Page,
): FormHandler {
  return onLive((parts, link, form) => {
    const choice = chosen(link, form);
    return choice.ok ? step(parts, link, form, choice) : choice.page;
  });
}

/** POST /collect/details: the form for the chosen destination, filled in with what was given before. */
export const details: FormHandler = onChosen((_parts, link, form, { type, schema }) => ({
  status: 200,
  html: detailsPage({
    ...factsFor(link, type),
    schema,
    chainName: link.chainName,
    given: readForm(form, schema),
  }),
}));

/** POST /collect/review: shows all details in full to be checked, or the form again with its errors. */
export const review: FormHandler = onChosen((parts, link, form, choice) => {
  const read = readDestination(parts, link, form, choice);
  return read.ok ? reviewed(link, choice.schema, read.recipient) : read.page;
});

type ReviewProblem = NonNullable<Parameters<typeof reviewPage>[0]['problem']>;

function reviewed(link: FoundLink, schema: RecipientSchema, given: Recipient, problem?: ReviewProblem): Page {
  return {
    ...standingOf(problem),
    html: reviewPage({
      ...factsFor(link, given.type),
      schema,
      chainName: link.chainName,
      given,
      email: maskedEmail(link.plan),
      ...defined({ problem }),
    }),
  };
}

/**
 * The status of a page with a problem: 429 when it helps to wait, and 409 when no further code is sent for the link.
 */
function standingOf(problem: ReviewProblem | CodeStanding['problem']): Omit<Page, 'html'> {
  switch (problem?.kind) {
    case undefined:
      return { status: 200 };
    case 'TOO_SOON':
    case 'RESEND_TOO_SOON':
      return { status: 429, retryAfterSeconds: problem.retryAfterSeconds };
    case 'TOO_MANY':
    case 'RESEND_TOO_MANY':
      return { status: 409 };
    default:
      return { status: 400 };
  }
}

function maskedEmail({ recipient }: Plan): string {
  return recipient.type === 'email' ? recipient.email : '';
}

type ReadDestination =
  | { readonly ok: true; readonly recipient: Recipient }
  | { readonly ok: false; readonly page: Page };

function readDestination(
  { corridors }: CollectParts,
  link: FoundLink,
  form: Form,
  { type, country, schema }: Extract<Chosen, { ok: true }>,
): ReadDestination {
  const given = readForm(form, schema);
  const { corridor, options } = link.plan;
  const read = refuseDepositAddress(
    corridors.readDestination(corridor, type, country, given),
    options.depositAddress,
  );
  if (read.ok) return read;
  const html = detailsPage({
    ...factsFor(link, type),
    schema,
    chainName: link.chainName,
    given,
    errors: read.errors,
  });
  return { ok: false, page: { status: 400, html } };
}

/** POST /collect/submit: keeps the sealed details, and mails a code to the recipient. */
export const submit: FormHandler = onChosen(async (parts, link, form, choice) => {
  const read = readDestination(parts, link, form, choice);
  if (!read.ok) return read.page;
  if (choice.type === 'wallet' && form.get('confirmed') !== 'yes')
    return reviewed(link, choice.schema, read.recipient, { kind: 'NOT_CONFIRMED' });
  const sent = await sendCode(parts, link, read.recipient);
  if (sent.outcome === 'PAGE') return sent.page;
  if (form.get('again') === 'yes' || sent.outcome === 'SENT') {
    return codeAsked(link, choice.schema, read.recipient, sentStanding(sent, form.get('again') === 'yes'));
  }
  const problem: ReviewProblem =
    sent.outcome === 'TOO_SOON'
      ? { kind: 'TOO_SOON', retryAfterSeconds: sent.retryAfterSeconds }
      : { kind: 'TOO_MANY' };
  return reviewed(link, choice.schema, read.recipient, problem);
});

function sentStanding(sent: Exclude<SentCode, { outcome: 'PAGE' }>, isAgain: boolean): CodeStanding {
  if (sent.outcome === 'TOO_MANY') return { canResend: false, problem: { kind: 'RESEND_TOO_MANY' } };
  if (sent.outcome === 'SENT') return { canResend: true, ...(isAgain ? { resent: true } : {}) };
  return { canResend: true, problem: { kind: 'RESEND_TOO_SOON', retryAfterSeconds: sent.retryAfterSeconds } };
}

type SentCode =
  | { readonly outcome: 'SENT' }
  | { readonly outcome: 'TOO_MANY' }
  | { readonly outcome: 'TOO_SOON'; readonly retryAfterSeconds: number }
  | { readonly outcome: 'PAGE'; readonly page: Page };

/** Keeps a submission and queues the e-mail with its code. */
async function sendCode(parts: CollectParts, link: FoundLink, submission: Recipient): Promise<SentCode> {
  const { scope, plan, facts } = link;
  const addressed = await parts.store.payments.readRecipient(scope, plan.planId);
  if (!addressed.ok || addressed.recipient?.type !== 'email')
    return { outcome: 'PAGE', page: gone('UNAVAILABLE', facts.catalogue).page };
  const code = newCode();
  const { email: to, name } = addressed.recipient;
  const kept = await parts.store.collect.keepSubmission(parts.environment, link.tokenHash, {
    destination: submission,
    codeHash: codeHash(parts, link, submissionId(parts, link, submission), code),
    codeLifeMs: CODE_LIFE_MS,
    mail: { kind: 'CODE', to, locale: facts.catalogue.locale, code, ...defined({ name }) },
  });
  if (kept.ok) return { outcome: 'SENT' };
  switch (kept.reason) {
    case 'TOO_SOON':
      return { outcome: 'TOO_SOON', retryAfterSeconds: Math.ceil(kept.retryAfterMs / 1000) };
    case 'TOO_MANY':
      return { outcome: 'TOO_MANY' };
    case 'LINK_GONE':
      return { outcome: 'PAGE', page: await again(parts, link) };
    default:
      return { outcome: 'PAGE', page: gone('UNAVAILABLE', facts.catalogue).page };
  }
}

/** A text that identifies a submission by its link and its details. A code is valid only with the same submission. */
function submissionId({ store }: CollectParts, { scope, token }: FoundLink, submission: Recipient): string {
  const text = `${token}\0${canonicalRecipient(submission)}`;
  return store.fingerprint('submission', scope.organisationId, text).toString('base64url');
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
  code: string,
): Buffer {
  return store.fingerprint('code', scope.organisationId, `${token}\0${submission}\0${code}`);
}

type CodeStanding = Pick<Parameters<typeof codePage>[0], 'attemptsLeft' | 'canResend' | 'problem' | 'resent'>;

function codeAsked(link: FoundLink, schema: RecipientSchema, given: Recipient, standing: CodeStanding): Page {
  return {
    ...standingOf(standing.problem),
    html: codePage({
      ...factsFor(link, given.type),
      email: maskedEmail(link.plan),
      schema,
      given,
      ...standing,
    }),
  };
}

/** POST /collect/confirm: with the right code the submission becomes final. */
export const confirm: FormHandler = onChosen(async (parts, link, form, choice) => {
  const read = readDestination(parts, link, form, choice);
  if (!read.ok) return read.page;
  const submission = submissionId(parts, link, read.recipient);
  const ask = (standing: CodeStanding) => codeAsked(link, choice.schema, read.recipient, standing);
  const code = readCode(form.get('code') ?? '');
  if (code === undefined) return ask({ canResend: true, problem: { kind: 'MALFORMED' } });
  const confirmed = await parts.store.collect.confirmSubmission(
    parts.environment,
    link.tokenHash,
    codeHash(parts, link, submission, code),
    (_plan, destination) => ({
      type: 'COLLECT_SUBMITTED',
      stepId: link.step.stepId,
      version: link.version,
      destination: maskRecipient(destination, fingerprintOf(parts, link, destination)),
      endToEndId: newEndToEndId(),
    }),
    { actor: 'recipient', atMs: parts.nowMs() },
  );
  if (confirmed.ok) return again(parts, link);
  switch (confirmed.reason) {
    case 'CODE_WRONG':
      return ask({
        attemptsLeft: confirmed.attemptsLeft,
        canResend: confirmed.canResend,
        problem: { kind: 'WRONG' },
      });
    case 'CODE_EXPIRED':
      return ask({ attemptsLeft: 0, canResend: confirmed.canResend, problem: { kind: 'EXPIRED' } });
    case 'TOO_MANY':
      return ask({ attemptsLeft: 0, canResend: confirmed.canResend, problem: { kind: 'WRONG' } });
    case 'NO_SUBMISSION':
      return ask({ attemptsLeft: 0, canResend: true, problem: { kind: 'EXPIRED' } });
    case 'LINK_GONE':
    case 'REFUSED':
      // Another request changed the link first, perhaps from another tab, so its new state is shown.
      return again(parts, link);
    default:
      return gone('UNAVAILABLE', link.facts.catalogue).page;
  }
});

/** The page for the present state of the link. */
async function again(parts: CollectParts, { token, facts }: FoundLink): Promise<Page> {
  const found = await lookUp(parts, token, facts.catalogue);
  if (found.outcome === 'GONE') return found.page;
  return found.outcome === 'USED' ? receipt(found.link) : destination(found.link, new URLSearchParams());
}

function fingerprintOf({ store }: CollectParts, { scope }: FoundLink, recipient: Recipient): string {
  return store
    .fingerprint('recipient', scope.organisationId, canonicalRecipient(recipient))
    .toString('base64url');
}

/** The receipt page of a used link. It shows the link's own submission; later submissions belong to other links. */
function receipt(link: FoundLink): Page {
  const { step, version, plan, facts, chainName, payoutToken } = link;
  const round = step.link?.version === version ? step : step.rounds.find((each) => each.version === version);
  const { destination: shown, submittedAtMs, delivery } = round ?? {};
  if (shown === undefined || shown.type === 'email' || submittedAtMs === undefined)
    return gone('EXPIRED', facts.catalogue, facts.organisation.name).page;
  const { status = 'PENDING', occurredAtMs, paidAmount, providerReference } = delivery ?? {};
  const { expiresAt: _expiresAt, ...rest } = factsFor(link, shown.type);
  const paid = paidAmount && shownAmount(plan, payoutToken, paidAmount, facts.catalogue.language, shown.type);
  return {
    status: 200,
    html: receiptPage({
      ...rest,
      destination: shown.type === 'wallet' ? { ...shown, address: eip55(shown.address) } : shown,
      chainName,
      submittedAt: new Date(submittedAtMs),
      delivery: {
        status,
        ...defined({ occurredAt: occurredAtMs === undefined ? undefined : new Date(occurredAtMs) }),
        ...defined({ paidAmountText: paid && `${paid.number} ${paid.unit}` }),
        ...(providerReference === undefined
          ? {}
          : { reference: plainLine(providerReference, LIMITS.providerReferenceLength) }),
      },
    }),
  };
}
