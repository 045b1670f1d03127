import { type Html, html } from '../../text/html.ts';
import type { Catalogue } from '../../locales/catalogue.ts';
import { filled } from '../../locales/filled.ts';
import {
  errorSummary,
  fieldError,
  layout,
  type Mistake,
  paymentLine,
  progress,
  tokenInput,
} from './layout.ts';
import { formFields } from './formFields.ts';
import { waitText } from './localNames.ts';
import { hiddenFields } from './reviewPage.ts';
import type { CodeProblem, CodeView } from './views.ts';

/** Asks for the code that was mailed. Answers a whole HTML document. */
export function codePage(view: CodeView): string {
  const { catalogue, organisation } = view;
  const { code } = catalogue.pages;
  const title = isSpent(view) ? code.spentTitle : code.title;
  const mistakes = mistakesOf(view);
  return layout({
    catalogue,
    title,
    organisation,
    hasErrors: mistakes.length > 0,
    body: html`${progress(catalogue, 4)}
<div class="card">
${errorSummary(catalogue, mistakes)}
<h1>${title}</h1>
${paymentLine(view)}
${isSpent(view) ? resendForm(view) : codeForm(view)}
</div>
${isSpent(view) ? undefined : html`<div class="card"><h2 class="first">${code.resendTitle}</h2>${resendForm(view)}</div>`}`,
  });
}

/** Whether the recipient needs another code to go on. */
function isSpent({ attemptsLeft, problem }: CodeView): boolean {
  return attemptsLeft === 0 || problem?.kind === 'EXPIRED';
}

function mistakesOf({ catalogue, problem, attemptsLeft }: CodeView): readonly Mistake[] {
  const { code } = catalogue.pages;
  switch (problem?.kind) {
    case 'RESEND_TOO_SOON':
      return [{ text: filled(code.tooSoon, { wait: waitText(catalogue, problem.retryAfterSeconds) }) }];
    // A paragraph below says the same about other codes, and whom to ask.
    case 'RESEND_TOO_MANY':
      return [{ text: code.noMoreCodesShort }];
    case 'EXPIRED':
      return [{ text: code.expired }];
    case 'MALFORMED':
    case 'WRONG':
    case undefined: {
      if (attemptsLeft === 0) return [{ text: code.noAttempts }];
      const text = entryError(catalogue, problem);
      return text === undefined ? [] : [{ text, fieldId: 'code' }];
    }
  }
}

/** What is wrong with the code as it was entered. */
function entryError({ pages }: Catalogue, problem: CodeProblem | undefined): string | undefined {
  if (problem?.kind === 'MALFORMED') return pages.code.malformed;
  return problem?.kind === 'WRONG' ? pages.code.wrong : undefined;
}

function codeForm(view: CodeView): Html {
  const { catalogue, token, email, attemptsLeft, problem } = view;
  const { code } = catalogue.pages;
  const error = entryError(catalogue, problem);
  const errorParts =
    error === undefined
      ? undefined
      : html`${fieldError(catalogue, 'code-error', error)}
${attemptsLeft === undefined ? undefined : html`<p class="hint" id="code-left">${filled(code.attemptsLeft, { count: String(attemptsLeft) })}</p>`}`;
  const describedBy = [
    'code-hint',
    ...(error === undefined ? [] : ['code-error']),
    ...(error === undefined || attemptsLeft === undefined ? [] : ['code-left']),
  ].join(' ');
  const sent =
    view.resent === true
      ? html`<div class="notice good" role="status"><p>${filled(code.resent, { email })}</p></div>`
      : html`<p>${filled(code.sent, { email })} ${code.why}</p>`;
  return html`${sent}
<form method="post" action="/collect/confirm" novalidate>
${tokenInput(token)}
${keptFields(view)}
<div class="field${error === undefined ? '' : ' wrong'}">
<label for="code">${code.label}</label>
<p class="hint" id="code-hint">${code.hint} ${code.validFor}</p>
${errorParts}
<input class="exact" type="text" id="code" name="code" required autocomplete="one-time-code" inputmode="numeric" autocapitalize="off" autocorrect="off" spellcheck="false" aria-describedby="${describedBy}"${error === undefined ? undefined : html` aria-invalid="true"`}>
</div>
<div class="actions"><button type="submit">${code.button}</button></div>
</form>`;
}

function keptFields({ schema, given }: CodeView): readonly Html[] {
  return hiddenFields(formFields(schema, given).filter(({ value }) => value !== ''));
}

function resendForm(view: CodeView): Html {
  const { catalogue, token, organisation, canResend } = view;
  const { code } = catalogue.pages;
  // A new destination would need a new code, so there is no button to change it either.
  if (!canResend) return html`<p>${filled(code.noMoreCodes, { organisation: organisation.name })}</p>`;
  const rank = isSpent(view) ? undefined : html` class="second"`;
  return html`<p>${isSpent(view) ? code.spentHint : code.resendHint}</p>
<form method="post" action="/collect/submit">
${tokenInput(token)}
${keptFields(view)}
<input type="hidden" name="again" value="yes">
<input type="hidden" name="confirmed" value="yes">
<div class="actions"><button${rank} type="submit">${code.resend}</button><button class="second" type="submit" formaction="/collect/open">${code.startAgain}</button></div>
</form>`;
}
