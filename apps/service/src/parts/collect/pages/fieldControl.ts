import { type Html, html } from '@fairway/api';
import type { Catalogue } from '../../../words/locales/catalogue.ts';
import type { FieldTexts } from '../../../words/locales/pageTexts.ts';
import type { FormField } from './formFields.ts';
import { fieldError } from './layout.ts';
import { decidedName } from './readForm.ts';

/** The id of a field's first control. It has no dots, because a selector would read them as classes. */
export function controlId(entry: FormField): string {
  const id = baseId(entry);
  return isChoice(entry) ? `${id}-${entry.field.enum?.[0]}` : id;
}

function baseId(entry: FormField): string {
  return postedName(entry).replaceAll('.', '-');
}

function postedName({ name, condition }: FormField): string {
  return condition === undefined ? name : decidedName(name, condition);
}

/** Whether the words of a field are drawn as choices. A list of providers can be long: one is picked from it. */
function isChoice({ name, field }: FormField): boolean {
  return field.enum !== undefined && name !== 'provider';
}

/** A field, its texts, and the mistake in it if there is one. `decided`: the fields that each of its words decides. */
export type DrawnField = {
  readonly entry: FormField;
  readonly texts: FieldTexts;
  readonly mistake: string | undefined;
  readonly decided?: (word: string) => readonly Html[];
};

/** A field of a recipient: label, hint, the mistake in it, and the control with the given value. */
export function fieldControl(catalogue: Catalogue, field: DrawnField): Html {
  return isChoice(field.entry) ? wordField(catalogue, field) : singleField(catalogue, field);
}

function singleField(catalogue: Catalogue, { entry, texts, mistake }: DrawnField): Html {
  const id = baseId(entry);
  const optional = entry.isRequired ? undefined : html` <span>(${catalogue.pages.common.optional})</span>`;
  const error = mistake === undefined ? undefined : fieldError(catalogue, `${id}-error`, mistake);
  const shared = html`id="${id}" name="${postedName(entry)}"${entry.isRequired ? html` required` : undefined} ${describedBy(id, mistake)}`;
  return html`<div class="field${mistake === undefined ? '' : ' wrong'}">
<label for="${id}">${texts.label}${optional}</label>
<p class="hint" id="${id}-hint">${texts.hint}</p>
${error}
${control(catalogue, entry, shared)}
</div>`;
}

/** The control neither cuts text off (no maxlength) nor corrects it, because people paste numbers with separators. */
function control({ pages }: Catalogue, entry: FormField, shared: Html): Html {
  const { name, value, field } = entry;
  if (field.enum !== undefined) {
    const options = field.enum.map(
      (word) => html`<option value="${word}"${word === value ? html` selected` : undefined}>${word}</option>`,
    );
    return html`<select ${shared}><option value="">${pages.common.chooseOne}</option>${options}</select>`;
  }
  const attributes = attributesOf(entry);
  // An address is compared as a whole, and no phone shows it on one line.
  if (name === 'address') return html`<textarea rows="2" ${shared} ${attributes}>${value}</textarea>`;
  return html`<input type="text" value="${value}" ${shared} ${attributes}>`;
}

function describedBy(id: string, mistake: string | undefined): Html {
  return mistake === undefined
    ? html`aria-describedby="${id}-hint"`
    : html`aria-describedby="${id}-hint ${id}-error" aria-invalid="true"`;
}

function attributesOf({ name, accountField, condition }: FormField): Html {
  if (name === 'name') return html`autocomplete="name" autocapitalize="words" spellcheck="false"`;
  if (name === 'provider') return html`autocomplete="off" spellcheck="false"`;
  const exact = html`class="exact" autocapitalize="off" autocorrect="off" spellcheck="false"`;
  if (condition === 'PHONE') return html`${exact} autocomplete="tel" inputmode="tel"`;
  if (condition === 'EMAIL') return html`${exact} autocomplete="email" inputmode="email"`;
  return html`${exact} autocomplete="off" inputmode="${accountField?.isNumeric === true ? 'numeric' : 'text'}"`;
}

function wordField(catalogue: Catalogue, { entry, texts, mistake, decided }: DrawnField): Html {
  const { name, value, field } = entry;
  const id = baseId(entry);
  const known: Readonly<Record<string, string | undefined>> = catalogue.pages.words;
  const error = mistake === undefined ? undefined : fieldError(catalogue, `${id}-error`, mistake);
  const choices = field.enum?.map(
    (word) =>
      html`<div class="choice"><label for="${id}-${word}"><input type="radio" id="${id}-${word}" name="${name}" value="${word}" required${word === value ? html` checked` : undefined}><span>${known[word] ?? word}</span></label>${decided?.(word)}</div>`,
  );
  return html`<fieldset class="field small${mistake === undefined ? '' : ' wrong'}" aria-describedby="${id}-hint${mistake === undefined ? '' : ` ${id}-error`}">
<legend>${texts.label}</legend>
<p class="hint" id="${id}-hint">${texts.hint}</p>
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
