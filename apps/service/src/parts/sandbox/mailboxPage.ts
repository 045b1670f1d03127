import { type Html, html, page } from '@fairway/api';
import type { SunkMail } from './mailSink.ts';

/** The policy of the mailbox page: no scripts, nothing to load. Inline styles are allowed for the framed e-mail. */
export const MAILBOX_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The mailbox page: the list of e-mails, with links `?mail=ID`, and above it the e-mail with the id `chosenId`. */
export function mailboxPage(mails: readonly SunkMail[], chosenId?: string): string {
  const chosen = mails.find(({ id }) => id === chosenId);
  const missing =
    chosenId === undefined || chosen !== undefined
      ? undefined
      : html`<p>This mail is not here. The sandbox keeps the last mails in memory, until it ends.</p>`;
  return page({
    title: 'Sandbox mailbox',
    body: html`<main id="main">
<div class="card">
<h1>Sandbox mailbox</h1>
<p>The sandbox sends no e-mail: what it would have sent is here, the newest first.</p>
${missing}</div>
${chosen === undefined ? undefined : mailView(chosen)}<section class="card" aria-labelledby="mails">
<h2 id="mails">Mails</h2>
${mails.length === 0 ? html`<p>None yet.</p>` : mailList(mails, chosen)}
</section>
</main>`,
  });
}

function mailList(mails: readonly SunkMail[], chosen: SunkMail | undefined): Html {
  const rows = mails.map(({ id, to, subject, at }) => {
    const current = id === chosen?.id ? html` aria-current="true"` : undefined;
    return html`<tr><td><time datetime="${at}">${at}</time></td><td>${to}</td><td><a href="?mail=${id}"${current}>${subject}</a></td></tr>\n`;
  });
  return html`<table class="stacked">
<thead><tr><th scope="col">At</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
}

function mailView({ to, subject, text, html: source, links, at }: SunkMail): Html {
  const listed = links.map(
    (link) => html`<li><a href="${link}" rel="noopener noreferrer">${link}</a></li>\n`,
  );
  return html`<article class="card" aria-labelledby="subject">
<h2 id="subject">${subject}</h2>
<p>To ${to}, <time datetime="${at}">${at}</time></p>
${links.length === 0 ? undefined : html`<p>Links, which the picture of the mail below does not open:</p>\n<ul style="overflow-wrap:anywhere">\n${listed}</ul>`}
<iframe sandbox title="The mail as HTML" srcdoc="${source}" style="width:100%;height:44rem;border:1px solid;border-radius:6px"></iframe>
<details><summary>The mail as text</summary><pre>${text}</pre></details>
</article>
`;
}
