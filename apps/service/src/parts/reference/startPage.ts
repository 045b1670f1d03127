import type { ChainService } from '../../platform/chains/chainService.ts';
import type { PaymentParts } from '../payments/index.ts';
import { exampleOf, samplesOf } from './examples.ts';
import { curlSample, html, page } from '@fairway/api';

/** What the start page tells of. */
export type Shown = {
  readonly environment: string;
  readonly version: string;
  readonly isSandbox: boolean;
  readonly chains: readonly ChainService[];
  readonly payments: Pick<PaymentParts, 'corridors'>;
  publicUrl(): string;
};

/** The start page: what the service is, and a first request to send. */
export function landingPage(shown: Shown): string {
  const { environment, version, publicUrl, chains, isSandbox } = shown;
  const { request } = exampleOf('getQuote', publicUrl(), samplesOf(shown));
  const sandboxHint = isSandbox
    ? html`<p>This is a sandbox: a real chain that runs beside the service, with funded accounts that <code>GET /v1/sandbox</code> lists. The terminal that started it shows a credential.</p>`
    : undefined;
  return page({
    title: 'Fairway: live quotes, swap instructions and payment plans',
    body: html`<main id="main" class="card">
<h1>Live quotes, swap instructions and payment plans</h1>
<p>Fairway derives quotes from live chain state, returns the calls that execute them for your own wallet to sign, and plans payments over several steps.</p>
${sandboxHint}
<h2>Ask for a quote</h2>
<pre>${curlSample(request)}</pre>
<p>Replace <code>ID:PASSWORD</code> by your credential.</p>
<h2>Where to go on</h2>
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
