import { html } from '@fairway/api';
import { errorSummary, fieldError, layout } from './layout.ts';
import type { ShellView } from './views.ts';

/**
 * Opens a link: the script posts the token in the address bar to /collect/open, or the recipient pastes the link into a
 * field. `readLink` reads what is posted. Answers a whole HTML document.
 */
export function shellPage({ catalogue, problem }: ShellView): string {
  const { shell } = catalogue.pages;
  const isWrong = problem === 'NO_LINK';
  const error = isWrong ? fieldError(catalogue, 'link-error', shell.noLink) : undefined;
  return layout({
    catalogue,
    title: shell.title,
    hasErrors: isWrong,
    body: html`<div class="card">
<div id="collect">
${errorSummary(catalogue, isWrong ? [{ text: shell.noLink, fieldId: 'link' }] : [])}
<h1>${shell.title}</h1>
${problem === 'PAGE_OVER' ? html`<div class="notice care" role="status"><p>${shell.pageOver}</p></div>` : undefined}
<p>${shell.explanation}</p>
<form method="post" action="/collect/open" novalidate${problem === undefined ? html` data-open` : undefined}>
<div class="field${isWrong ? ' wrong' : ''}">
<label for="link">${shell.label}</label>
<p class="hint" id="link-hint">${shell.hint}</p>
${error}
<input class="exact" type="text" id="link" name="token" required autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" inputmode="url" aria-describedby="link-hint${isWrong ? ' link-error' : ''}"${isWrong ? html` aria-invalid="true"` : undefined}>
</div>
<div class="actions"><button type="submit">${shell.button}</button></div>
</form>
</div>
<p role="status" data-opening="${shell.opening}"></p>
</div>`,
  });
}
