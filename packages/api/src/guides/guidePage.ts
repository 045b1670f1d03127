import { type Html, html } from '../text/html.ts';
import { page, policyOf } from '../text/page.ts';
import type { GuideText } from './markdown.ts';
import { GUIDE_STYLE } from './style.ts';

/** A guide of the service, at `/docs/NAME`. `page` makes its page, with values as they are now. */
export type Guide = { readonly name: string; readonly title: string; page(): string };

/** What a guide may load. */
export const GUIDE_POLICY = policyOf(GUIDE_STYLE);

/** The placeholder of a credential in code. The script of the pages puts the reader's own in its place. */
export const CREDENTIAL_PLACEHOLDER = 'ID:PASSWORD';

/**
 * The page of a guide. `guides` are all guides, for the way from one to the next.
 *
 * @example
 * ```ts
 * import { guidePage, readGuide } from '@fairway/api';
 *
 * const text = readGuide('# Payments\n\nA plan …', () => undefined);
 * const written = guidePage({ name: 'payments', text, guides: [{ name: 'payments', title: 'Payments' }] });
 * ```
 */
export function guidePage({
  name,
  text: { title, intro, sections },
  guides,
}: {
  readonly name: string;
  readonly text: GuideText;
  readonly guides: readonly Pick<Guide, 'name' | 'title'>[];
}): string {
  const isToFill = [intro, ...sections.map(({ body }) => body)].some((part) =>
    part.html.includes(CREDENTIAL_PLACEHOLDER),
  );
  const [lead, rest] = inTwo(intro);
  return page({
    title: `${title}: Fairway`,
    style: GUIDE_STYLE,
    scriptUrls: ['/docs/code.js'],
    body: html`<div class="guide">
<main id="main">
<h1>${title}</h1>
<section class="part start">
${lead}
<h2 id="contents">On this page</h2>
<ul class="contents">${sections.map((each) => html`<li><a href="#${each.id}">${each.title}</a></li>\n`)}</ul>
${isToFill ? loginForm() : undefined}
${rest.html.trim() === '' ? undefined : html`<h2>In short</h2>${rest}`}
${onward(undefined, sections[0])}
</section>
${sections.map(
  ({ id, title: heading, body }, index) => html`<section class="part" id="${id}">
<h2>${heading}</h2>
${body}${onward({ href: '#main', words: title }, sections[index + 1])}
</section>
`,
)}</main>
<nav class="guides" aria-label="Guides"><h2>Guides</h2>
${guideList(guides, name)}
</nav>
</div>
<p class="unseen" role="status" id="said"></p>`,
  });
}

/** An introduction in two: the paragraph that says what the guide is about, and what stands behind the contents. */
function inTwo({ html: whole }: Html): readonly [Html, Html] {
  const end = whole.indexOf('</p>') + '</p>'.length;
  return [{ html: whole.slice(0, end) }, { html: whole.slice(end) }];
}

/**
 * A list of guides; that with the name `current` is the page itself.
 *
 * @example
 * ```ts
 * import { guideList } from '@fairway/api';
 *
 * const list = guideList([{ name: 'payments', title: 'Payments' }]);
 * ```
 */
export function guideList(guides: readonly Pick<Guide, 'name' | 'title'>[], current?: string): Html {
  const items = guides.map(({ name, title }) => {
    const here = name === current ? html` aria-current="page"` : undefined;
    return html`<li><a href="/docs/${name}"${here}>${title}</a></li>\n`;
  });
  return html`<ul>${items}</ul>`;
}

/** The end of a section where sections are shown one at a time: the way back, and the way on. */
export function onward(
  back: { readonly href: string; readonly words: string } | undefined,
  next: { readonly id: string; readonly title: Html | string } | undefined,
): Html {
  const to = back === undefined ? undefined : html`<a href="${back.href}">Back: ${back.words}</a>`;
  const on = next === undefined ? undefined : html`<a href="#${next.id}">Next: ${next.title}</a>`;
  return html`<p class="onward">${to}${on}</p>`;
}

/** The form of the reader's credential. Its values stay in the page. */
export function loginForm(): Html {
  return html`<section class="card" aria-labelledby="credential">
<h2 id="credential">Your credential</h2>
<p>The code on this page then has it in place of <code>${CREDENTIAL_PLACEHOLDER}</code>. It stays in this page, until you leave it.</p>
<form id="login" autocomplete="off"><label>User name (credential id)<input name="username" autocomplete="off" spellcheck="false"></label><label>Password<input name="password" type="password" autocomplete="off"></label></form>
</section>`;
}
