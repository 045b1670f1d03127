import { type Html, html } from '@fairway/api';
import { shortened } from './words.ts';

/** A message or typed data that was signed. */
export type ShownSignature = {
  readonly relayerId: string;
  readonly kind: 'MESSAGE' | 'TYPED_DATA';
  readonly digest: string;
  readonly credentialId: string;
  readonly signedAtMs: number;
};

const KINDS = { MESSAGE: 'Message', TYPED_DATA: 'Typed data' } as const;
const HEADINGS = ['Signed', 'Kind', 'Relayer', 'Hash', 'Asked by'] as const;

/** What was signed beside transactions. */
export function signaturesSection({
  signatures,
  hasMoreSignatures,
}: {
  readonly signatures: readonly ShownSignature[];
  readonly hasMoreSignatures: boolean;
}): Html {
  return html`<section class="card" aria-labelledby="signatures">
<h2 id="signatures">Signatures</h2>
${signatures.length === 0 ? html`<p>No message and no typed data was signed yet.</p>` : table(signatures)}
${hasMoreSignatures ? html`<p class="pages"><a href="/relay/signatures">All of them, as JSON</a></p>` : undefined}
</section>`;
}

function table(signatures: readonly ShownSignature[]): Html {
  return html`<table class="stacked">
<thead><tr>${HEADINGS.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
<tbody>
${signatures.map(row)}</tbody>
</table>`;
}

function row({ relayerId, kind, digest, credentialId, signedAtMs }: ShownSignature): Html {
  const at = new Date(signedAtMs).toISOString();
  const cells: readonly Html[] = [
    html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`,
    html`<span>${KINDS[kind]}</span>`,
    html`<span title="${relayerId}">${shortened(relayerId)}</span>`,
    html`<code title="${digest}">${shortened(digest)}</code>`,
    html`<code title="${credentialId}">${shortened(credentialId)}</code>`,
  ];
  return html`<tr>${cells.map((cell, index) => html`<td data-label="${HEADINGS[index]}">${cell}</td>`)}</tr>\n`;
}

/** The amounts of the policy as people write them. */
export function policySection({
  policy: { hash, inWords },
}: {
  readonly policy: { readonly hash: string; readonly inWords: readonly string[] };
}): Html {
  return html`<section class="card" aria-labelledby="policy">
<h2 id="policy">Policy</h2>
<ul>${inWords.map((each) => html`<li>${each}</li>`)}</ul>
<p class="soft">Hash <code title="${hash}">${shortened(hash)}</code></p>
<p><a href="/relay/policies">All of it as JSON</a></p>
</section>`;
}
