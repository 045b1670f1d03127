import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import { currencyName } from '../../../words/locales/formats.ts';
import type { MoneyTexts, ShownEstimate } from '../../../words/locales/moneyTexts.ts';
import { withMoment } from './localNames.ts';
import { colourPath, STYLE } from './style.ts';
import type { PaymentFacts, ShownOrganisation } from './views.ts';

type Layout = {
  readonly catalogue: Catalogue;
  /** The title alone; the organisation is added to it. */
  readonly title: string;
  readonly organisation?: ShownOrganisation;
  /** Whether the page has mistakes: its title then begins with a word that says so. */
  readonly hasErrors?: boolean;
  readonly pageState?: PaymentFacts['pageState'] | undefined;
  readonly body: Html;
};

/** A whole document. */
export function layout({ catalogue, title, organisation, hasErrors, pageState, body }: Layout): string {
  const { common } = catalogue.pages;
  const name = organisation === undefined ? '' : ` – ${organisation.name}`;
  const prefix = hasErrors === true ? `${common.errorPrefix}: ` : '';
  return html`<!doctype html>
<html lang="${catalogue.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
${pageState === undefined ? undefined : html`<meta name="page-state" content="${pageState.sealed}" data-key="${pageState.key}">`}
<title>${prefix}${title}${name}</title>
<link rel="icon" href="data:,">
<style>${{ html: STYLE }}</style>
${organisation?.colour === undefined ? undefined : html`<link rel="stylesheet" href="${colourPath(organisation.colour)}">`}
<script src="/collect/collect.js" defer></script>
</head>
<body>
${organisation === undefined ? undefined : letterhead(organisation)}
<main>
${body}
</main>
<footer><p>${common.safety}</p></footer>
</body>
</html>
`.html;
}

const LOGO = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/;

/** The logo, or the name where there is none. */
function letterhead({ name, logoDataUri = '', logoDarkDataUri = '' }: ShownOrganisation): Html {
  if (!LOGO.test(logoDataUri)) return html`<header><strong><bdi>${name}</bdi></strong></header>`;
  const dark = LOGO.test(logoDarkDataUri)
    ? html`<source media="(prefers-color-scheme: dark)" srcset="${logoDarkDataUri}">`
    : undefined;
  return html`<header><picture>${dark}<img src="${logoDataUri}" alt="${name}"></picture></header>`;
}

/** The four things a recipient does: choose, give details, check, enter the code. */
const STEPS = 4;

/** The number of a step, in words and as a bar. */
export function progress({ pages }: Catalogue, step: number): Html {
  const bar = Array.from({ length: STEPS }, (_, index) =>
    index < step ? html`<i class="done"></i>` : html`<i></i>`,
  );
  const words = filled(pages.common.step, { step: String(step), steps: String(STEPS) });
  return html`<p class="step">${words}<span aria-hidden="true">${bar}</span></p>`;
}

/** Who pays how much, in one line. */
export function paymentLine({ catalogue, organisation, amount }: Omit<PaymentFacts, 'expiresAt'>): Html {
  const parts = { organisation: organisation.name, amount: onOneLine(amount.text) };
  return html`<p class="pays">${filled(catalogue.pages.common.pays, parts)}</p>`;
}

/** Who converts the amount, and what it may come to, as paragraphs; undefined where nobody converts it. */
export function conversionLines(
  { catalogue, amount, conversion }: Pick<PaymentFacts, 'catalogue' | 'amount' | 'conversion'>,
  when: keyof MoneyTexts['conversion'],
): Html | undefined {
  if (conversion === undefined) return undefined;
  const { custodian, currency, estimate } = conversion;
  const parts = {
    amount: onOneLine(amount.text),
    custodian,
    currency: currencyName(catalogue.language, currency),
  };
  const shown = when === 'done' || estimate === undefined ? undefined : estimateLine(catalogue, estimate);
  return html`<p>${filled(catalogue.money.conversion[when], parts)}</p>${shown}`;
}

function estimateLine(catalogue: Catalogue, { amount, rate, token, source, asOfMs }: ShownEstimate): Html {
  const parts = { estimate: amount, rate, token, source, asOf: '{asOf}' };
  const text = filled(catalogue.money.estimate, parts);
  return html`<p>${withMoment(catalogue, text, '{asOf}', new Date(asOfMs))}</p>`;
}

/** An amount that stays on one line with its currency. */
export function onOneLine(amount: string): string {
  return amount.replaceAll(' ', '\u00a0');
}

/** The token of the link as a hidden input. It travels in the bodies of POST requests alone. */
export function tokenInput(token: string): Html {
  return html`<input type="hidden" name="token" value="${token}">`;
}

/** A mistake. With `fieldId` it is about a field and links to it; without, it is about the request as a whole. */
export type Mistake = { readonly text: string; readonly fieldId?: string };

/** All mistakes, at the top of the page; empty without mistakes. It takes the focus, so that it is read out first. */
export function errorSummary({ pages }: Catalogue, mistakes: readonly Mistake[]): Html | undefined {
  if (mistakes.length === 0) return undefined;
  const general = mistakes.filter(({ fieldId }) => fieldId === undefined);
  const links = mistakes.flatMap(({ text, fieldId }) =>
    fieldId === undefined ? [] : [html`<li><a href="#${fieldId}">${text}</a></li>`],
  );
  const list =
    links.length === 0
      ? undefined
      : html`<p><strong>${pages.common.errorSummary}</strong></p><ul>${links}</ul>`;
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus>
${general.map(({ text }) => html`<p><strong>${text}</strong></p>`)}
${list}
</div>`;
}

/** The mistake in a field, shown beside it. The control names `id` in its aria-describedby. */
export function fieldError({ pages }: Catalogue, id: string, text: string): Html {
  return html`<p class="error" id="${id}"><span><span class="unseen">${pages.common.errorPrefix}: </span>${text}</span></p>`;
}
