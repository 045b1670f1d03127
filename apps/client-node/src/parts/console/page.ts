import { type Html, html, page } from '@fairway/api';
import type { Receipt, RelayerView } from '@fairway/wire';
import { policySection, type ShownSignature, signaturesSection } from './records.ts';
import { CONSOLE_STYLE } from './style.ts';
import { coins, duration, gwei, shortened, SIGNER_WORDS, standingsOf, STATUS_WORDS } from './words.ts';

/** An instruction. `attempts`: how many transactions were signed for it. `offeredWei`: what the newest pays for gas. */
export type ShownTransaction = Receipt & {
  readonly relayerId: string;
  readonly attempts: number;
  readonly offeredWei: bigint | undefined;
};

/** The rules of gas of a chain. `changedBy`: the credential that set them; undefined, they are as configured. */
export type ShownGas = {
  readonly chainId: number;
  readonly maxFeePerGasCapWei: bigint;
  readonly bumpAfterBlocks: number;
  readonly changedBy: string | undefined;
};

/** What the page shows. `olderThan`: the place of a page of the history behind the first. */
export type Shown = {
  readonly at: string;
  readonly environment: string;
  readonly relayers: readonly RelayerView[];
  readonly pending: readonly ShownTransaction[];
  /** Whether there are more that wait. */
  readonly hasMorePending: boolean;
  readonly history: readonly ShownTransaction[];
  readonly olderThan: string | undefined;
  readonly next: string | undefined;
  readonly signatures: readonly ShownSignature[];
  readonly hasMoreSignatures: boolean;
  readonly policy: { readonly hash: string; readonly inWords: readonly string[] };
  readonly gas: readonly ShownGas[];
  /** How native currencies are called, by chain. */
  readonly symbols: ReadonlyMap<number, string>;
};

/** What stands around all pages of the node. */
export const FRAME = {
  name: 'Fairway Client Node',
  links: [
    { href: '/relay/console', words: 'Console' },
    { href: '/relay/relayers', words: 'Relayers as JSON' },
    { href: '/relay/transactions', words: 'Transactions as JSON' },
    { href: '/relay/events', words: 'Events as JSON' },
    { href: '/problems', words: 'Problems' },
  ],
  footer: 'The node signs what its policy allows, each call once.',
};

/** The page of the operator. */
export function consolePage(shown: Shown): string {
  const { at, environment, relayers } = shown;
  return page({
    title: 'Client Node: relayers and transactions',
    style: CONSOLE_STYLE,
    frame: FRAME,
    body: html`<main id="main">
<h1>Relayers and transactions</h1>
<p class="soft"><time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>, ${environment}. <a href="/relay/console">Load again</a></p>
<section aria-labelledby="relayers">
<h2 id="relayers">Relayers</h2>
<div class="relayers">
${relayers.map((each) => relayerCard(each, shown))}</div>
</section>
${pendingSection(shown)}
${historySection(shown)}
${gasSection(shown)}
${signaturesSection(shown)}
${policySection(shown)}
</main>`,
  });
}

/** Native currency as people write it. */
function money(wei: bigint, chainId: number, { symbols }: Pick<Shown, 'symbols'>): string {
  return `${coins(wei)} ${symbols.get(chainId) ?? 'in native currency'}`;
}

function relayerCard(relayer: RelayerView, shown: Shown): Html {
  const { relayerId, address, chainId, balance, nonceLatest, nonceFinal, nextNonce } = relayer;
  const standings = standingsOf(relayer);
  const todos = standings.flatMap(({ todo }) => todo ?? []);
  const { pending, waiting, oldestPendingSec: waits } = relayer;
  const has = balance === undefined ? 'not known' : money(BigInt(balance), chainId, shown);
  return html`<article class="card" aria-labelledby="relayer-${relayerId}">
<h3 id="relayer-${relayerId}">Relayer ${shortened(relayerId)} ${standings.map(({ word, tone }) => html`<span class="status ${tone}">${word}</span>`)}</h3>
<p>Chain ${chainId}, ${SIGNER_WORDS[relayer.signer]}<code>${address}</code></p>
<dl>
<div><dt>Balance</dt><dd>${has}</dd></div>
<div><dt>Pending</dt><dd>${pending ?? 'not known'}</dd></div>
<div><dt>To be signed</dt><dd>${waiting ?? 'not known'}</dd></div>
<div><dt>The oldest waits</dt><dd>${waits === undefined ? 'nothing waits' : duration(waits)}</dd></div>
<div><dt>Next nonce</dt><dd>${nextNonce ?? 'not known'}</dd></div>
<div><dt>On the chain</dt><dd>${nonceLatest ?? 'not known'}</dd></div>
<div><dt>Final</dt><dd>${nonceFinal ?? 'not known'}</dd></div>
</dl>
${topUpLine(relayer, shown)}
<p><a href="/relay/relayers/${relayerId}">All of it as JSON</a></p>
${todos.length === 0 ? undefined : html`<div class="todo">${todos.map((each) => html`<p>${each}</p>`)}</div>`}
</article>
`;
}

function topUpLine({ topUp, chainId }: RelayerView, shown: Shown): Html | undefined {
  if (topUp === undefined) return undefined;
  const { from, below, amount, relayTransactionId: id } = topUp;
  const underWay = id === undefined ? undefined : html` <a href="/relay/transactions/${id}">Under way</a>`;
  return html`<p>Topped up with ${money(BigInt(amount), chainId, shown)} below ${money(BigInt(below), chainId, shown)}, from <code>${from}</code>${underWay}</p>`;
}

function gasSection({ gas }: Shown): Html {
  return html`<section class="card" aria-labelledby="gas">
<h2 id="gas">Gas</h2>
${gas.map(
  ({ chainId, maxFeePerGasCapWei, bumpAfterBlocks, changedBy }) =>
    html`<p>Chain ${chainId}: a unit costs at most ${gwei(maxFeePerGasCapWei)}. More is offered after ${bumpAfterBlocks} blocks. ${changedBy === undefined ? 'As configured.' : `Set by ${changedBy}.`} <a href="/relay/gas/${chainId}">As JSON</a></p>`,
)}
</section>`;
}

function pendingSection(shown: Shown): Html {
  const { pending, relayers, hasMorePending } = shown;
  const stuck = new Set(relayers.map(({ relayerId, stuckNonce }) => `${relayerId} ${stuckNonce}`));
  const isStuck = ({ relayerId, nonce }: ShownTransaction) =>
    nonce !== undefined && stuck.has(`${relayerId} ${nonce}`);
  return html`<section class="card" aria-labelledby="pending">
<h2 id="pending">Pending</h2>
${pending.length === 0 ? html`<p>Nothing waits.</p>` : table(pending, isStuck, shown)}
${hasMorePending ? html`<p class="pages"><a href="/relay/transactions?status=OPEN">All that wait, as JSON</a></p>` : undefined}
</section>`;
}

function historySection(shown: Shown): Html {
  const { history, olderThan, next } = shown;
  const nothing = olderThan === undefined ? 'Nothing has ended yet.' : 'There is nothing older.';
  const newest = olderThan === undefined ? undefined : html`<a href="/relay/console#history">The newest</a>`;
  const older =
    next === undefined ? undefined : html`<a href="/relay/console?before=${next}#history">Older ones</a>`;
  return html`<section class="card" aria-labelledby="history">
<h2 id="history">History</h2>
${history.length === 0 ? html`<p>${nothing}</p>` : table(history, () => false, shown)}
${newest === undefined && older === undefined ? undefined : html`<nav class="pages" aria-label="Pages of the history">${newest}${older}</nav>`}
</section>`;
}

const HEADINGS = ['Transaction', 'Status', 'Relayer', 'Nonce', 'Hash', 'Block', 'Gas', 'Signed'] as const;

function table(
  transactions: readonly ShownTransaction[],
  isStuck: (transaction: ShownTransaction) => boolean,
  shown: Shown,
): Html {
  return html`<table class="stacked">
<thead><tr>${HEADINGS.map((each) => html`<th scope="col">${each}</th>`)}</tr></thead>
<tbody>
${transactions.map((each) => row(each, isStuck(each), shown))}</tbody>
</table>`;
}

const TONES: Readonly<Record<Receipt['status'], 'good' | 'care' | 'bad' | 'plain'>> = {
  ...{ PENDING: 'plain', BROADCAST: 'plain', MINED: 'plain', CONFIRMED: 'good', REVERTED: 'bad' },
  ...{ CANCELLED: 'care', EXPIRED: 'care', REJECTED: 'care' },
};

/** Small screens leave out what is usual. */
const NONE = html`<span class="usual">none</span>`;

/** What its gas has cost, or what is offered for a unit of it. */
function gasOf({ gasUsed, effectiveGasPrice, offeredWei, chainId }: ShownTransaction, shown: Shown): Html {
  if (gasUsed !== undefined && effectiveGasPrice !== undefined) {
    const costWei = BigInt(gasUsed) * BigInt(effectiveGasPrice);
    return html`<span title="${gasUsed} units at ${gwei(BigInt(effectiveGasPrice))}">${money(costWei, chainId, shown)}</span>`;
  }
  return offeredWei === undefined ? NONE : html`<span>offers ${gwei(offeredWei)}</span>`;
}

function row(transaction: ShownTransaction, isStuck: boolean, shown: Shown): Html {
  const {
    relayTransactionId: id,
    status,
    relayerId,
    nonce,
    txHash,
    blockNumber,
    failure,
    attempts,
  } = transaction;
  // REVERTED and CANCELLED say as codes what the status says.
  const why = failure === undefined || failure.code === status ? undefined : failure;
  const cells: readonly Html[] = [
    html`<a href="/relay/transactions/${id}"><code title="${id}">${shortened(id)}</code></a>`,
    html`<span><span class="status ${TONES[status]}" title="${status}">${STATUS_WORDS[status]}</span>${isStuck ? html` <span class="status care">stuck</span>` : undefined}${why && html` <span title="${why.detail}">${why.code}</span>`}</span>`,
    html`<span title="${relayerId}">${shortened(relayerId)}</span>`,
    nonce === undefined ? NONE : html`<span>${nonce}</span>`,
    txHash === undefined ? NONE : html`<code title="${txHash}">${shortened(txHash)}</code>`,
    blockNumber === undefined ? NONE : html`<span>${blockNumber}</span>`,
    gasOf(transaction, shown),
    attempts < 2
      ? html`<span class="usual">${attempts === 0 ? 'not yet' : 'once'}</span>`
      : html`<span>${attempts} times</span>`,
  ];
  return html`<tr>${cells.map((cell, index) => html`<td data-label="${HEADINGS[index]}">${cell}</td>`)}</tr>\n`;
}
