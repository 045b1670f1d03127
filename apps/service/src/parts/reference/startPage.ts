import { GUIDES } from './guides.ts';
import type { Shown } from './shown.ts';
import { guideList, html, page } from '@fairway/api';

/** The start page: what the service is, and where to begin. */
export function landingPage({ environment, version, chains, isSandbox }: Shown): string {
  const sandboxHint = isSandbox
    ? html`<p>This is a sandbox: a real chain that runs beside the service, with funded accounts that <code>GET /v1/sandbox</code> lists. The terminal that started it shows a credential. It sends no e-mail, and shows each in the <a href="/sandbox/mailbox">mailbox</a>.</p>`
    : undefined;
  return page({
    title: 'Fairway: live quotes, swap instructions and payment plans',
    body: html`<main id="main" class="card">
<h1>Live quotes, swap instructions and payment plans</h1>
<p>Fairway derives quotes from live chain state, returns the calls that execute them for your own wallet to sign, and plans payments over several steps.</p>
${sandboxHint}
<p><a href="/docs/quick-start">Begin with the quick start</a>: commands that you can run as they are.</p>
<h2>Guides</h2>
${guideList(GUIDES)}
<h2>For programs</h2>
<ul>
<li><a href="/docs">Reference</a>: every operation, with forms to try it</li>
<li><a href="/problems">Problems</a>: what each error means and what to do</li>
<li><a href="/openapi.json">openapi.json</a>: to generate a client from</li>
</ul>
<h2>Chains</h2>
<ul>${chains.map(({ name, chainId }) => html`<li>${name}, chain id ${chainId}</li>`)}</ul>
<p class="soft">Version ${version}, ${environment} environment.</p>
</main>`,
  });
}
