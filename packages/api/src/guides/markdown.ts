import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { type Html, html } from '../text/html.ts';

/** A section of a guide: what stands below a heading of the second level. */
export type GuideSection = { readonly id: string; readonly title: Html; readonly body: Html };

/** The text of a guide: its title, what stands before the first section, and the sections. */
export type GuideText = {
  readonly title: string;
  readonly intro: Html;
  readonly sections: readonly GuideSection[];
};

/** Where a link of a guide leads; undefined where the service shows nothing: then its text stands alone. */
export type LinkOf = (href: string) => string | undefined;

/**
 * Reads a document in Markdown. Every text is escaped, and nothing else becomes markup: a document with HTML, or with
 * anything that is not written here, is refused.
 *
 * @example
 * ```ts
 * import { readGuide } from '@fairway/api';
 *
 * const { title } = readGuide('# Payments\n\nA plan …', () => undefined); // 'Payments'
 * ```
 */
export function readGuide(markdown: string, linkOf: LinkOf): GuideText {
  const writing: Writing = { linkOf, uses: new Map() };
  const [first, ...tokens] = lexer(markdown) as MarkedToken[];
  if (first?.type !== 'heading') throw new Error('A guide begins with its title');
  const begins = tokens.flatMap((token, index) => (isSectionTitle(token) ? [index] : []));
  const intro = blocks(tokens.slice(0, begins[0]), writing);
  const sections = begins.map((begin, index) => {
    const heading = tokens[begin] as Tokens.Heading;
    const id = idOf(heading, writing);
    const body = blocks(tokens.slice(begin + 1, begins[index + 1]), writing);
    return { id, title: inline(heading.tokens, writing), body };
  });
  return { title: plainText(first.tokens), intro, sections };
}

/** What is known while a document is written: where links lead, and how often each id was used. */
type Writing = { readonly linkOf: LinkOf; readonly uses: Map<string, number> };

function isSectionTitle(token: MarkedToken): boolean {
  return token.type === 'heading' && token.depth === 2;
}

/**
 * Code to read or to copy. Its button is added where scripts run.
 *
 * @example
 * ```ts
 * import { codeBlock } from '@fairway/api';
 *
 * const { html } = codeBlock('curl http://127.0.0.1:8080/livez');
 * ```
 */
export function codeBlock(text: string): Html {
  return html`<div class="code"><pre>${text}</pre></div>`;
}

/** The id that GitHub gives to a heading, so that links work on both. */
function idOf({ tokens }: Tokens.Heading, { uses }: Writing): string {
  const words = plainText(tokens).toLowerCase();
  const id = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
  const earlier = uses.get(id) ?? 0;
  uses.set(id, earlier + 1);
  return earlier === 0 ? id : `${id}-${earlier}`;
}

function blocks(tokens: readonly Token[], writing: Writing): Html {
  return html`${tokens.map((token) => block(token as MarkedToken, writing))}`;
}

function block(token: MarkedToken, writing: Writing): Html {
  switch (token.type) {
    case 'space':
      return html``;
    case 'heading': {
      const [id, title] = [idOf(token, writing), inline(token.tokens, writing)];
      return token.depth === 3 ? html`<h3 id="${id}">${title}</h3>\n` : html`<h4 id="${id}">${title}</h4>\n`;
    }
    case 'paragraph':
      return html`<p>${inline(token.tokens, writing)}</p>\n`;
    case 'text':
      return span(token, writing);
    case 'code':
      return html`${codeBlock(token.text)}\n`;
    case 'list':
      return listOf(token, writing);
    case 'table':
      return tableOf(token, writing);
    default:
      throw unknown(token);
  }
}

function listOf({ ordered, start, items }: Tokens.List, writing: Writing): Html {
  const written = items.map(({ tokens }) => html`<li>${blocks(tokens, writing)}</li>\n`);
  return ordered ? html`<ol start="${start}">${written}</ol>\n` : html`<ul>${written}</ul>\n`;
}

/** Where a row is shown as a stack, the label of each cell but the first says which column it is of. */
function tableOf({ header, rows }: Tokens.Table, writing: Writing): Html {
  const labels = header.map(({ tokens }, column) =>
    header.length > 2 && column > 0 ? plainText(tokens) : '',
  );
  const titles = header.map(({ tokens }) =>
    tokens.length === 0 ? html`<td></td>` : html`<th scope="col">${inline(tokens, writing)}</th>`,
  );
  const written = rows.map((row) => {
    const cells = row.map(
      ({ tokens }, column) => html`<td data-label="${labels[column]}">${inline(tokens, writing)}</td>`,
    );
    return html`<tr>${cells}</tr>\n`;
  });
  return html`<table class="stacked"><thead><tr>${titles}</tr></thead>\n<tbody>${written}</tbody></table>\n`;
}

function inline(tokens: readonly Token[], writing: Writing): Html {
  return html`${tokens.map((token) => span(token as MarkedToken, writing))}`;
}

function span(token: MarkedToken, writing: Writing): Html {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? html`${token.text}` : inline(token.tokens, writing);
    case 'escape':
      return html`${token.text}`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'strong':
      return html`<strong>${inline(token.tokens, writing)}</strong>`;
    case 'em':
      return html`<em>${inline(token.tokens, writing)}</em>`;
    case 'link': {
      const [to, words] = [writing.linkOf(token.href), inline(token.tokens, writing)];
      return to === undefined ? words : html`<a href="${to}">${words}</a>`;
    }
    default:
      throw unknown(token);
  }
}

function plainText(tokens: readonly Token[]): string {
  return (tokens as readonly MarkedToken[])
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      return 'text' in token ? token.text : '';
    })
    .join('');
}

function unknown({ type, raw }: MarkedToken): Error {
  return new Error(`A guide cannot show ${type}: ${raw.slice(0, 60)}`);
}
