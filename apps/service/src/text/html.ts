import { createHash } from 'node:crypto';

/** Text that is HTML already. */
export type Html = { readonly html: string };
type Part = Html | string | number | undefined | readonly Html[];

/** Template tag: every value that is not Html itself is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.map((text, index) => text + written(parts[index])).join('') };
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'html' in part ? part.html : part.map((item) => item.html).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b2430;--soft:#5a6675;--paper:#fff;--panel:#f4f6f8;--line:#d7dde4;--link:#0b5cad;--good:#17663a;--bad:#a3271f}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaef;--soft:#a3aebb;--paper:#12171d;--panel:#1b222b;--line:#333d49;--link:#7db8f5;--good:#7fd3a2;--bad:#f3a39c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main,header,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1rem;padding-bottom:.75rem;display:flex;gap:1.25rem;flex-wrap:wrap;align-items:baseline}
header strong{font-size:1.05rem}
nav{display:flex;gap:1rem;flex-wrap:wrap}
main{border-top:1px solid var(--line);padding-top:1rem;padding-bottom:3rem}
footer{color:var(--soft);font-size:.9rem;padding-bottom:2rem}
h1{font-size:1.75rem;line-height:1.2;margin:1rem 0}
h2{font-size:1.25rem;margin:2.25rem 0 .5rem}
h3{font-size:1rem;margin:1.5rem 0 .25rem}
p,ul,ol,dl{max-width:46rem}
a{color:var(--link)}
a:focus-visible,button:focus-visible,input:focus-visible,textarea:focus-visible,summary:focus-visible{outline:3px solid var(--link);outline-offset:2px}
code,pre,textarea,input{font:.875rem/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);font-size:.925rem}
td:first-child{white-space:nowrap}
td:last-child{min-width:16rem}
.soft{color:var(--soft)}
.operation{border-top:1px solid var(--line);margin-top:2.5rem}
.operation h3{font-size:1.1rem;margin-top:1.5rem}
details{margin:.75rem 0}
summary{cursor:pointer;font-weight:600}
form{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:1rem;margin:.75rem 0;display:grid;gap:.6rem}
label{display:grid;gap:.15rem;font-size:.9rem}
input,textarea{width:100%;padding:.45rem .6rem;border:1px solid var(--soft);border-radius:4px;background:var(--paper);color:var(--ink)}
button{justify-self:start;padding:.5rem 1.1rem;border:0;border-radius:4px;background:var(--link);color:var(--paper);font:600 .95rem system-ui,sans-serif;cursor:pointer}
output{display:block}
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** What a page may load: its own style, and scripts and answers of this service. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A whole page. `scriptUrl`: a script of this service. */
export function page(title: string, body: Html, scriptUrl?: string): string {
  const script = scriptUrl === undefined ? undefined : html`<script src="${scriptUrl}" defer></script>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${{ html: STYLE }}</style>
${script}
</head>
<body>
<header><strong>Fairway</strong><nav aria-label="Pages"><a href="/">Start</a><a href="/docs">Reference</a><a href="/problems">Problems</a><a href="/openapi.json">OpenAPI</a></nav></header>
<main>
${body}
</main>
<footer>Fairway plans trades. It never signs, never broadcasts and never holds funds.</footer>
</body>
</html>
`.html;
}
