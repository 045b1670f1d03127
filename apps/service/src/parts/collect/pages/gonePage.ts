import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import { asking, contactLine } from './asking.ts';
import { layout, tokenInput } from './layout.ts';
import { withMoment } from './localNames.ts';
import type { Asking, GoneView } from './views.ts';

/** Says why a link can no longer be used, and what to do. Answers a whole HTML document. */
export function gonePage(view: GoneView): string {
  const { catalogue, kind, organisation, pageState } = view;
  const { gone } = catalogue.pages;
  const { title, paragraphs } = gone[kind];
  const asked = organisation ?? { name: gone.unknownOrganisation };
  return layout({
    catalogue,
    title,
    ...(organisation === undefined ? {} : { organisation }),
    pageState,
    body: html`<div class="card"><h1>${title}</h1>${paragraphs.map((text) => html`<p>${asking(text, asked)}</p>`)}
${kind === 'UNAVAILABLE' ? reloadLine(view) : contactLine(catalogue, asked)}
${view.asking === undefined ? undefined : newLinkForm(catalogue, view.asking, asked.name)}</div>`,
  });
}

/** What to do with a page that keeps what was entered. */
function reloadLine({ catalogue, pageState }: GoneView): Html | undefined {
  return pageState === undefined ? undefined : html`<p>${catalogue.pages.gone.reload}</p>`;
}

/** The button that asks for a new link, or since when one was asked for. */
export function newLinkForm(catalogue: Catalogue, request: Asking, organisation: string): Html {
  const { asked, ask, askHint } = catalogue.pages.gone;
  if (request.askedAt !== undefined) {
    const text = filled(asked, { organisation, at: '{at}' });
    return html`<div class="notice good" role="status"><p>${withMoment(catalogue, text, '{at}', request.askedAt)}</p></div>`;
  }
  return html`<form method="post" action="/collect/ask">
${tokenInput(request.token)}
<p class="soft">${filled(askHint, { organisation })}</p>
<div class="actions"><button type="submit">${ask}</button></div>
</form>`;
}
