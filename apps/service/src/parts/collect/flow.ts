import type { Catalogue } from '../../words/locales/catalogue.ts';
import { askForLink } from './askForLink.ts';
import { choicePage, onChosen, onLive, readDestination } from './choices.ts';
import { code, confirm, livePage, resend, submit } from './codeStep.ts';
import { factsFor, type FormHandler, lookUp, type Page } from './linkFacts.ts';
import { keepPage, type ShownStep } from './pageState.ts';
import { detailsPage, readForm, readLink, shellPage } from './pages/index.ts';
import { receipt } from './receipt.ts';
import { reviewed } from './review.ts';

/** POST /collect/open: shows how the link stands. Records the first opening of the link. */
const open: FormHandler = async (parts, visit) => {
  const token = readLink(visit.form.get('token') ?? '');
  if (token === undefined)
    return { status: 400, html: shellPage({ catalogue: visit.catalogue, problem: 'NO_LINK' }) };
  const found = await lookUp(parts, { ...visit, form: new URLSearchParams({ token }) });
  if (found.outcome === 'GONE') return found.page;
  if (found.outcome === 'USED') return receipt(parts, found.link);
  const { link } = found;
  const command = { type: 'LINK_OPENED', stepId: link.step.stepId, version: link.version } as const;
  const context = { actor: 'recipient', atMs: parts.nowMs() };
  // The answer is not checked: the page is shown even when the command cannot be recorded.
  await parts.store.payments.changePlan(link.scope, link.plan.planId, command, context);
  return livePage(parts, link);
};

/** POST /collect/choose: shows the payment and the destinations to choose from, also while a code waits. */
const choose: FormHandler = onLive((parts, link, form) => choicePage(parts, link, form));

/** POST /collect/details: the form for the chosen destination, filled in with what was given before. */
const details: FormHandler = onChosen((parts, link, form, { type, schema }) => ({
  status: 200,
  html: detailsPage({
    ...factsFor(link, type),
    pageState: keepPage(parts, 'details', form),
    schema,
    given: readForm(form, schema),
  }),
}));

/** POST /collect/review: shows all details in full to be checked, or the form again with its errors. */
const review: FormHandler = onChosen((parts, link, form, choice) => {
  const read = readDestination(parts, link, form, choice);
  return read.ok ? reviewed(parts, link, form, choice.schema, read.recipient) : read.page;
});

/**
 * The forms of the recipient's pages. `shows`: the step that shows a page again when the form could not be answered. This
 * step does not carry out the form.
 */
export const FORMS: Readonly<Record<string, { readonly handler: FormHandler; readonly shows: ShownStep }>> = {
  open: { handler: open, shows: 'open' },
  choose: { handler: choose, shows: 'choose' },
  details: { handler: details, shows: 'details' },
  review: { handler: review, shows: 'review' },
  submit: { handler: submit, shows: 'review' },
  resend: { handler: resend, shows: 'open' },
  confirm: { handler: confirm, shows: 'code' },
  ask: { handler: askForLink, shows: 'open' },
};

/** The steps that show a page again. No step sends an e-mail or counts an attempt. Only `open` records something. */
export const SHOWN: Readonly<Record<ShownStep, FormHandler>> = { open, choose, details, review, code };

/** The page that asks for the link again, because the state that the browser kept of a page is wrong or too old. */
export function pageOver(catalogue: Catalogue): Page {
  return { status: 410, html: shellPage({ catalogue, problem: 'PAGE_OVER' }) };
}
