import { contactWays } from '../../../words/text/contactWays.ts';
import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import type { ShownOrganisation } from './views.ts';

const PLACE = '{organisation}';

/** A text that tells the reader to ask the organisation. Its last name in the text links to where it can be asked. */
export function asking(text: string, organisation: ShownOrganisation): Html {
  const { name } = organisation;
  const at = text.lastIndexOf(PLACE);
  const [first] = contactWays(organisation.support ?? {});
  if (first === undefined || at < 0) return html`${filled(text, { organisation: name })}`;
  const [before, after] = [text.slice(0, at), text.slice(at + PLACE.length)].map((part) =>
    filled(part, { organisation: name }),
  );
  return html`${before}${link(first.url, name)}${after}`;
}

/** Every way to ask the organisation, as a paragraph; undefined where none is configured. */
export function contactLine({ pages }: Catalogue, organisation: ShownOrganisation): Html | undefined {
  const ways = contactWays(organisation.support ?? {});
  if (ways.length === 0) return undefined;
  const label = filled(pages.common.contact, { organisation: organisation.name });
  const links = ways.map(({ url, text }) => html` ${link(url, text)}`);
  return html`<p class="contact"><span>${label}</span>${links}</p>`;
}

/** Another site opens beside the page, which cannot be reached again by its address, and is not told of it. */
export function link(href: string, text: string): Html {
  const beside = /^https:/i.test(href) ? html` target="_blank" rel="noreferrer noopener"` : undefined;
  return html`<a href="${href}"${beside}>${text}</a>`;
}
