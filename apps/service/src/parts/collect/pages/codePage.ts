import { type Html, html } from '@fairway/api';
import { filled } from '../../../words/locales/filled.ts';
import { asking, contactLine } from './asking.ts';
import { definition } from './definitions.ts';
import { newLinkForm } from './gonePage.ts';
import { formFields } from './formFields.ts';
import {
  errorSummary,
  fieldError,
  layout,
  type Mistake,
  paymentLine,
  progress,
  tokenInput,
} from './layout.ts';
import { moment, waitText } from './localNames.ts';
import { hiddenFields } from './reviewPage.ts';
import type { CodeView } from './views.ts';

/** Asks for the code that was mailed. Answers a whole HTML document. */
export function codePage(view: CodeView): string {
  const { catalogue, organisation, dead, pageState } = view;
  const { code } = catalogue.pages;
  const title = dead === undefined ? code.title : code.spentTitle;
  const mistakes = mistakesOf(view);
  return layout({
    catalogue,
    title,
    organisation,
    pageState,
    hasErrors: mistakes.length > 0,
    body: html`${progress(catalogue, 4)}
<div class="card">
${errorSummary(catalogue, mistakes)}
<h1>${title}</h1>
${paymentLine(view)}
${confirmed(view)}
${dead === undefined ? codeForm(view) : resendForm(view)}
</div>
${dead === undefined ? html`<div class="card"><h2 class="first">${code.resendTitle}</h2>${resendForm(view)}</div>` : undefined}
${notMine(view)}`,
  });
}

/** What the code confirms, and when it was sent. A recipient with only the link is told who may have entered it. */
function confirmed({ catalogue, destination, sentAt, subject }: CodeView): Html {
  const { code } = catalogue.pages;
  const rows = html`<dl>${definition(code.confirms, html`${destination}`)}${sentAt === undefined ? undefined : definition(code.sentAt, moment(catalogue, sentAt))}</dl>`;
  return subject.kind === 'HERE'
    ? rows
    : html`<div class="notice"><p><strong>${code.keptTitle}</strong></p><p>${code.kept}</p></div>${rows}`;
}

function mistakesOf(view: CodeView): readonly Mistake[] {
  const { catalogue, problem, dead } = view;
  const { code } = catalogue.pages;
  const wholes: Mistake[] = [];
  if (dead === 'REPLACED') wholes.push({ text: code.replacedHere });
  else if (dead === 'TOO_MANY_WRONG') wholes.push({ text: code.noAttempts });
  else if (dead === 'EXPIRED') wholes.push({ text: code.expired });
  // A paragraph below says the same about other codes, and whom to ask.
  if (problem?.kind === 'TOO_MANY') wholes.push({ text: code.noMoreCodesShort });
  if (problem?.kind === 'TOO_SOON') {
    const wait = waitText(catalogue, problem.retryAfterSeconds);
    wholes.push({ text: filled(code.tooSoon, { wait }) });
  }
  if (dead !== undefined) return wholes;
  const text = entryError(view);
  const own = problem?.kind === 'NOT_OWN' ? [{ text: code.notOwn, fieldId: 'own' }] : [];
  return [...wholes, ...own, ...(text === undefined ? [] : [{ text, fieldId: 'code' }])];
}

/** What is wrong with the code as it was entered. */
function entryError({ catalogue, problem }: CodeView): string | undefined {
  const { code } = catalogue.pages;
  if (problem?.kind === 'MALFORMED') return code.malformed;
  return problem?.kind === 'WRONG' ? code.wrong : undefined;
}

function codeForm(view: CodeView): Html {
  const { catalogue, token, email, attemptsLeft, problem } = view;
  const { code } = catalogue.pages;
  const error = entryError(view);
  const isCounted = error !== undefined && attemptsLeft !== undefined;
  const errorParts =
    error === undefined
      ? undefined
      : html`${fieldError(catalogue, 'code-error', error)}
${isCounted ? html`<p class="hint" id="code-left">${filled(code.attemptsLeft, { count: String(attemptsLeft) })}</p>` : undefined}`;
  const entered = problem !== undefined && 'entered' in problem ? problem.entered : '';
  const describedBy = [
    'code-hint',
    ...(error === undefined ? [] : ['code-error']),
    ...(isCounted ? ['code-left'] : []),
  ].join(' ');
  const sent =
    view.resent === true
      ? html`<div class="notice good" role="status"><p>${filled(code.resent, { email })}</p></div>`
      : html`<p>${filled(code.sent, { email })} ${code.why}</p>`;
  return html`${sent}
<form method="post" action="/collect/confirm" novalidate>
${tokenInput(token)}
${keptFields(view)}
${ownCheck(view)}
<div class="field${error === undefined ? '' : ' wrong'}">
<label for="code">${code.label}</label>
<p class="hint" id="code-hint">${code.hint} ${code.validFor}</p>
${errorParts}
<input class="exact" type="text" id="code" name="code" value="${entered}" required autocomplete="one-time-code" inputmode="numeric" autocapitalize="off" autocorrect="off" spellcheck="false" aria-describedby="${describedBy}"${error === undefined ? undefined : html` aria-invalid="true"`}>
</div>
<div class="actions"><button type="submit">${code.button}</button></div>
</form>`;
}

/**
 * A recipient who came by the link alone says that the details are theirs: they were not entered on a page before
 * this one.
 */
function ownCheck({ catalogue, subject, destination, problem }: CodeView): Html | undefined {
  if (subject.kind === 'HERE') return undefined;
  const { code } = catalogue.pages;
  const isWrong = problem?.kind === 'NOT_OWN';
  return html`<div${isWrong ? html` class="wrong"` : undefined}>
${isWrong ? fieldError(catalogue, 'own-error', code.notOwn) : undefined}
<label class="confirm" for="own"><input type="checkbox" id="own" name="own" value="yes" required${isWrong ? html` aria-invalid="true" aria-describedby="own-error"` : undefined}><span>${filled(code.own, { destination })}</span></label>
</div>`;
}

/** What the code is for, as hidden inputs. */
function keptFields({ subject }: CodeView): readonly Html[] {
  if (subject.kind === 'KEPT')
    return [html`<input type="hidden" name="submission" value="${subject.submission}">`];
  const entries = formFields(subject.schema, subject.given).filter(({ value }) => value !== '');
  const { proof } = subject;
  const shown = proof === undefined ? [] : [html`<input type="hidden" name="proof" value="${proof}">`];
  return [...hiddenFields(entries), ...shown];
}

function resendForm(view: CodeView): Html {
  const { catalogue, token, organisation, nextCodeInSeconds, dead, subject } = view;
  const { code } = catalogue.pages;
  // A new destination would need a new code, so there is no button to change it either.
  if (nextCodeInSeconds === undefined)
    return html`<p>${asking(code.noMoreCodes, organisation)}</p>${contactLine(catalogue, organisation)}${view.asking === undefined ? undefined : newLinkForm(catalogue, view.asking, organisation.name)}`;
  const isHere = subject.kind === 'HERE';
  const rank = dead === undefined ? html` class="second"` : undefined;
  const when =
    nextCodeInSeconds === 0
      ? code.spentHint
      : filled(code.spentHintIn, { wait: waitText(catalogue, nextCodeInSeconds) });
  const changing = html`<button class="second" type="submit" formaction="/collect/choose">${code.startAgain}</button>`;
  return html`<p>${dead === undefined ? code.resendHint : when}</p>
<form method="post" action="${isHere ? '/collect/submit' : '/collect/resend'}">
${tokenInput(token)}
${keptFields(view)}
${isHere ? html`<input type="hidden" name="resend" value="yes"><input type="hidden" name="confirmed" value="yes">` : undefined}
<div class="actions"><button${rank} type="submit">${code.resend}</button>${isHere ? changing : undefined}</div>
</form>`;
}

/** The way out for whoever did not enter these details. Other details would need another code. */
function notMine({ catalogue, organisation, token, subject, nextCodeInSeconds }: CodeView): Html | undefined {
  if (subject.kind === 'HERE') return undefined;
  const { code } = catalogue.pages;
  if (nextCodeInSeconds === undefined)
    return html`<div class="card"><h2 class="first">${code.notMineTitle}</h2><p>${asking(code.notMineSpent, organisation)}</p></div>`;
  return html`<div class="card"><h2 class="first">${code.notMineTitle}</h2><p>${asking(code.notMine, organisation)}</p>
${contactLine(catalogue, organisation)}
<form method="post" action="/collect/choose">
${tokenInput(token)}
<div class="actions"><button class="second" type="submit">${code.chooseAgain}</button></div>
</form></div>`;
}
