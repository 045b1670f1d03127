import { type Html, html } from '@fairway/api';
import { asking } from './asking.ts';
import { filled } from '../../../words/locales/filled.ts';
import { currencyName } from '../../../words/locales/formats.ts';
import {
  conversionLines,
  errorSummary,
  fieldError,
  layout,
  type Mistake,
  onOneLine,
  progress,
  tokenInput,
} from './layout.ts';
import { countryName, settlementText, withMoment } from './localNames.ts';
import { typeName } from './tokenRows.ts';
import { typeIcon } from './typeIcon.ts';
import type { DestinationChoice, DestinationView } from './views.ts';

/** Shows who pays and how much, and asks where the money should go. Answers a whole HTML document. */
export function destinationPage(view: DestinationView): string {
  const { catalogue, organisation, amount, message, choices, expiresAt, settlementTime, token } = view;
  const { destination, common } = catalogue.pages;
  const title = filled(destination.title, {
    organisation: organisation.name,
    amount: onOneLine(amount.text),
  });
  const mistakes = mistakesOf(view);
  const typeError =
    view.problem === 'NO_TYPE' ? fieldError(catalogue, 'type-error', destination.noType) : undefined;
  const next = destination.next.map(
    (text) => html`<li>${filled(text, { organisation: organisation.name })}</li>`,
  );
  return layout({
    catalogue,
    title,
    organisation,
    pageState: view.pageState,
    hasErrors: mistakes.length > 0,
    body: html`${progress(catalogue, 1)}
<div class="card">
${errorSummary(catalogue, mistakes)}
<h1>${title}</h1>
${failedNote(view)}
${anewNote(view)}
${conversionLines(view, 'offered')}
${message === undefined ? undefined : quotation(view, message)}
<p class="soft">${filled(destination.arrives, { time: settlementText(catalogue, settlementTime) })} ${withMoment(catalogue, destination.until, '{expires}', expiresAt)}</p>
<form method="post" action="/collect/details" novalidate>
${tokenInput(token)}
<fieldset class="group${typeError === undefined ? '' : ' wrong'}"${typeError === undefined ? undefined : html` aria-describedby="type-error"`}>
<legend>${destination.question}</legend>
${typeError}
${choices.map((choice) => choiceCard(view, choice))}
</fieldset>
<div class="actions"><button type="submit">${common.continue}</button></div>
</form>
</div>
<div class="card"><h2 class="first">${destination.nextTitle}</h2><ol class="next">${next}</ol></div>`,
  });
}

function mistakesOf({ catalogue, choices, problem }: DestinationView): readonly Mistake[] {
  const { destination } = catalogue.pages;
  if (problem === 'NO_TYPE') return [{ text: destination.noType, fieldId: `type-${choices[0]?.type}` }];
  return problem === 'NO_COUNTRY' ? [{ text: destination.noCountry, fieldId: 'country' }] : [];
}

/** Says in a second round that it is one, and why. */
function failedNote({ catalogue, failed }: DestinationView): Html | undefined {
  if (failed === undefined) return undefined;
  const { askedAgain } = catalogue.pages.destination;
  return html`<div class="notice care"><p><strong>${filled(askedAgain, { destination: failed.destination })}</strong></p><p>${failed.why}</p></div>`;
}

/** Says why nothing is shown of what was entered before. */
function anewNote({ catalogue, organisation, isEnteredAnew }: DestinationView): Html | undefined {
  if (isEnteredAnew !== true) return undefined;
  const { anewTitle, anew } = catalogue.pages.destination;
  return html`<div class="notice care"><p><strong>${anewTitle}</strong></p><p>${asking(anew, organisation)}</p></div>`;
}

function quotation({ catalogue, organisation }: DestinationView, message: string): Html {
  const from = filled(catalogue.pages.destination.messageFrom, { organisation: organisation.name });
  return html`<blockquote><strong>${from}</strong><p><bdi>${message}</bdi></p></blockquote>`;
}

function choiceCard(view: DestinationView, choice: DestinationChoice): Html {
  const { catalogue, choices, given, problem, walletToken } = view;
  const { type } = choice;
  const isChosen =
    given?.type === type || choices.length === 1 || (type === 'bank' && problem === 'NO_COUNTRY');
  return html`<div class="choice"><label for="type-${type}">
<input type="radio" id="type-${type}" name="type" value="${type}" required aria-describedby="type-${type}-hint"${isChosen ? html` checked` : undefined}>
<span><b>${typeName(catalogue, type, walletToken)}</b><span class="hint" id="type-${type}-hint">${choiceHint(view, choice)}</span></span>
${typeIcon(type)}</label>
${choice.type === 'bank' ? countryField(view, choice.countries) : undefined}</div>`;
}

function choiceHint({ catalogue, walletToken }: DestinationView, choice: DestinationChoice): Html {
  const { destination, review } = catalogue.pages;
  if (choice.type === 'wallet') {
    const parts = { chain: walletToken.chainName, amount: onOneLine(choice.amountText) };
    return html`${filled(destination.walletHint, parts)} <span class="contract">${review.contract}: <bdi class="exact">${walletToken.contract}</bdi></span>`;
  }
  if (choice.type === 'emoney')
    return html`${filled(destination.emoneyHint, { currency: currencyName(catalogue.language, choice.currency) })}`;
  const [country = '', ...others] = choice.countries;
  const isOnly = others.length === 0;
  return html`${isOnly ? filled(destination.bankHintIn, { country: countryName(catalogue, country) }) : destination.bankHint}`;
}

/** A list of countries to choose from; when there is only one, it is not asked for. */
function countryField({ catalogue, given, problem }: DestinationView, countries: readonly string[]): Html {
  const { destination } = catalogue.pages;
  const [only = '', ...others] = countries;
  if (others.length === 0) return html`<input type="hidden" name="country" value="${only}">`;
  const collator = new Intl.Collator(catalogue.locale);
  const options = countries
    .map((country) => ({ country, name: countryName(catalogue, country) }))
    .toSorted((left, right) => collator.compare(left.name, right.name))
    .map(
      ({ country, name }) =>
        html`<option value="${country}"${country === given?.country ? html` selected` : undefined}>${name}</option>`,
    );
  const isWrong = problem === 'NO_COUNTRY';
  return html`<div class="field${isWrong ? ' wrong' : ''}">
<label for="country">${destination.country}</label>
${isWrong ? fieldError(catalogue, 'country-error', destination.noCountry) : undefined}
<select id="country" name="country" autocomplete="country"${isWrong ? html` aria-invalid="true" aria-describedby="country-error"` : undefined}><option value="">${destination.chooseCountry}</option>${options}</select>
</div>`;
}
