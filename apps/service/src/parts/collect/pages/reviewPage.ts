import { type Html, html } from '@fairway/api';
import { filled } from '../../../words/locales/filled.ts';
import { currencyName } from '../../../words/locales/formats.ts';
import { contactLine } from './asking.ts';
import { constants } from './fieldControl.ts';
import { definition, groupedAddress, groupedText, writtenAddress } from './definitions.ts';
import { newLinkForm } from './gonePage.ts';
import { fieldTexts, type FormField, formFields, typeOf } from './formFields.ts';
import {
  conversionLines,
  errorSummary,
  fieldError,
  layout,
  type Mistake,
  progress,
  tokenInput,
} from './layout.ts';
import { countryName, settlementText, waitText } from './localNames.ts';
import { tokenRows, typeName } from './tokenRows.ts';
import type { ReviewView } from './views.ts';

/** Shows everything that was given, in full, so that the recipient can check it. Answers a whole HTML document. */
export function reviewPage(view: ReviewView): string {
  const { catalogue, schema, given, organisation, token, email, problem } = view;
  const { review } = catalogue.pages;
  const entries = formFields(schema, given).filter(({ value }) => value !== '');
  const mistakes = mistakesOf(view);
  return layout({
    catalogue,
    title: review.title,
    organisation,
    pageState: view.pageState,
    hasErrors: mistakes.length > 0,
    body: html`${progress(catalogue, 3)}
<div class="card">
${errorSummary(catalogue, mistakes)}
${problem?.kind === 'TOO_MANY' ? contactLine(catalogue, organisation) : undefined}
${view.asking === undefined ? undefined : newLinkForm(catalogue, view.asking, organisation.name)}
<h1>${review.title}</h1>
<p>${review.explanation}</p>
<dl>${paymentRows(view)}${entries.flatMap((entry) => rowOf(view, entry))}</dl>
${conversionLines(view, 'chosen')}
<form method="post" action="/collect/submit" novalidate>
${tokenInput(token)}
${hiddenFields(entries)}
${typeOf(schema) === 'wallet' ? addressCheck(view, entries) : undefined}
<p class="soft">${filled(review.codeNote, { email })}</p>
<div class="actions"><button type="submit">${review.button}</button><button class="second" type="submit" formaction="/collect/details" formnovalidate>${review.change}</button></div>
</form>
</div>`,
  });
}

function mistakesOf({ catalogue, organisation, problem }: ReviewView): readonly Mistake[] {
  const { review } = catalogue.pages;
  switch (problem?.kind) {
    case undefined:
      return [];
    case 'NOT_CONFIRMED':
      return [{ text: review.notConfirmed, fieldId: 'confirmed' }];
    case 'TOO_SOON':
      return [{ text: filled(review.tooSoon, { wait: waitText(catalogue, problem.retryAfterSeconds) }) }];
    case 'TOO_MANY':
      return [{ text: filled(review.tooMany, { organisation: organisation.name }) }];
  }
}

/** Everything that was given as hidden inputs, so that the next form posts it again. */
export function hiddenFields(entries: readonly FormField[]): readonly Html[] {
  return [constants(entries), ...entries.filter(({ field }) => field.const === undefined).map(kept)].flat();
}

function kept({ name, value }: FormField): Html {
  const written = name === 'address' ? writtenAddress(value) : value;
  return html`<input type="hidden" name="${name}" value="${written}">`;
}

function paymentRows(view: ReviewView): readonly Html[] {
  const { catalogue, schema, organisation, amount, conversion, walletToken, settlementTime } = view;
  const { review, receipt } = catalogue.pages;
  const type = typeOf(schema);
  const arrival = filled(review.arrivalText, { time: settlementText(catalogue, settlementTime) });
  return [
    definition(conversion === undefined ? review.receives : receipt.amount, html`${amount.text}`),
    definition(review.from, html`<bdi>${organisation.name}</bdi>`),
    definition(review.arrival, html`${arrival}`),
    definition(review.destination, html`${typeName(catalogue, type, walletToken)}`),
    ...(type === 'wallet' ? tokenRows(catalogue, walletToken) : []),
  ];
}

/**
 * The row of a field. The address is shown further below, the type and the chain further above, so none of them has a
 * row. An identifier at a provider is the label of the row after it.
 */
function rowOf(view: ReviewView, entry: FormField): readonly Html[] {
  const { catalogue, schema } = view;
  const { review, words } = catalogue.pages;
  const { name, value, field, accountField } = entry;
  if (['type', 'address', 'chainId', 'idType'].includes(name)) return [];
  if (name === 'country') return [definition(review.country, html`${countryName(catalogue, value)}`)];
  if (name === 'currency')
    return [definition(review.currency, html`${currencyName(catalogue.language, value)}`)];
  const { label } = fieldTexts(catalogue, schema, entry);
  const known: Readonly<Record<string, string | undefined>> = words;
  if (field.enum !== undefined) return [definition(label, html`${known[value] ?? value}`)];
  if (accountField === undefined) return [definition(label, html`<bdi>${value}</bdi>`)];
  if (accountField.isGrouped) return [definition(label, groupedText(value))];
  return [definition(label, html`<bdi class="exact">${value}</bdi>`)];
}

function addressCheck(view: ReviewView, entries: readonly FormField[]): Html {
  const { catalogue, schema, problem } = view;
  const { symbol: token, chainName: chain } = view.walletToken;
  const { review } = catalogue.pages;
  const address = entries.find(({ name }) => name === 'address');
  if (address === undefined) return html``;
  const { label } = fieldTexts(catalogue, schema, address);
  const isWrong = problem?.kind === 'NOT_CONFIRMED';
  return html`<h2>${label}</h2>
<p class="hint">${review.addressCheck}</p>
<p class="address">${groupedAddress(address.value)}</p>
<div class="notice care"><p>${filled(review.warning, { chain })}</p></div>
<div${isWrong ? html` class="wrong"` : undefined}>
${isWrong ? fieldError(catalogue, 'confirmed-error', review.notConfirmed) : undefined}
<label class="confirm" for="confirmed"><input type="checkbox" id="confirmed" name="confirmed" value="yes" required${isWrong ? html` aria-invalid="true" aria-describedby="confirmed-error"` : undefined}><span>${filled(review.confirmation, { token, chain })}</span></label>
</div>`;
}
