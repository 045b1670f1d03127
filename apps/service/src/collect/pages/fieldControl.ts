import { type Html, html } from '../../text/html.ts';
import type { Catalogue } from '../../locales/catalogue.ts';
import type { FieldTexts } from '../../locales/pageTexts.ts';
import type { FormField } from './formFields.ts';
import { fieldError } from './layout.ts';

/** The id of a field's first control. It has no dots, because a selector would read them as classes. */
export function controlId({ name, field }: FormField): string {
  const id = name.replaceAll('.', '-');
  return field.enum === undefined ? id : `${id}-${field.enum[0]}`;
}

/** A field of a recipient: label, hint, the mistake in it if there is one, and the control with the given value. */
export function fieldControl(
  catalogue: Catalogue,
  entry: FormField,
  texts: FieldTexts,
  mistake: string | undefined,
): Html {
  return entry.field.enum === undefined
    ? textField(catalogue, entry, texts, mistake)
    : wordField(catalogue, entry, texts, mistake);
}

/** The control neither cuts text off (no maxlength) nor corrects it, because people paste numbers with separators. */
function textField(
  catalogue: Catalogue,
  entry: FormField,
  { label, hint }: FieldTexts,
  mistake: string | undefined,
): Html {
  const id = controlId(entry);
  const { name, value, isRequired } = entry;
  const optional = isRequired ? undefined : html` <span>(${catalogue.pages.common.optional})</span>`;
  const error = mistake === undefined ? undefined : fieldError(catalogue, `${id}-error`, mistake);
  return html`<div class="field${mistake === undefined ? '' : ' wrong'}">
<label for="${id}">${label}${optional}</label>
<p class="hint" id="${id}-hint">${hint}</p>
${error}
<input type="text" id="${id}" name="${name}" value="${value}" ${attributesOf(entry)}${isRequired ? html` required` : undefined} aria-describedby="${id}-hint${mistake === undefined ? '' : ` ${id}-error`}"${mistake === undefined ? undefined : html` aria-invalid="true"`}>
</div>`;
}

function attributesOf({ name, accountField }: FormField): Html {
  if (name === 'name') return html`autocomplete="name" autocapitalize="words" spellcheck="false"`;
  if (name === 'provider') return html`autocomplete="off" spellcheck="false"`;
  const exact = html`class="exact" autocapitalize="off" autocorrect="off" spellcheck="false"`;
  return html`${exact} autocomplete="off" inputmode="${accountField?.isNumeric === true ? 'numeric' : 'text'}"`;
}

function wordField(
  catalogue: Catalogue,
  entry: FormField,
  { label, hint }: FieldTexts,
  mistake: string | undefined,
): Html {
  const { name, value, field } = entry;
  const id = name.replaceAll('.', '-');
  const known: Readonly<Record<string, string | undefined>> = catalogue.pages.words;
  const error = mistake === undefined ? undefined : fieldError(catalogue, `${id}-error`, mistake);
  const choices = field.enum?.map(
    (word) =>
      html`<div class="choice"><label for="${id}-${word}"><input type="radio" id="${id}-${word}" name="${name}" value="${word}" required${word === value ? html` checked` : undefined}><span>${known[word] ?? word}</span></label></div>`,
  );
  return html`<fieldset class="field small${mistake === undefined ? '' : ' wrong'}" aria-describedby="${id}-hint${mistake === undefined ? '' : ` ${id}-error`}">
<legend>${label}</legend>
<p class="hint" id="${id}-hint">${hint}</p>
${error}
${choices}
</fieldset>`;
}

/** The constants of the schema as hidden inputs: with them a posted form tells which destination it is for. */
export function constants(entries: readonly FormField[]): readonly Html[] {
  return entries
    .filter(({ field }) => field.const !== undefined)
    .map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`);
}
