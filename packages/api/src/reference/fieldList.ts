import { type Html, html } from '../text/html.ts';
import { nameOf, objectNameOf, type Parameter, type Schema } from './describedApi.ts';

/** The fields of an object, each with its type and meaning, and those of the objects within it. */
export function fieldList(schema: Schema): Html {
  const fields = fieldsOf(schema, '');
  return fields.length === 0 ? html`<p>${typeOf(schema)}</p>` : html`<dl class="fields">${fields}</dl>`;
}

/** The parameters of a request. */
export function parameterList(parameters: readonly Parameter[]): Html {
  const items = parameters.map(({ name, required, description, schema }) =>
    field(name, { ...schema, ...(description && { description }) }, required),
  );
  return html`<dl class="fields">${items}</dl>`;
}

function fieldsOf(schema: Schema, prefix: string): readonly Html[] {
  const { items, required = [], properties = {}, oneOf = [], anyOf = [] } = schema;
  if (items !== undefined) return fieldsOf(items, prefix === '' ? '' : `${prefix}[]`);
  const own = Object.entries(properties).flatMap(([name, inner]) => {
    const place = prefix === '' ? name : `${prefix}.${name}`;
    return [field(place, inner, required.includes(name)), ...fieldsOf(inner, place)];
  });
  const variants = [...oneOf, ...anyOf].filter((variant) => variant.properties !== undefined);
  if (variants.length < 2) return [...own, ...variants.flatMap((variant) => fieldsOf(variant, prefix))];
  return [...own, ...variants.flatMap((variant) => variantFields(variant, prefix))];
}

/** The fields of one of several objects. The field that tells it apart stands before them. */
function variantFields(variant: Schema, prefix: string): readonly Html[] {
  const entries = Object.entries(variant.properties ?? {});
  const [name, word] =
    entries.flatMap(([key, { const: only, enum: words }]) => {
      const single = only ?? (words?.length === 1 ? words[0] : undefined);
      return single === undefined ? [] : [[key, String(single)]];
    })[0] ?? [];
  if (name === undefined) return fieldsOf(variant, prefix);
  const rest = Object.fromEntries(entries.filter(([key]) => key !== name));
  const place = prefix === '' ? name : `${prefix}.${name}`;
  const title = html`<div><dt><code>${place}</code> <span class="type"><code>${word ?? ''}</code></span></dt><dd>${variant.properties?.[name]?.description ?? variant.description ?? ''} Then it has:</dd></div>`;
  return [title, ...fieldsOf({ ...variant, properties: rest }, prefix)];
}

function field(name: string, schema: Schema, isRequired: boolean): Html {
  const optional = isRequired ? undefined : html` <span class="optional">optional</span>`;
  const words = schema.description === undefined ? undefined : html`<dd>${prose(schema.description)}</dd>`;
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${optional}</dt>${words}${valuesOf(schema)}</div>`;
}

function valuesOf({ enum: words, items }: Schema): Html | undefined {
  const all = words ?? items?.enum;
  if (all === undefined || all.length < 2) return undefined;
  return html`<dd class="values">${all.map((word) => html`<code>${String(word)}</code> `)}</dd>`;
}

/** What a value is, with a link to the object that is described elsewhere. */
export function typeOf(schema: Schema): Html {
  const { $ref, type, properties, enum: words, const: only, format, items, anyOf, oneOf } = schema;
  if ($ref !== undefined) return html`<a href="#object-${nameOf($ref)}">${nameOf($ref)}</a>`;
  if (only !== undefined) return html`<code>${String(only)}</code>`;
  if (words?.length === 1) return html`<code>${String(words[0])}</code>`;
  const several = oneOf ?? anyOf;
  if (several !== undefined) return orOf(several.map(typeOf));
  if (items !== undefined) return html`list of ${typeOf(items)}`;
  const name = [type ?? (properties === undefined ? 'any' : 'object')].flat().join(' or ');
  return html`${name}${format === undefined ? '' : ` (${format})`}${boundsOf(schema)}`;
}

/** Types joined by "or", each once: variants that are written out are all of them objects. */
function orOf(types: readonly Html[]): Html {
  const once = [...new Map(types.map((type) => [type.html, type])).values()];
  return html`${once.map((type, index) => html`${index === 0 ? '' : ' or '}${type}`)}`;
}

function boundsOf({ format, minimum, maximum, default: fallback }: Schema): string {
  const bounds =
    format === undefined && minimum !== undefined && maximum !== undefined
      ? `, ${minimum} to ${maximum}`
      : '';
  return `${bounds}${fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`}`;
}

/** A text in which what is between backticks is code. */
export function prose(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}

/** The names of the objects that a schema links to, in any depth. */
export function* linkedFrom(schema: Schema): Generator<string> {
  const name = schema.$ref === undefined ? undefined : objectNameOf(schema);
  if (name !== undefined) yield name;
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema;
  for (const inner of [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...oneOf])
    yield* linkedFrom(inner);
}
