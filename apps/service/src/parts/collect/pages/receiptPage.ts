import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import { currencyName } from '../../../words/locales/formats.ts';
import { asking, contactLine, link } from './asking.ts';
import { definition, groupedAddress } from './definitions.ts';
import { conversionLines, layout, tokenInput } from './layout.ts';
import { countryName, moment } from './localNames.ts';
import { tokenRows, typeName } from './tokenRows.ts';
import type { DeliveryView, ReceiptView, ShownToken } from './views.ts';

/** Shows the chosen destination and the status of its payment. Answers a whole HTML document. */
export function receiptPage(view: ReceiptView): string {
  const { catalogue, organisation, token, delivery, submittedAt } = view;
  const { receipt } = catalogue.pages;
  const status = receipt.status[delivery.status];
  return layout({
    catalogue,
    title: status.title,
    organisation,
    pageState: view.pageState,
    body: html`<div class="card">
<div class="status">${statusIcon(delivery.status)}<div><h1>${status.title}</h1></div></div>
<p>${isPaid(delivery.status) ? asking(status.next, organisation) : filled(status.next, { organisation: organisation.name })}</p>
${isOpen(delivery.status) && delivery.isLate === true ? html`<p>${asking(receipt.late, organisation)}</p>` : undefined}
${delivery.status === 'FAILED' ? undefined : conversionLines(view, isPaid(delivery.status) ? 'done' : 'chosen')}
<dl>${paymentRows(view)}</dl>
${isOpen(delivery.status) ? html`<form method="post" action="/collect/open">${tokenInput(token)}<div class="actions"><button class="second" type="submit">${receipt.refresh}</button></div></form>` : undefined}
</div>
<div class="card">
<h2 class="first">${receipt.destinationTitle}</h2>
<dl>${destinationRows(view)}${definition(receipt.submittedAt, moment(catalogue, submittedAt))}</dl>
</div>
<div class="card">
${
  isOver(delivery.status)
    ? undefined
    : html`<h2 class="first">${receipt.keepTitle}</h2>
<p>${receipt.keep}</p>`
}
<p>${asking(receipt.questions, organisation)}</p>
${contactLine(catalogue, organisation)}
</div>`,
  });
}

const ICONS: Readonly<Record<DeliveryView['status'], readonly [tone: string, path: string]>> = {
  PENDING: ['under-way', 'M12 7v5l3.5 2'],
  SENT: ['under-way', 'M7.5 12h9M13 8.5l3.5 3.5-3.5 3.5'],
  DELIVERED: ['good', 'M7.5 12.5l3 3 6-6.5'],
  FAILED: ['bad', 'M12 7v6M12 16.5v.01'],
  RETURNED: ['bad', 'M16.5 12h-9M11 8.5 7.5 12l3.5 3.5'],
};

function statusIcon(status: DeliveryView['status']): Html {
  const [tone, path] = ICONS[status];
  return html`<svg class="${tone}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="10"/><path d="${path}"/></svg>`;
}

function isPaid(status: DeliveryView['status']): boolean {
  return status === 'DELIVERED' || status === 'RETURNED';
}

/** Whether nothing more comes of this link: it failed, and another link follows, or the money came back. */
function isOver(status: DeliveryView['status']): boolean {
  return status === 'FAILED' || status === 'RETURNED';
}

/** Whether the payment is still under way, so that it helps to look again. */
function isOpen(status: DeliveryView['status']): boolean {
  return status === 'PENDING' || status === 'SENT';
}

function paymentRows(view: ReceiptView): readonly Html[] {
  const { catalogue, organisation, amount, conversion, delivery, walletToken } = view;
  const { receipt, review } = catalogue.pages;
  const { status, occurredAt, expectedBy, paidAmountText, reference, txHash } = delivery;
  const paidLabel = conversion === undefined ? receipt.paidAmount : receipt.convertedAmount;
  return [
    definition(review.from, html`<bdi>${organisation.name}</bdi>`),
    definition(receipt.amount, html`${amount.text}`),
    definition(receipt.statusTitle, html`${receipt.status[status].word}`),
    ...(occurredAt === undefined || status === 'PENDING'
      ? []
      : [definition(receipt.occurredAt[status], moment(catalogue, occurredAt))]),
    ...(expectedBy === undefined || !isOpen(status)
      ? []
      : [definition(receipt.expectedBy, moment(catalogue, expectedBy))]),
    ...(paidAmountText === undefined || paidAmountText === amount.text
      ? []
      : [definition(paidLabel, html`${paidAmountText}`)]),
    ...(reference === undefined ? [] : [definition(receipt.reference, html`<bdi>${reference}</bdi>`)]),
    ...(txHash === undefined
      ? []
      : [definition(receipt.transaction, transaction(catalogue, walletToken, txHash))]),
  ];
}

/** The hash of a transaction, and where the chain's block explorer shows it. */
function transaction({ pages }: Catalogue, { explorerUrl }: ShownToken, txHash: string): Html {
  const hash = html`<bdi class="exact">${txHash}</bdi>`;
  if (explorerUrl === undefined) return hash;
  const text = filled(pages.receipt.explorer, { site: new URL(explorerUrl).host });
  return html`${hash}<br>${link(`${explorerUrl}/tx/${txHash}`, text)}`;
}

function destinationRows({ catalogue, destination, walletToken }: ReceiptView): readonly Html[] {
  const { receipt, review, words, fields } = catalogue.pages;
  const type = definition(review.destination, html`${typeName(catalogue, destination.type, walletToken)}`);
  const ending = (text: string) => html`${filled(receipt.endingIn, { ending: text })}`;
  const name =
    destination.name === undefined ? [] : [definition(receipt.name, html`<bdi>${destination.name}</bdi>`)];
  switch (destination.type) {
    case 'wallet':
      return [
        type,
        ...tokenRows(catalogue, walletToken),
        definition(fields['wallet.address'].label, groupedAddress(destination.address)),
        ...name,
      ];
    case 'bank':
      return [
        type,
        definition(review.country, html`${countryName(catalogue, destination.country)}`),
        ...name,
        definition(receipt.accountEnding, ending(destination.account.accountNumberLast4)),
      ];
    case 'emoney':
      return [
        type,
        ...name,
        definition(fields['emoney.provider'].label, html`<bdi>${destination.provider}</bdi>`),
        definition(words[destination.idType], ending(destination.idValueLast4)),
        definition(review.currency, html`${currencyName(catalogue.language, destination.currency)}`),
      ];
  }
}
