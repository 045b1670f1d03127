import { html } from '../../text/html.ts';
import { filled } from '../../locales/filled.ts';
import { layout } from './layout.ts';
import type { GoneView } from './views.ts';

/** Says why a link can no longer be used, and what to do. Answers a whole HTML document. */
export function gonePage({ catalogue, kind, organisationName }: GoneView): string {
  const { gone } = catalogue.pages;
  const { title, paragraphs } = gone[kind];
  const organisation = organisationName ?? gone.unknownOrganisation;
  return layout({
    catalogue,
    title,
    ...(organisationName === undefined ? {} : { organisation: { name: organisationName } }),
    body: html`<div class="card"><h1>${title}</h1>${paragraphs.map((text) => html`<p>${filled(text, { organisation })}</p>`)}</div>`,
  });
}
