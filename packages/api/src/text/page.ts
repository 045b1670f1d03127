import { createHash } from 'node:crypto';
import { type Html, html } from './html.ts';
import { IDENTITY } from './identity.ts';

/** The style of pages for people who build on the service or run it. It uses the fonts of the reader's device. */
const STYLE = `${IDENTITY}*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 var(--sans);overflow-wrap:break-word}
body>header,body>main,body>footer{width:min(60rem,100% - 2*min(1.25rem,4vw));margin:0 auto}
body>header{display:flex;gap:.25rem 1.5rem;flex-wrap:wrap;align-items:center;min-height:4rem;padding-top:.5rem;padding-bottom:.5rem}
body>header strong{font-size:var(--heading)}
body>header nav{display:flex;gap:0 1.25rem;flex-wrap:wrap}
body>header nav a{padding:.375rem 0}
footer{color:var(--soft);font-size:var(--small);padding-top:1.5rem;padding-bottom:2rem}
h1{font-size:var(--title);line-height:1.25;letter-spacing:-.01em;margin:.5rem 0 1rem;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:1.25rem;line-height:1.3;margin:2rem 0 .5rem}
h3{font-size:var(--heading);line-height:1.35;margin:1.5rem 0 .375rem}
h4{font-size:1rem;margin:1.25rem 0 .375rem}
p{margin:0 0 .875rem}
p,ul,ol{max-width:46rem}
ul,ol{padding-inline-start:1.25rem;margin:0 0 .875rem}
li{margin:.25rem 0}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
[hidden]{display:none!important}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:.5rem;top:-6rem;z-index:9;padding:.625rem 1rem;background:var(--card);border-radius:var(--corner)}
.skip:focus{top:.5rem}
.soft{color:var(--soft)}
.card{background:var(--card);border:1px solid var(--line);border-radius:var(--card-corner);padding:1.25rem min(1.25rem,4vw)}
.card+.card{margin-top:1rem}
.card>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
code,pre,textarea{font:.875rem/1.5 var(--mono)}
code{overflow-wrap:anywhere}
pre{background:var(--tint);border:1px solid var(--line);border-radius:var(--corner);padding:.75rem 1rem;margin:.5rem 0 1rem;white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;margin:0}
th,td{text-align:start;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);font-size:var(--small)}
tr:last-child>td{border-bottom:0}
th{color:var(--soft);font-weight:600}
details{margin:.75rem 0}
summary{cursor:pointer;font-weight:650;padding:.25rem 0}
label{display:grid;gap:.2rem;font-size:var(--small);font-weight:600}
input,textarea,select,button{color:inherit}
input:not([type=radio]),textarea{width:100%;padding:.5rem .625rem;border:1px solid var(--field);border-radius:var(--corner);background:var(--card);font:.9375rem/1.4 var(--mono)}
button{min-height:2.75rem;padding:.5rem 1.125rem;border:1px solid var(--accent);border-radius:var(--corner);background:var(--button);color:var(--on-button);font:650 .9375rem/1.3 var(--sans);cursor:pointer}
.status{display:inline-block;padding:.0625rem .5rem;border-radius:1rem;background:var(--bad-tint);color:var(--bad);font-size:.875rem;font-weight:650}
@media (min-width:40rem){h1{font-size:var(--wide-title)}.card{padding:1.75rem}}
@media (max-width:39.99rem){.stacked,.stacked tbody,.stacked tr,.stacked td{display:block}.stacked thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}.stacked tr{padding:.625rem 0;border-bottom:1px solid var(--line)}.stacked tr:last-child{border-bottom:0}.stacked td{padding:.0625rem 0;border:0}}
@media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important;scroll-behavior:auto!important}}
@media print{body{background:#fff}body>header nav{display:none}}
`;

/**
 * What a page may load: these styles, and scripts and answers of this service.
 *
 * @example
 * ```ts
 * import { policyOf } from '@fairway/api';
 *
 * const policy = policyOf('h1{color:var(--accent)}');
 * ```
 */
export function policyOf(...styles: readonly string[]): string {
  const hashes = [STYLE, ...styles].map(
    (style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
  return `default-src 'none'; style-src ${hashes.join(' ')}; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The policy of a page without a style of its own. */
export const PAGE_POLICY = policyOf();

/** What stands above and below what a page says. */
export type Frame = {
  readonly name: string;
  readonly links: readonly { readonly href: string; readonly words: string }[];
  readonly footer: string;
};

const SERVICE: Frame = {
  name: 'Fairway',
  links: [
    { href: '/', words: 'Start' },
    { href: '/docs/quick-start', words: 'Quick start' },
    { href: '/docs', words: 'Reference' },
    { href: '/problems', words: 'Problems' },
    { href: '/openapi.json', words: 'OpenAPI' },
  ],
  footer: 'Fairway plans trades. It never signs, never broadcasts and never holds funds.',
};

type Page = {
  readonly title: string;
  readonly body: Html;
  /** A style besides the common one. The policy of the page has to allow it. */
  readonly style?: string;
  /** Scripts of this service. */
  readonly scriptUrls?: readonly string[];
  /** Absent: that of the service. */
  readonly frame?: Frame;
};

/**
 * A whole page: `body` between the header and the footer that all pages have.
 *
 * @example
 * ```ts
 * import { html, page } from '@fairway/api';
 *
 * const text = page({ title: 'Problems', body: html`<main id="main"></main>` });
 * ```
 */
export function page({ title, body, style, scriptUrls = [], frame = SERVICE }: Page): string {
  const links = frame.links.map(({ href, words }) => html`<a href="${href}">${words}</a>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${{ html: STYLE }}</style>
${style === undefined ? undefined : html`<style>${{ html: style }}</style>`}
${scriptUrls.map((url) => html`<script src="${url}" defer></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><strong>${frame.name}</strong><nav aria-label="Pages">${links}</nav></header>
${body}
<footer>${frame.footer}</footer>
</body>
</html>
`.html;
}
