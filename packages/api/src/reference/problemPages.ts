import { PROBLEM_CODES, PROBLEMS, type ProblemCode, type ProblemKind, problemExample } from '@fairway/wire';
import { html } from '../text/html.ts';
import { type Frame, page } from '../text/page.ts';

/** The page of a problem code. The `type` of a problem is the URL of this page. */
export function problemPage(code: ProblemCode, publicUrl: string, frame?: Frame): string {
  const kind: ProblemKind = PROBLEMS[code];
  const example = JSON.stringify(problemExample(code, publicUrl), null, 2);
  return page({
    title: `${kind.title} (${code})`,
    ...(frame !== undefined && { frame }),
    body: html`<main id="main" class="card">
<p><a href="/problems">All problems</a></p>
<h1>${kind.title}</h1>
<p><code>${code}</code> <span class="status">HTTP status ${kind.status}</span></p>
<h2>Why it happens</h2>
<p>${kind.cause}</p>
<h2>What to do</h2>
<p>${kind.remedy}</p>
<h2>What it looks like</h2>
<pre>${example}</pre>
<p class="soft">Programs compare <code>code</code> or <code>type</code>; <code>detail</code> is for people and may change. Name <code>requestId</code> when asking for help.</p>
</main>`,
  });
}

/** The page that lists all problems. */
export function problemIndexPage(frame?: Frame): string {
  const rows = PROBLEM_CODES.map(
    (code) =>
      html`<tr><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${PROBLEMS[code].status}</td><td>${PROBLEMS[code].title}</td></tr>`,
  );
  return page({
    title: 'Problems',
    ...(frame !== undefined && { frame }),
    body: html`<main id="main" class="card">
<h1>Problems</h1>
<p>Every error is a JSON body of type <code>application/problem+json</code> (RFC 9457). Its <code>type</code> is the address of one of these pages; <code>errors</code> names every field that is missing, unknown or of the wrong form, not only the first; what the corridor, the amount and the recipient are judged by comes after that.</p>
<table class="stacked"><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table>
</main>`,
  });
}
