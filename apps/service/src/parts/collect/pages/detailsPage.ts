import type { RecipientSchema } from '@fairway/recipients';
import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import { filled } from '../../../words/locales/filled.ts';
import { constants, controlId, fieldControl } from './fieldControl.ts';
import {
  constOf,
  decidedFields,
  fieldMistakes,
  fieldTexts,
  type FormField,
  formFields,
  typeOf,
} from './formFields.ts';
import { errorSummary, layout, type Mistake, paymentLine, progress, tokenInput } from './layout.ts';
import { countryName } from './localNames.ts';
import type { DetailsView } from './views.ts';

/** The form of the chosen destination, drawn from its schema. Answers a whole HTML document. */
export function detailsPage(view: DetailsView): string {
  const { catalogue, schema, given, errors = [], organisation, token, walletToken } = view;
  const { details, common } = catalogue.pages;
  const entries = formFields(schema, given);
  const { texts, isElsewhere } = fieldMistakes(catalogue, schema, entries, errors);
  const mistakes: readonly Mistake[] = [
    ...entries.flatMap((entry) => {
      const text = texts.get(entry.name);
      return text === undefined ? [] : [{ text, fieldId: controlId(entry) }];
    }),
    ...(isElsewhere ? [{ text: details.otherMistake }] : []),
  ];
  const isWallet = typeOf(schema) === 'wallet';
  const control = (entry: FormField): Html => {
    const isOther =
      entry.condition !== undefined && !entries.some((each) => controlId(each) === controlId(entry));
    return fieldControl(catalogue, {
      entry,
      texts: fieldTexts(catalogue, schema, entry),
      mistake: isOther ? undefined : texts.get(entry.name),
      decided: (word) => decidedFields(schema, given, entry.name, word).map(control),
    });
  };
  const title = titleOf(catalogue, schema);
  return layout({
    catalogue,
    title,
    organisation,
    pageState: view.pageState,
    hasErrors: mistakes.length > 0,
    body: html`${progress(catalogue, 2)}
<div class="card">
${errorSummary(catalogue, mistakes)}
<h1>${title}</h1>
${paymentLine(view)}
${isWallet ? html`<div class="notice care"><p>${filled(details.walletNote, { token: walletToken.symbol, chain: walletToken.chainName })}</p></div>${walletPicker(catalogue)}` : undefined}
<form method="post" action="/collect/review" novalidate>
${tokenInput(token)}
${constants(entries)}
${drawn(entries).map(control)}
<div class="actions"><button type="submit">${common.continue}</button><button class="second" type="submit" formaction="/collect/choose" formnovalidate>${details.changeChoice}</button></div>
</form>
</div>`,
  });
}

/** The fields that stand by themselves. Those that a word of another one decides are drawn with that word. */
function drawn(entries: readonly FormField[]): readonly FormField[] {
  return entries.filter(({ field, condition }) => field.const === undefined && condition === undefined);
}

function titleOf(catalogue: Catalogue, schema: RecipientSchema): string {
  const { details } = catalogue.pages;
  switch (typeOf(schema)) {
    case 'wallet':
      return details.walletTitle;
    case 'emoney':
      return details.emoneyTitle;
    case 'bank':
      return filled(details.bankTitle, { country: countryName(catalogue, constOf(schema, 'country')) });
  }
}

/** A section that stays hidden until the script finds a wallet in the browser. The script uses its texts. */
function walletPicker({ pages }: Catalogue): Html {
  const { details } = pages;
  return html`<section class="picker" data-wallets hidden aria-labelledby="wallets-title" data-named="${details.useWalletNamed}" data-asked="${details.walletAsked}" data-taken="${details.walletTaken}" data-refused="${details.walletRefused}">
<h2 id="wallets-title">${details.useWallet}</h2>
<p class="hint">${details.useWalletHint}</p>
<div data-wallet-buttons></div>
<p role="status" data-wallet-status></p>
</section>`;
}
