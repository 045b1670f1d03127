import { codeBlock, curlSample, type GuideText, type Html, html } from '@fairway/api';
import type { OperationId } from '@fairway/wire';
import { exampleOf, samplesOf } from './examples.ts';
import type { Shown } from './shown.ts';

/** A command whose time ends when it is run: the payments of the page were made after the page was read. */
function untilNow(command: string): string {
  return command.replace(/"to": "[^"]+"/, () => `"to": "'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"`);
}

/** The quick start: one command for each thing that the service does, with values of this service. */
export function quickStart(shown: Shown): GuideText {
  const { publicUrl, isSandbox } = shown;
  const samples = samplesOf(shown);
  const sample = (id: OperationId, query = '', filled = (command: string) => command): Html => {
    const { request } = exampleOf(id, publicUrl(), samples);
    return codeBlock(filled(curlSample({ ...request, url: `${request.url}${query}` })));
  };
  const reference = 'INV-2026-0042';
  return {
    title: 'Quick start',
    intro: html`<p>Six commands for a terminal. They use this service, and tokens that it can trade now. Run them from the first to the last. ${
      isSandbox
        ? html`The terminal that started this sandbox shows a user name and a password.`
        : html`Your operator makes a user name and a password for you, with <code>fairway credentials create</code>.`
    }</p>`,
    sections: [
      {
        id: 'quote',
        title: html`Ask for a price`,
        body: html`${sample('getQuote')}
<p><code>amountOut</code> is what the trade pays at the latest block. <code>route.limits.minAmountOut</code> is the least that it can pay.</p>`,
      },
      {
        id: 'swap',
        title: html`Have the trade planned`,
        body: html`${sample('planSwap')}
<p><code>instructions</code> are the calls that do it. Your wallet signs and sends them: the service has no keys. The <a href="/docs/sdk">SDK</a> checks them first, and a <a href="/docs/client-node">Client Node</a> executes them for you.</p>`,
      },
      {
        id: 'payment',
        title: html`Plan a payment`,
        body: html`${sample('createPayment')}
<p><code>next.detail</code> says what is to be done first, and by whom. The same command again gives the same plan.</p>`,
      },
      {
        id: 'next',
        title: html`See what is next`,
        body: html`${sample('listPayments', `&clientReference=${reference}`)}
<p>Do what <code>next.do</code> says, and read the plan again. <a href="/docs/payments">Payments</a> has each step.${
          isSandbox
            ? html` In the sandbox you can play the others, too: <a href="/docs#simulateStep">make something happen to a step</a>.`
            : undefined
        }</p>`,
      },
      {
        id: 'events',
        title: html`Read what has happened`,
        body: html`${sample('listEvents')}
<p><a href="/docs/events">Events</a> come in one order. <a href="/docs/webhooks">Webhooks</a> send them to your own service.</p>`,
      },
      {
        id: 'report',
        title: html`Close a month`,
        body: html`${sample('createReport', '', untilNow)}
<p>That is the present month so far, with the money that has moved. The report is made in the background. <a href="/docs/reports">Reports</a> has the files and how to download them.</p>`,
      },
      {
        id: 'collect',
        title: html`Let the recipient choose`,
        body: html`<p>A payment can go to an e-mail address: the recipient gets a link and says where the money shall go. <a href="/docs/collect">Digital collect</a> tells how.${
          isSandbox
            ? html` The sandbox sends no e-mail. It shows them in the <a href="/sandbox/mailbox">mailbox</a>.`
            : undefined
        }</p>`,
      },
    ],
  };
}
